"""The history file of real processes: killed while wakes are answered, and two on one file (14.1, 14.2)."""

from __future__ import annotations

import json
import re
from collections import Counter

from heartbeat_adapters.files.history_file import JsonLinesHistory
from heartbeat_adapters.testing.push_answers import CarefulHost
from heartbeat_adapters.testing.scripted_host import ScriptedHost
from server_folder import ServerFolder

LIVES = 8
A_LIFE = 0.08
"""Seconds over which the moments of killing are spread."""


def remind(host: ScriptedHost, count: int) -> set[str]:
    """Set so many reminders that are due at once; gives their ids."""
    replies = [host.call("reminder_add", message=f"r{n}", inSeconds=0.02).text for n in range(count)]
    return {found for reply in replies for found in re.findall(r"Reminder (rem_\w+) set", reply)}


def hear_one(host: ScriptedHost) -> set[str]:
    """Set a reminder and hear it; the reply to a later call says that its answer was dealt with."""
    ids = remind(host, 1)
    host.next_wake()
    host.call("heartbeat_status")
    return ids


def kept(folder: ServerFolder) -> list[str]:
    path = folder.path / "heartbeat-history.jsonl"
    return path.read_text(encoding="utf-8").splitlines() if path.exists() else []


def test_each_line_is_whole_and_there_once_whenever_the_server_is_killed(folder: ServerFolder) -> None:
    """14.1, 14.2: a wake out at a crash has no line, and none is written twice"""
    judge = CarefulHost()
    for life in range(LIVES):
        with folder.host(judge) as host:
            host.handshake()
            remind(host, 5)
            host.next_wake()
            host.listen(A_LIFE * life / LIVES)
            host.kill()
            assert host.wait() == -9
    lines = [json.loads(line) for line in kept(folder)]
    attempts = Counter((line["eventId"], line["attempt"], line["sent"]) for line in lines)
    assert lines
    assert max(attempts.values()) == 1


def test_a_half_line_that_a_crash_left_is_ended_by_the_next_server_and_passed_over(
    folder: ServerFolder,
) -> None:
    """14.2"""
    path = folder.path / "heartbeat-history.jsonl"
    path.write_text('{"at":"2026-10-10T12:0', encoding="utf-8")
    with folder.host() as host:
        host.handshake()
        (reminder,) = hear_one(host)
    assert [line.reminder_id for line in JsonLinesHistory(str(path)).newest_first()] == [reminder]


def test_the_second_server_writes_no_history_says_so_once_and_takes_it_over(folder: ServerFolder) -> None:
    """14.2, 8.6: schedule and reminders are its own, and only the history is shared"""
    own = ("--config-file", "other-config.json", "--reminders-file", "other-reminders.json")
    second_options = (*own, "--history-file", "heartbeat-history.jsonl")
    with folder.host() as first, folder.host(options=second_options) as second:
        ids: list[str] = []
        first.handshake()
        second.handshake()
        for host in (first, second, second):
            ids += hear_one(host)
        assert [json.loads(line)["id"] for line in kept(folder)] == ids[:1]
        second.wait_for_log("what this server has to tell is lost")
        assert sum("what this server has to tell is lost" in line for line in second.log_lines) == 1
        first.kill()
        first.wait()
        (taken_over,) = hear_one(second)
    assert [json.loads(line)["id"] for line in kept(folder)] == [ids[0], taken_over]
