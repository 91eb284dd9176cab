"""`kill -9` between the host's acceptance and the save, again and again, with a host that drops duplicates.

The one property that only a killed process shows. `HEARTBEAT_CRASH_LIVES=1000` is the long
profile; the moments at which it kills are spread evenly, the same ones each time.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable

from heartbeat_adapters.testing.push_answers import CarefulHost, PushAnswer, ReceivedWake
from heartbeat_adapters.testing.scripted_host import ScriptedHost
from server_folder import ServerFolder

LIVES = int(os.environ.get("HEARTBEAT_CRASH_LIVES", "30"))
SAVED_WITHIN = 0.1


def add(host: ScriptedHost, message: str) -> str:
    """Set a reminder that is due at once, one that recurs where its message says so; gives its id."""
    recurrence = {"everyHours": 1} if message.startswith("again") else {}
    reply = host.call("reminder_add", message=message, inSeconds=0.02, **recurrence)
    return re.findall(r"Reminder (rem_\w+) set", reply.text)[0]  # type: ignore[no-any-return]


def live_and_die(folder: ServerFolder, judge: CarefulHost, life: int) -> list[str]:
    """One life of the server, which ends around the time when the host takes the last reminder set."""
    first, last = (f"once {life}", f"again {life}")[:: 1 if life % 2 else -1]
    with folder.host(judge) as host:
        host.handshake()
        ids = [add(host, first)]
        if life % 3:
            ids.append(add(host, last))
            hear(host, last)
            host.listen(SAVED_WITHIN * life / LIVES)
            host.kill()
        else:
            host.on_push = killing_instead_of_answering(host, judge, last)
            ids.append(add(host, last))
            hear(host, last)
        assert host.wait() == -9
    return ids


def killing_instead_of_answering(
    host: ScriptedHost, judge: CarefulHost, message: str
) -> Callable[[ReceivedWake], PushAnswer]:
    """Kill the server when the host has taken the wake that says so, before the server can hear of it."""

    def answer(wake: ReceivedWake) -> PushAnswer:
        judged = judge(wake)
        if says(wake, message):
            host.kill()
            host.wait()
        return judged

    return answer


def hear(host: ScriptedHost, message: str) -> None:
    while not says(host.next_wake(), message):
        pass


def says(wake: ReceivedWake, message: str) -> bool:
    return wake.text is not None and wake.text.endswith(f"] {message}")


def settle(host: ScriptedHost, recurring: int) -> None:
    """Wait until only the recurring ones are left, each of them an hour away."""
    for _ in range(200):
        text = host.call("reminder_list").text
        if text.count("repeats every 3600s") == text.count("\n") == recurring and "overdue" not in text:
            return
        host.listen(0.02)
    raise AssertionError(f"reminders are left over: {text}")


def test_each_reminder_is_heard_exactly_once_whenever_the_server_is_killed(folder: ServerFolder) -> None:
    """4.12, 7.2, 7.4, 8.9: none lost, none heard twice, whatever the file held at that moment."""
    judge = CarefulHost()
    added = [reminder_id for life in range(LIVES) for reminder_id in live_and_die(folder, judge, life)]
    with folder.host(judge) as host:
        host.handshake()
        settle(host, recurring=LIVES)
    assert Counter(wake.reminder_id for wake in judge.heard) == Counter(added)
    assert folder.names == {folder.config_file.name, folder.reminders_file.name}
