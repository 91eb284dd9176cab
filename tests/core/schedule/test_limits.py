"""The operator's limits as a value: what may be set, how it is said, and what it answers (15.1 to 15.4)."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import hypothesis.strategies as st
import pytest
from hypothesis import given

from heartbeat_core.schedule.active_hours import ActiveHours, read_days, read_hours
from heartbeat_core.schedule.ambient_schedule import DEFAULT_SCHEDULE, times_passed
from heartbeat_core.schedule.limits import NO_LIMITS, Limits
from heartbeat_core.schedule.open_hours import OpenHours
from heartbeat_core.times.moments import LAST_MOMENT, AgentZone

BERLIN = AgentZone("Europe/Berlin", ZoneInfo("Europe/Berlin"))
MINUTE = timedelta(minutes=1)
NOW = datetime(2026, 1, 5, 12, tzinfo=UTC)


def local(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=BERLIN.tzinfo).astimezone(UTC)


def active(hours: str, *days: str) -> ActiveHours:
    return ActiveHours(read_hours(hours), read_days(days) if days else None)


def test_those_that_are_set_are_said_with_their_values_in_one_order() -> None:
    """15.4"""
    limits = Limits(
        quiet_hours=" 22:00 – 7:00", max_reminders=0, min_interval=timedelta(minutes=15), max_wakes_per_hour=6
    )
    assert str(limits) == "min-interval 900s, max-wakes-per-hour 6, max-reminders 0, quiet-hours 22:00-07:00"
    assert limits
    assert not NO_LIMITS
    assert str(NO_LIMITS) == ""


@pytest.mark.parametrize(
    "wrong",
    [
        {"min_interval": timedelta(0)},
        {"min_interval": timedelta(seconds=-1)},
        {"max_wakes_per_hour": 0},
        {"max_wakes_per_day": -1},
        {"max_reminders": -1},
        {"quiet_hours": "22-7"},
        {"quiet_hours": "always"},
        {"quiet_hours": "00:00-24:00"},
        {"quiet_hours": ""},
    ],
)
def test_a_value_that_limits_nothing_or_everything_is_an_error(wrong: dict[str, object]) -> None:
    """15.1"""
    with pytest.raises(ValueError, match=next(iter(wrong)) if "quiet_hours" not in wrong else "."):
        Limits(**wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "wrong", [{"min_interval": 900}, {"max_wakes_per_hour": 1.5}, {"max_reminders": True}]
)
def test_a_wrong_type_is_an_error_that_names_it(wrong: dict[str, object]) -> None:
    """9.6, 15.4"""
    with pytest.raises(TypeError, match=next(iter(wrong))):
        Limits(**wrong)  # type: ignore[arg-type]


# The least interval


def test_what_is_shorter_than_the_least_runs_at_it() -> None:
    """15.2"""
    limits = Limits(min_interval=15 * MINUTE)
    assert limits.paced(MINUTE) == 15 * MINUTE
    assert limits.paced(16 * MINUTE) == 16 * MINUTE
    assert NO_LIMITS.paced(MINUTE) == MINUTE


def test_any_two_of_the_next_1000_times_of_a_recurrence_count_and_no_later_ones() -> None:
    """15.2: a calendar may have two times that are close once in a while."""
    limits = Limits(min_interval=15 * MINUTE)
    apart = [NOW + 15 * MINUTE * count for count in range(999)]
    assert not limits.are_too_close(iter(apart))
    assert limits.are_too_close([*apart, apart[-1] + 14 * MINUTE])
    assert not limits.are_too_close([*apart, apart[-1] + 15 * MINUTE, apart[-1] + 16 * MINUTE])
    assert not NO_LIMITS.are_too_close([NOW, NOW])


def test_no_more_than_1000_times_are_asked_for() -> None:
    """15.2, 10.1: no text takes long to judge."""
    times = (NOW + 15 * MINUTE * count for count in range(10_000))
    Limits(min_interval=MINUTE).are_too_close(times)
    assert next(times) == NOW + 15 * MINUTE * 1000


# Quiet hours


def test_quiet_hours_begin_at_their_start_and_end_before_their_end() -> None:
    """15.3, 12.1"""
    limits = Limits(quiet_hours="22:00-07:00")
    end = local("2026-01-06T07:00")
    assert limits.end_of_quiet(local("2026-01-05T21:59:59"), BERLIN) == local("2026-01-05T21:59:59")
    assert limits.end_of_quiet(local("2026-01-05T22:00"), BERLIN) == end
    assert limits.end_of_quiet(end - timedelta(milliseconds=1), BERLIN) == end
    assert limits.end_of_quiet(end, BERLIN) == end


@pytest.mark.parametrize(
    ("quiet", "moment", "end"),
    [
        ("01:00-02:30", "2026-03-29T01:30", "2026-03-29T03:30"),  # 02:30 is skipped that night
        ("01:00-02:30", "2026-10-25T01:30", "2026-10-25T02:30"),  # it occurs twice: the first
        ("03:00-02:00", "2026-03-28T12:00", "2026-03-30T02:00"),  # the one open hour is skipped
    ],
)
def test_the_ends_of_quiet_hours_are_found_where_clocks_change_as_those_of_active_hours(
    quiet: str, moment: str, end: str
) -> None:
    """15.3, 6.5"""
    assert Limits(quiet_hours=quiet).end_of_quiet(local(moment), BERLIN) == local(end)


@pytest.mark.parametrize(
    ("quiet", "hours", "swallowed"),
    [
        ("22:00-07:00", "23:00-06:00", True),
        ("22:00-07:00", "22:00-07:00", True),
        ("22:00-07:00", "00:00-05:00", True),
        ("22:00-07:00", "22:00-07:01", False),
        ("22:00-07:00", "21:59-23:00", False),
        ("22:00-07:00", "08:00-20:00", False),
        ("22:00-07:00", "07:00-22:00", False),
        ("09:00-17:00", "12:00-12:30", True),
        ("09:00-17:00", "16:00-10:00", False),
        ("20:00-24:00", "21:00-24:00", True),
        ("20:00-24:00", "21:00-00:30", False),
    ],
)
def test_active_hours_that_lie_wholly_in_quiet_hours_are_known(
    quiet: str, hours: str, swallowed: bool
) -> None:
    """15.2"""
    assert Limits(quiet_hours=quiet).swallow(active(hours)) is swallowed


def test_days_alone_and_no_limit_leave_room() -> None:
    """15.2"""
    assert not Limits(quiet_hours="00:00-23:59").swallow(ActiveHours(days=("MO",)))
    assert not NO_LIMITS.swallow(active("08:00-09:00"))


def test_in_hours_wholly_quiet_no_beat_ever_comes() -> None:
    """15.3"""
    hours = OpenHours(active("23:00-06:00"), Limits(quiet_hours="22:00-07:00"), BERLIN)
    assert hours.first_from(NOW) == LAST_MOMENT
    assert not hours.include(local("2026-01-06T01:00"))


def test_times_that_an_asked_for_beat_in_quiet_hours_passes_over_are_those_after_them() -> None:
    """13.1, 15.3: it was due at 23:00, and the others would have come from 07:00 on."""
    schedule = replace(
        DEFAULT_SCHEDULE, interval=timedelta(hours=1), next_beat=local("2026-01-05T23:00"), next_is_asked=True
    )
    limits = Limits(quiet_hours="22:00-07:00")
    assert times_passed(schedule, local("2026-01-06T12:00"), BERLIN, limits) == 6


bounds = st.tuples(st.integers(0, 24 * 4 - 1), st.integers(0, 24 * 4 - 1)).filter(
    lambda both: both[0] != both[1]
)


def _text(both: tuple[int, int]) -> str:
    return "-".join(f"{quarter // 4:02}:{quarter % 4 * 15:02}" for quarter in both)


@given(
    hours=bounds,
    quiet=bounds,
    days=st.sets(st.sampled_from(["MO", "TU", "WE", "TH", "FR", "SA", "SU"]), min_size=1),
    quarters=st.integers(0, 4 * 24 * 7 * 52),
)
def test_a_beat_comes_at_the_first_minute_that_is_active_and_not_quiet(
    hours: tuple[int, int], quiet: tuple[int, int], days: set[str], quarters: int
) -> None:
    """15.3, over clock changes too: the first such quarter of an hour, found by looking at each."""
    limits = Limits(quiet_hours=_text(quiet))
    open_hours = OpenHours(ActiveHours(read_hours(_text(hours)), read_days(days)), limits, BERLIN)
    moment = NOW + 15 * MINUTE * quarters
    found = open_hours.first_from(moment)
    looked = (moment + 15 * MINUTE * step for step in range(4 * 24 * 8))
    expected = next((each for each in looked if open_hours.include(each)), None)
    if expected is None:
        assert found > moment + timedelta(days=7)
    else:
        assert found == expected
        assert open_hours.end(found) > found
        inside = (found + 15 * MINUTE * step for step in range(4 * 24 * 8))
        assert open_hours.end(found) == next(each for each in inside if not open_hours.include(each)) or (
            open_hours.include(open_hours.end(found))  # a stretch that goes on where another begins
        )
