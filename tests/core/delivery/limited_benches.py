"""A bench with limits, a history that the test writes, and the count of wakes in a window."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta

from heartbeat_adapters.testing import Bench, FakeClock
from heartbeat_core.history import Ending, HistoryLine, WakeKind
from heartbeat_core.ports import Trouble
from heartbeat_core.schedule.limits import Limits

NOW = datetime(2026, 1, 5, 12, tzinfo=UTC)
SECOND = timedelta(seconds=1)
MINUTE = timedelta(minutes=1)
HOUR = timedelta(hours=1)
DAY = timedelta(days=1)
A_MOMENT = timedelta(milliseconds=1)
"""By so much more than a window two wakes are apart (15.3): history keeps whole milliseconds."""


class WrittenHistory:
    """A history in which a test writes what was sent."""

    def __init__(self, *sent: datetime) -> None:
        self.lines = [line(each) for each in sent]
        self.read = 0

    def append(self, lines: Sequence[HistoryLine]) -> Trouble | None:
        self.lines += lines
        return None

    def newest_first(self) -> Iterator[HistoryLine]:
        for each in reversed(self.lines):
            self.read += 1
            yield each

    def close(self) -> None:
        pass


def line(sent: datetime | None, at: datetime | None = None) -> HistoryLine:
    settled = at or sent
    assert settled is not None
    return HistoryLine(settled, settled, WakeKind.BEAT, Ending.TAKEN, sent=sent)


def limited(limits: Limits, **more: object) -> Bench:
    """A bench whose schedule is paused, so that nothing but what a test sets is sent."""
    more.setdefault("clock", FakeClock(NOW))
    bench = Bench(limits=limits, **more)  # type: ignore[arg-type]
    bench.call("heartbeat_configure", paused=True)
    return bench


def sent_at(bench: Bench) -> list[datetime]:
    """When each wake was sent; each is taken, so that the next may leave."""
    wakes = bench.sent()
    for wake in wakes:
        bench.take(wake)
    return [wake.sent_at for wake in wakes]


def most_within(window: timedelta, moments: list[datetime]) -> int:
    """The most that lie within any stretch of time so long, both of its ends included."""
    ordered, first, most = sorted(moments), 0, 0
    for last, moment in enumerate(ordered):
        while moment - ordered[first] > window:
            first += 1
        most = max(most, last - first + 1)
    return most
