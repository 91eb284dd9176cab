"""The history held against what the delivery model knows: what was sent, and what ended without (14.1)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from heartbeat_core.history import Ending, HistoryLine, WakeKind
from heartbeat_core.wakes import Wake

Sent = tuple[str, datetime, int]
"""By what a wake and its line know each other: event id, time of sending, attempt."""


@dataclass
class KnownPast:
    """What the model has seen, over all starts of the server."""

    sent: list[Wake] = field(default_factory=list)
    lost: set[Sent] = field(default_factory=set)
    """Wakes that were out at a crash: these leave no line, unless they were answered late."""
    let_go: set[Sent] = field(default_factory=set)
    """Wakes of firings that were moved while they were out: their answers have no effect."""
    dropped: list[datetime] = field(default_factory=list)
    """Due times of beats that no policy let through, in order."""
    expired: list[tuple[str, datetime]] = field(default_factory=list)

    def check(self, lines: Sequence[HistoryLine], out: Iterable[Wake]) -> None:
        """Each wake that is settled has its line, once; each that is out has none; so have the others."""
        still_out = {name(wake) for wake in out}
        first: Counter[Sent] = Counter()
        for line in lines:
            if line.event_id is not None:
                assert line.sent is not None
                assert line.attempt is not None
                first[line.event_id, line.sent, line.attempt] += not is_late(line, first)
        for wake in self.sent:
            wanted = 0 if name(wake) in still_out | self.lost else 1
            if name(wake) not in self.let_go:
                assert first[name(wake)] == wanted, f"{wake} has {first[name(wake)]} lines, not {wanted}"
        assert first.keys() <= {name(wake) for wake in self.sent}
        beats = [line for line in lines if line.kind is WakeKind.BEAT]
        assert [line.due for line in beats if line.ending is Ending.DROPPED] == self.dropped
        expired = [(str(line.reminder_id), line.due) for line in lines if line.ending is Ending.EXPIRED]
        assert sorted(expired) == sorted(self.expired)


def is_late(line: HistoryLine, first: Counter[Sent]) -> bool:
    """Whether it is the second line of a wake, for an answer that came late and counts."""
    assert line.event_id is not None
    assert line.sent is not None
    assert line.attempt is not None
    return line.ending is Ending.TAKEN and first[line.event_id, line.sent, line.attempt] == 1


def name(wake: Wake) -> Sent:
    """By what its line is known."""
    return wake.event_id, wake.sent_at, wake.attempt
