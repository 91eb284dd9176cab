"""The history, looked at from outside: when the last wake was taken, and how many failed of late (14.2)."""

from __future__ import annotations

from datetime import datetime

from heartbeat_adapters.files.history_file import JsonLinesHistory
from heartbeat_cli.findings import Finding, StepResult
from heartbeat_core.history import Ending
from heartbeat_core.telling import history_words as words
from heartbeat_core.times.moments import AgentZone, show

_OFF = "no history is kept: it is turned off, or its path is that of another file"


def look_at_history(path: str | None, zone: AgentZone, now: datetime) -> Finding:
    """Look at the history file. What failed in the last day is a note: a host may be down on purpose."""
    if path is None:
        return Finding("history", StepResult.NOTE, _OFF, "nothing, if that was on purpose", {"path": None})
    history = JsonLinesHistory(path)
    taken = next((line.at for line in history.newest_first() if line.ending is Ending.TAKEN), None)
    day = words.last_of_each_moment(words.since(history.newest_first(), now - words.DAY))
    failed = [line for line in day if line.ending in words.FAILURES]
    last = "no wake was taken so far" if taken is None else f"the last wake was taken {show(taken, zone)}"
    what = f"{path}: {last}; in the last 24 hours {len(day)} were due, of which {len(failed)} failed"
    details = {"path": path, "lastTaken": taken and taken.isoformat(), "due": len(day), "failed": len(failed)}
    if not failed:
        return Finding("history", StepResult.OK, what, None, details)
    to_do = "see which, and why: heartbeat-mcpl history --failures"
    return Finding("history", StepResult.NOTE, what, to_do, details)
