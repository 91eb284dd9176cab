"""Hostile input against the real server: whatever comes, it goes on, and says what the clauses say.

Playing the input and judging all that comes out. `HEARTBEAT_FUZZ_INPUTS=100000` is the long
profile, `HEARTBEAT_FUZZ_SEED` another input.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from fuzz_inputs import Fuzzer, answers_to, parsed

from heartbeat_adapters.testing.scripted_host import ScriptedHost
from heartbeat_adapters.testing.server_process import seconds_now
from server_folder import ServerFolder

INPUTS = int(os.environ.get("HEARTBEAT_FUZZ_INPUTS", "1500"))
SEED = int(os.environ.get("HEARTBEAT_FUZZ_SEED", "1"))
AT_MOST = 30.0
MAY_GROW = 48 * 1024 * 1024
"""Bytes between the first third of the input and its end: reminders that were set, and a heap in holes."""


class Judge:
    """Plays one input after the other and judges every line that the server writes."""

    def __init__(self, host: ScriptedHost, seed: int) -> None:
        self._server = host.server
        self._seed = seed
        self._fuzzer = Fuzzer(seed)
        self._wakes: list[bytes] = []
        self.wakes = 0
        """How many came."""

    def play(self, number: int) -> None:
        """Send an input and a ping: what comes before the pong is what has to come, and in that order."""
        data = self._fuzzer.next_input()
        pong = f'{{"jsonrpc":"2.0","id":"after {number}","result":{{}}}}'.encode()
        for chunk in self._fuzzer.chunks_of(data):
            self._server.write(chunk, seconds_now() + AT_MOST)
        ping = f'{{"jsonrpc":"2.0","id":"after {number}","method":"ping"}}\n'
        self._server.write(ping.encode(), seconds_now() + AT_MOST)
        answers = [ids_in(line) for line in self._lines_until(pong)]
        assert answers == answers_to(data), f"input {number} of seed {self._seed}: {data[:1000]!r}"
        self._answer_wakes()

    def _lines_until(self, pong: bytes) -> Iterator[bytes]:
        """The lines before the pong that are no wakes."""
        while (line := self._server.read_line(seconds_now() + AT_MOST, "the answer to a ping")) != pong:
            assert line is not None, self._server.log_lines[-20:]
            assert line.isascii()
            if line.startswith(b"[") or b'"method"' not in line[:60]:
                yield line
            else:
                self._wakes.append(line)
                self.wakes += 1

    def _answer_wakes(self) -> None:
        while self._wakes:
            wake = parsed(self._wakes.pop().decode())
            assert wake["method"] == "push/event"
            answer = self._fuzzer.answer_to_wake(wake["id"])
            self._server.write(answer, seconds_now() + AT_MOST)


def ids_in(line: bytes) -> list[object]:
    """The ids of a line of answers, each of which is a valid response."""
    value = parsed(line.decode("ascii"))
    answers = value if isinstance(value, list) else [value]
    assert answers
    for answer in answers:
        assert answer["jsonrpc"] == "2.0"
        assert {*answer} in ({"jsonrpc", "id", "result"}, {"jsonrpc", "id", "error"})
        if "error" in answer:
            assert re.fullmatch(r"-32\d{3}", answer["error"]["code"])
            assert answer["error"]["code"] != "-32603", line
            assert type(answer["error"]["message"]) is str
    return [
        answer["id"] if answer["id"] is None else (type(answer["id"]), answer["id"]) for answer in answers
    ]


def memory_of(pid: int) -> int:
    """Bytes that a process has in memory."""
    (kib,) = re.findall(r"VmRSS:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text())
    return int(kib) * 1024


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="there is no /proc to read memory from")
@pytest.mark.parametrize("welcome", [True, False])
def test_whatever_comes_every_request_is_answered_once_and_the_server_goes_on(
    folder: ServerFolder, welcome: bool
) -> None:
    """1.3, 2.1 to 2.8: every answer in its place, nothing else on stdout, and memory that stays as it was."""
    with folder.host() as host:
        if welcome:  # else all that the server hears is the input
            host.handshake()
        judge = Judge(host, SEED + welcome)
        for number in range(INPUTS // 3):
            judge.play(number)
        before = memory_of(host.server.pid)
        for number in range(INPUTS // 3, INPUTS):
            judge.play(number)
        assert memory_of(host.server.pid) - before < MAY_GROW
        host.close_stdin()
        assert host.wait(AT_MOST) == 0
        assert not [line for line in host.log_lines if "Traceback" in line]
        assert (judge.wakes > 0) == welcome
    if welcome:
        assert {type(reminder["message"]) for reminder in folder.reminders} == {str}
        assert folder.config["intervalSeconds"] >= 60
