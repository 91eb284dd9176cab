"""What the next time of a calendar rule costs, new and after twenty years, beside a plain `rrule.after`.

The floor is dateutil's own rule, made once and asked on the wall clock, without a zone. It walks from the
start, so it costs its age. A mean of some calls is one measurement.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from functools import partial
from zoneinfo import ZoneInfo

from dateutil.rrule import rrulestr

from heartbeat_core.reminders.calendar_rule import CalendarRule
from heartbeat_core.reminders.recurrence_rule import Rule
from heartbeat_core.reminders.rrule_text import parse_rule
from heartbeat_core.times.moments import AgentZone
from measuring.plan import Plan
from measuring.row import Row, over
from measuring.samples import Samples
from measuring.stopwatch import timed

_ZONE = AgentZone("America/New_York", ZoneInfo("America/New_York"))
_START = datetime(2026, 12, 1, 14, tzinfo=UTC)
_HOUR = timedelta(hours=1)
_NEW = "new"
_AGES = {_NEW: timedelta(0), "20 years old": timedelta(days=7_305)}
_AGE_ALLOWED = 1.5
_RULES = {
    "weekdays at nine": "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR;BYHOUR=9;BYMINUTE=0;BYSECOND=0",
    "last weekday of the month": (
        "FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1;BYHOUR=9;BYMINUTE=0;BYSECOND=0"
    ),
    "29 February": "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29;BYHOUR=9;BYMINUTE=0;BYSECOND=0",
}


def rows(plan: Plan) -> Iterator[Row]:
    """One row for each rule and age; the bar is that age costs nothing."""
    for name, text in _RULES.items():
        taken, floors = _measured(text, runs=plan.pick(100, 10), calls=plan.pick(10, 2))
        for age, ours in taken.items():
            aged = over(ours, taken[_NEW])
            is_new = age == _NEW
            yield Row(
                "next time",
                f"next time of a rule: {name}, {age}",
                "µs",
                ours,
                floors[age],
                ratio=over(ours, floors[age]) if is_new else aged,
                bar="-" if is_new else f"≤ {_AGE_ALLOWED:g}× new",
                met=None if is_new else aged <= _AGE_ALLOWED,
            )


def _measured(text: str, runs: int, calls: int) -> tuple[dict[str, Samples], dict[str, Samples]]:
    """The rule and the floor by age. New and old take turns, before a floor that has walked for years."""
    rule = parse_rule(text)
    assert isinstance(rule, Rule)
    ours = CalendarRule(rule, _ZONE, _START).first_after
    floor = rrulestr(text, dtstart=_START.replace(tzinfo=None)).after
    taken, floors = ({age: Samples() for age in _AGES} for _ in range(2))
    for run in range(runs):
        moments = {age: _START + years + run * _HOUR for age, years in _AGES.items()}
        for age, moment in moments.items():
            taken[age].add(_mean(partial(ours, moment), calls))
        for age, moment in moments.items():
            floors[age].add(_mean(partial(floor, moment.replace(tzinfo=None)), calls))
    return taken, floors


def _mean(step: Callable[[], object], calls: int) -> float:
    """Microseconds for one of many calls."""
    return timed(lambda: [step() for _ in range(calls)]) / calls * 1e6
