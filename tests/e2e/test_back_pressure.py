"""A host that stops reading while requests come by the thousand and 10,000 reminders are due (2.7).

The line by itself is tried in `tests/adapters/stdio`. Nothing here waits long: what takes a minute for a host
is over here as soon as the server stands still, which it can only do once.
"""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

import pytest

from heartbeat_adapters.testing.push_answers import leave_unanswered
from heartbeat_adapters.testing.scripted_host import Direction, NotInTimeError, ScriptedHost
from server_folder import ServerFolder, epoch_ms, row

REMINDERS = 10_000
REQUESTS = range(1_000_000, 1_003_000)
"""The ids of the requests, which no other request has."""
BEAT_AFTER = 1.0
AT_MOST = 60.0
MAY_GROW = 32 * 1024 * 1024

READABLE_PROC = pytest.mark.skipif(
    not Path("/proc/self/stat").exists(), reason="there is no /proc to read memory and CPU time from"
)


def fill(folder: ServerFolder) -> list[str]:
    """10,000 reminders that are due and one that soon will be, and a beat that is due soon; gives the ids."""
    rows = [row(f"rem_{n:05}", due_in=(n - REMINDERS) / 100 - 1) for n in range(REMINDERS)]
    folder.write_reminders(*rows, row("rem_soon", due_in=BEAT_AFTER))
    folder.write_config(intervalSeconds=3600, nextFireAt=epoch_ms(BEAT_AFTER))
    return [*(str(each["id"]) for each in rows), "rem_soon"]


def ask_without_reading(host: ScriptedHost) -> None:
    """Send requests whose answers nobody reads, more than the way there and back can hold."""
    host.server.reading = False
    padding = {"_meta": {"padding": "x" * 300}}
    requests = [
        {"jsonrpc": "2.0", "id": n, "method": "ping" if n % 3 else "tools/list", "params": padding}
        for n in REQUESTS
    ]
    with pytest.raises(NotInTimeError):  # the rest goes out once the server reads again
        host.send_bytes(b"".join(json.dumps(each).encode() + b"\n" for each in requests), timeout=BEAT_AFTER)


def used(pid: int) -> tuple[int, int]:
    """Bytes in memory, and ticks of CPU time."""
    stat = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return int(stat[21]) * os.sysconf("SC_PAGE_SIZE"), int(stat[11]) + int(stat[12])


def stands_still(host: ScriptedHost) -> bool:
    """Whether it comes to rest, which a loop that has nothing to do and does it would not."""
    for _ in range(40):
        before = used(host.server.pid)[1]
        with pytest.raises(NotInTimeError):
            host.wait(0.25)
        if used(host.server.pid)[1] - before <= 2:
            return True
    return False


def answered(host: ScriptedHost) -> list[int]:
    """The ids of those requests, in the order in which they were answered."""
    messages: list[Any] = [
        crossing.message for crossing in host.transcript if crossing.direction is Direction.TO_HOST
    ]
    return [message["id"] for message in messages if "method" not in message and message["id"] in REQUESTS]


@READABLE_PROC
def test_a_host_that_stops_reading_loses_nothing_and_gets_it_in_order(folder: ServerFolder) -> None:
    """2.7, 5.2, 7.4: requests, wakes and a beat, in bounded memory and without a busy loop."""
    ids = fill(folder)
    due = folder.config["nextFireAt"]
    with folder.host() as host:
        host.timeout = AT_MOST
        host.handshake()
        memory = used(host.server.pid)[0]
        ask_without_reading(host)
        assert stands_still(host)
        assert used(host.server.pid)[0] - memory < MAY_GROW
        host.server.reading = True
        wakes = [host.next_wake() for _ in range(len(ids) + 1)]
        assert host.call("reminder_list").text == "No reminders set."
        assert answered(host) == [*REQUESTS]
        assert used(host.server.pid)[0] - memory < MAY_GROW
        assert host.wakes == wakes
    assert [wake.reminder_id for wake in wakes if wake.reminder_id] == ids
    (beat,) = [wake for wake in wakes if wake.reminder_id is None]
    assert beat.origin == {"source": "heartbeat", "reason": "schedule"}
    assert folder.config["nextFireAt"] == due + 3_600_000
    assert folder.reminders == []


def test_a_host_that_answers_nothing_while_it_asks_is_still_answered(folder: ServerFolder) -> None:
    """2.7, 7.3: 32 wakes are out and all of them fall silent, again and again; requests have their turn."""
    folder.write_reminders(*(row(f"rem_{n:05}", due_in=-1) for n in range(2_000)))
    with folder.host(leave_unanswered, options=("--answer-within", "0.05")) as host:
        host.handshake()
        for _ in range(200):
            host.next_wake()
            assert host.request("ping") == {}
        text = host.call("reminder_list").text
        assert re.search("held since .*: no answer", text)
