"""Lines of history, collected while one call is handled, and handed over together at its end (14.1)."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta

from heartbeat_core.history import Ending, HistoryLine, WakeKind
from heartbeat_core.ports import History
from heartbeat_core.telling.operator_log import OperatorLog
from heartbeat_core.times.clock_readings import Reading
from heartbeat_core.wakes import Answer, Failed, Refused, Taken, Wake

LONGEST_REASON = 500
"""Characters of a reason that are kept (14.1)."""


class WakeHistory:
    """What is told of each wake and each due moment. Without a port it keeps nothing and costs nothing."""

    def __init__(self, port: History | None, log: OperatorLog) -> None:
        self._port = port
        self._log = log
        self._new: list[HistoryLine] = []
        self._trouble: str | None = None

    @property
    def is_kept(self) -> bool:
        """Whether there is a history at all."""
        return self._port is not None

    # What is told

    def answered(self, wake: Wake, answer: Answer, now: datetime, *, counts: bool, in_time: bool) -> None:
        """The host answered; `counts` says whether the wake counts as taken by it, a duplicate too (4.11).

        A late answer leaves a second line where it counts, and else none: the wake has had its line.
        """
        if counts or in_time:
            ending = Ending.TAKEN if counts else _ending(answer)
            inference = answer.inference_id if isinstance(answer, Taken) else None
            reason = None if isinstance(answer, Taken) else str(answer)
            self._of_wake(wake, ending, now, reason, inference)

    def unanswered(self, wake: Wake, now: datetime, reason: str) -> None:
        """Nobody waits for the answer to this wake any more."""
        self._of_wake(wake, Ending.UNANSWERED, now, reason)

    def ended(
        self,
        kind: WakeKind,
        ending: Ending,
        due: datetime,
        now: datetime,
        *,
        reminder_id: str | None = None,
        reason: str | None = None,
        missed: int = 0,
        to: datetime | None = None,
    ) -> None:
        """A due moment ended without a wake, or apart from the wakes that were sent of it."""
        self._add(HistoryLine(now, due, kind, ending, reminder_id, reason=_cut(reason), missed=missed, to=to))

    def _of_wake(
        self, wake: Wake, ending: Ending, now: datetime, reason: str | None, inference: str | None = None
    ) -> None:
        line = HistoryLine(
            at=now,
            due=wake.own_due,
            kind=_kind(wake),
            ending=ending,
            reminder_id=wake.reminder_id,
            sent=wake.sent_at,
            event_id=wake.event_id,
            attempt=wake.attempt,
            reason=_cut(reason),
            missed=wake.missed,
            inference_id=_cut(inference),
        )
        self._add(line)

    def _add(self, line: HistoryLine) -> None:
        if self._port is not None:
            self._new.append(line)

    # What becomes of it

    def hand_over(self, at: Reading) -> None:
        """Hand the new lines to the port. What it cannot keep is lost, for one line in the log (14.2)."""
        if not self._new or self._port is None:
            return
        lines, self._new = self._new, []
        try:
            trouble = self._port.append(lines)
        except Exception as error:  # a port of an embedder's own
            self._log.broken_history(error, at.ticks)
            return
        text = None if trouble is None else trouble.text
        if text != self._trouble:
            self._log.history(text, at.ticks)
        self._trouble = text

    def newest_first(self) -> Iterator[HistoryLine]:
        """What is kept, or about to be, read backwards; it ends where the port fails."""
        if self._port is None:
            return
        yield from reversed(self._new)
        try:
            yield from self._port.newest_first()
        except Exception as error:  # as above
            self._log.broken_history(error, timedelta(0))

    def close(self) -> None:
        """Let go of what is kept."""
        if self._port is not None:
            self._port.close()


def _kind(wake: Wake) -> WakeKind:
    if wake.reminder_id is not None:
        return WakeKind.REMINDER
    return WakeKind.TRIGGERED if wake.origin.get("reason") == "manual" else WakeKind.BEAT


def _ending(answer: Answer) -> Ending:
    match answer:
        case Taken():
            return Ending.TAKEN
        case Refused():
            return Ending.REFUSED
        case Failed():
            return Ending.FAILED


def _cut(text: str | None) -> str | None:
    return None if text is None else text[:LONGEST_REASON]
