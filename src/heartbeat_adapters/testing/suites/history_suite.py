"""What every `History` owes the core (14)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from heartbeat_adapters.testing.suites.playing import not_played
from heartbeat_core.history import Ending, HistoryLine, WakeKind
from heartbeat_core.ports import History

NOON = datetime(2026, 10, 10, 12, 0, 0, 123_000, tzinfo=UTC)
FULL = HistoryLine(
    at=NOON + timedelta(seconds=2),
    due=NOON,
    kind=WakeKind.REMINDER,
    ending=Ending.REFUSED,
    reminder_id="rem_tea",
    sent=NOON + timedelta(seconds=1),
    event_id="event_1",
    attempt=3,
    reason='in a meeting – \u2028 "until\nnoon"',
    missed=2,
    inference_id="inf_1",
)
MOVED = HistoryLine(at=NOON, due=NOON, kind=WakeKind.BEAT, ending=Ending.MOVED, to=NOON + timedelta(hours=8))


def numbered(number: int) -> HistoryLine:
    """A line that differs from others by its time."""
    when = NOON + timedelta(minutes=number)
    return HistoryLine(at=when, due=when, kind=WakeKind.BEAT, ending=Ending.DROPPED)


class HistorySuite:
    """The obligations of `heartbeat_core.ports.History`."""

    def make_history(self) -> History:
        """Open a history in a place that is this test's own and empty at first.

        Called again within a test, it opens what is there, as a restart does; the one before was closed.
        """
        raise NotImplementedError

    def break_saving(self, why: str | None) -> None:
        """Make each append fail from here on, with `why` in what it says; None makes it work again."""
        not_played(self, "break_saving")

    # The tests

    def test_at_first_there_is_none(self) -> None:
        """14.5"""
        assert list(self.make_history().newest_first()) == []

    def test_lines_come_back_as_they_were_kept_the_newest_first(self) -> None:
        """14.1, 14.5"""
        history = self.make_history()
        assert history.append([FULL, MOVED]) is None
        assert history.append([numbered(3)]) is None
        assert list(history.newest_first()) == [numbered(3), MOVED, FULL]

    def test_every_kind_and_every_ending_comes_back(self) -> None:
        """14.1"""
        lines = [
            HistoryLine(at=NOON, due=NOON, kind=kind, ending=ending) for kind in WakeKind for ending in Ending
        ]
        history = self.make_history()
        assert history.append(lines) is None
        assert list(history.newest_first()) == lines[::-1]

    def test_lines_outlive_a_restart(self) -> None:
        """14.2"""
        first = self.make_history()
        first.append([numbered(1)])
        first.close()
        second = self.make_history()
        assert second.append([numbered(2)]) is None
        assert list(second.newest_first()) == [numbered(2), numbered(1)]

    def test_many_lines_are_read_from_the_last_one_on(self) -> None:
        """14.3: a reply shows the last few of all that there are"""
        history = self.make_history()
        for start in range(0, 3_000, 500):
            assert history.append([numbered(n) for n in range(start, start + 500)]) is None
        newest = history.newest_first()
        assert [next(newest) for _ in range(3)] == [numbered(2_999), numbered(2_998), numbered(2_997)]

    def test_to_keep_no_lines_is_harmless(self) -> None:
        """14.5"""
        history = self.make_history()
        assert history.append([]) is None
        assert list(history.newest_first()) == []

    def test_what_cannot_be_kept_is_said_in_one_line_and_later_lines_are_kept(self) -> None:
        """14.2"""
        history = self.make_history()
        history.append([numbered(1)])
        self.break_saving("the disk is full")
        trouble = history.append([numbered(2)])
        assert trouble is not None
        assert "the disk is full" in trouble.text
        assert "\n" not in trouble.text
        self.break_saving(None)
        assert history.append([numbered(3)]) is None
        kept = list(history.newest_first())
        assert (kept[0], kept[-1]) == (numbered(3), numbered(1))

    def test_closing_twice_is_harmless(self) -> None:
        """14.5"""
        history = self.make_history()
        history.append([numbered(1)])
        history.close()
        history.close()
