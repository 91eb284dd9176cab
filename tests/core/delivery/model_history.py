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
    lost: list[Sent] = field(default_factory=list)
    """Wakes that were out at a crash: these leave no line, unless they were answered late."""
    let_go: set[Sent] = field(default_factory=set)
    """Wakes of firings that were moved while they were out: their answers have no effect."""
    dropped: list[datetime] = field(default_factory=list)
    """Each due time of a beat that no policy let through, in order."""
    expired: list[tuple[str, datetime]] = field(default_factory=list)

    def check(self, lines: Sequence[HistoryLine], out: Iterable[Wake]) -> None:
        """Each wake that is settled has its line, once; each that is out has none; so have the others."""
        # Two wakes can have one name: the clock of the tests stands still while a row goes and comes back.
        wanted = Counter(map(name, self.sent))
        wanted.subtract(map(name, out))
        wanted.subtract(self.lost)
        told: Counter[Sent] = Counter()
        for line in lines:
            if line.event_id is not None:
                assert line.sent is not None
                assert line.attempt is not None
                key = line.event_id, line.sent, line.attempt
                late = line.ending is Ending.TAKEN and told[key] == wanted[key]
                told[key] += not late
        for key, count in wanted.items():
            assert told[key] == count or key in self.let_go, f"{key} has {told[key]} lines, not {count}"
        assert told.keys() <= wanted.keys()
        dropped = [each for each in lines if each.kind is WakeKind.BEAT and each.ending is Ending.DROPPED]
        assert sum(1 + line.missed for line in dropped) == len(self.dropped)
        left = iter(self.dropped)  # one line can stand for several of these, of which it names the first
        assert all(line.due in left for line in dropped), "dropped beats are not told in order"
        expired = [(str(line.reminder_id), line.due) for line in lines if line.ending is Ending.EXPIRED]
        assert sorted(expired) == sorted(self.expired), (
            f"{sorted(expired)} expired, not {sorted(self.expired)}"
        )


def name(wake: Wake) -> Sent:
    """By what its line is known."""
    return wake.event_id, wake.sent_at, wake.attempt
