"""A host that reads slowly, or not: 2.7."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest
from stdio_worlds import AT_MOST, Host

from heartbeat_adapters.stdio import stdio_server
from heartbeat_adapters.stdio.stdio_server import LINES_IN_A_TURN, ROOM_FOR_ANSWERS


def stand_still(host: Host, length: int, count: int) -> threading.Thread:
    """A host that asks and asks and reads nothing, until the server has stopped reading too."""
    host.served.on_line = lambda line: f"{line.decode()} {'x' * length}"
    host.served.start()

    def ask() -> None:
        for n in range(count):
            host.say(str(n))

    asking = threading.Thread(target=ask, daemon=True)
    asking.start()
    wait_until(lambda: len(host.served.lines) * length > ROOM_FOR_ANSWERS)
    return asking


def asked_all(asking: threading.Thread) -> None:
    """Wait until the host has asked all that it has to ask, since it must not hang up in between."""
    asking.join(AT_MOST)
    assert not asking.is_alive()


def wait_until(condition: Callable[[], bool]) -> None:
    """Wait for something in the server's thread, looking in every 10 ms."""
    never, looks = threading.Event(), 0
    while not condition():
        never.wait(0.01)
        looks += 1
        assert looks < AT_MOST * 100


def test_a_host_that_stops_reading_waits_and_loses_nothing(host: Host) -> None:
    """2.7"""
    asking = stand_still(host, length=1_000, count=50_000)
    assert not host.served.ended(within=0.2)
    assert asking.is_alive()
    held = len(host.served.lines) * 1_000
    assert held < ROOM_FOR_ANSWERS + 1_000_000, "what the kernel holds comes on top"
    answers = host.hear(50_000)
    assert [int(answer.split()[0]) for answer in answers] == list(range(50_000))
    host.hang_up()
    assert host.served.ended()


def test_the_end_of_stdin_is_noticed_while_it_is_not_read(
    host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    """1.4: a host that does not read its answers gets a moment, and no more."""
    monkeypatch.setattr(stdio_server, "GRACE", 0.02)
    asked_all(stand_still(host, length=100_000, count=100))
    host.hang_up()
    assert host.served.ended()
    assert len(host.served.lines) < 100


def test_a_host_that_reads_slowly_after_the_end_gets_all_of_it(
    host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    """1.4"""
    monkeypatch.setattr(stdio_server, "GRACE", 2.0)
    asked_all(stand_still(host, length=100_000, count=100))
    host.hang_up()
    assert len(host.hear(100)) == 100
    assert host.served.ended()


def push_while_room(host: Host, wakes: int, refused: threading.Event) -> Callable[[], None]:
    """A sender of wakes that does as the core does: push while there is room, go on when told."""
    left = list(range(wakes))

    def push() -> None:
        while left:
            if not host.served.server.room():
                refused.set()
                return
            host.served.server.write_line(f"wake {left.pop(0)} {'x' * 1_000}")

    return push


def and_then(host: Host, push: Callable[[], None]) -> Callable[[bytes], str]:
    """Answer, and let wakes follow from a timer, as the core does."""

    def on_line(line: bytes) -> str:
        host.served.loop.call_later(0.0, push)
        return line.decode()

    return on_line


def test_wakes_stop_long_before_requests_do_and_go_on_later(host: Host) -> None:
    """2.7"""
    refused = threading.Event()
    push = push_while_room(host, 2_000, refused)
    host.served.on_room = push
    host.served.on_line = and_then(host, push)
    host.served.start()
    host.say("go")
    assert refused.wait(AT_MOST)
    host.say(*(str(n) for n in range(1_000)))
    wait_until(lambda: len(host.served.lines) == 1_001)
    heard = host.hear(1_001 + 2_000)
    wakes = [line.split()[1] for line in heard if line.startswith("wake")]
    assert heard[0] == "go"
    assert wakes == [str(n) for n in range(2_000)]
    assert [line for line in heard[1:] if not line.startswith("wake")] == [str(n) for n in range(1_000)]
    assert host.served.rooms > 0
    host.hang_up()
    assert host.served.ended()


def test_no_wake_has_room_once_stdin_has_ended(host: Host) -> None:
    """1.4"""
    host.say("a")
    host.hang_up()
    host.served.start()
    assert host.hear() == ["a"]
    assert host.served.ended()
    assert not host.served.server.room()
    assert host.served.rooms == 0


def test_a_flood_of_lines_leaves_timers_their_turn(host: Host) -> None:
    """5.2"""
    lines_at_timer = list[int]()

    def arm_once(line: bytes) -> str:
        if len(host.served.lines) == 1:
            host.served.loop.call_later(0.0, lambda: lines_at_timer.append(len(host.served.lines)))
        return line.decode()

    host.served.on_line = arm_once
    host.say(*("x" for _ in range(1_000)))
    host.served.start()
    host.hear(1_000)
    host.hang_up()
    assert host.served.ended()
    assert lines_at_timer[0] <= LINES_IN_A_TURN
