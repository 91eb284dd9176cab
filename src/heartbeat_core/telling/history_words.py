"""The history in words and in sums, for the agent's status, the table and the page (14.3, 14.4)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from itertools import takewhile

from heartbeat_core.history import Ending, HistoryLine, WakeKind
from heartbeat_core.times.lengths import show_seconds
from heartbeat_core.times.moments import AgentZone, show
from heartbeat_core.wakes import LATE

DAY = timedelta(days=1)

FAILURES = frozenset(
    {Ending.REFUSED, Ending.FAILED, Ending.UNANSWERED, Ending.DROPPED, Ending.BUSY, Ending.EXPIRED}
)
"""What somebody may want to do something about (14.4)."""

_SECOND = timedelta(seconds=1)


def since(newest_first: Iterable[HistoryLine], start: datetime) -> Iterator[HistoryLine]:
    """The lines from `start` on, reading no further back than that.

    A clock that was set back has left lines out of order: those within a day are found all the same.
    """
    read = takewhile(lambda line: line.at - start > -DAY, newest_first)
    return (line for line in read if line.at >= start)


def last_of_each_moment(newest_first: Iterable[HistoryLine]) -> list[HistoryLine]:
    """One line for each due moment, its last: an attempt that was refused is not what became of it."""
    last: dict[tuple[bool, str | None, datetime], HistoryLine] = {}
    for line in newest_first:
        last.setdefault((line.kind is WakeKind.TRIGGERED, line.reminder_id, line.due), line)
    return list(last.values())


def outcomes(moments: Iterable[HistoryLine]) -> dict[Ending, int]:
    """How many of each outcome there are, in the order in which outcomes are named."""
    counts = Counter(line.ending for line in moments)
    return {ending: counts[ending] for ending in Ending if counts[ending]}


def lateness(lines: Iterable[HistoryLine]) -> tuple[timedelta, timedelta] | None:
    """How late wakes were sent, `sent` - `due`: the median and the worst; None where none was sent.

    Only first attempts say it: a later one is late because the first was not taken.
    """
    late = sorted(line.sent - line.due for line in lines if line.sent is not None and line.attempt == 1)
    return (late[len(late) // 2], late[-1]) if late else None


def in_words(line: HistoryLine, zone: AgentZone) -> str:
    """One line as the agent reads it: when, what, and what became of it; never broken in two."""
    parts = [show(line.at, zone), what(line), result(line, zone)]
    if line.at - line.due >= LATE or line.due > line.at:
        parts.insert(2, f"due {show(line.due, zone)}")
    if line.missed:
        parts.append(f"stands for {line.missed} more")
    return " | ".join(parts)


def what(line: HistoryLine) -> str:
    """What it is about."""
    if line.reminder_id is not None:
        return one_line(line.reminder_id)
    return "heartbeat, triggered" if line.kind is WakeKind.TRIGGERED else "heartbeat"


def result(line: HistoryLine, zone: AgentZone) -> str:
    """What became of it, with the attempt where it was not the first, and why."""
    attempt = f" at attempt {line.attempt}" if line.attempt is not None and line.attempt > 1 else ""
    to = f" to {show(line.to, zone)}" if line.to is not None else ""
    reason = f": {one_line(line.reason)}" if line.reason else ""
    return f"{line.ending.value}{attempt}{to}{reason}"


def in_sum(newest_first: Iterable[HistoryLine], now: datetime) -> str:
    """The due moments of the last 24 hours by their last outcome, as one line."""
    counts = outcomes(last_of_each_moment(since(newest_first, now - DAY)))
    shown = ", ".join(f"{count} {ending.value}" for ending, count in counts.items())
    return f"Last 24 hours: {shown or 'nothing was due'}"


def show_late(length: timedelta) -> str:
    """How late, to the millisecond below a second and to the second from there on."""
    return show_seconds(length if abs(length) < _SECOND else timedelta(seconds=round(length.total_seconds())))


def one_line(text: str) -> str:
    """A text of somebody else's without line breaks and what else no terminal should be sent."""
    return "".join(each if each.isprintable() else " " for each in text)
