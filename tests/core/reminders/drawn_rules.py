"""Rules of every kind that 10.1 takes, drawn by hypothesis, and how dateutil has to be asked for the same.

Where dateutil differs from RFC 5545 or from 10.2, it is led around it, one by one:

- `BYHOUR` without `BYMINUTE` takes the minute from the start: all times of day are written out.
- A weekly `BYSETPOS` counts its first week from the start's day: a weekly rule starts with that week.
- `BYDAY=MO,2TU` means the days that are both: no rule has weekdays with and without a number.
- `BYDAY=6MO` is an IndexError for a month at the end of the year: in a month, no number is above 5.
- The last week of the year 9999 is a ValueError where it has days of the year 10000: that is the end.
- In a zone it gives times that a clock change skips: it is asked for local times without one.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta

from dateutil.rrule import rrulestr
from hypothesis import strategies as st

WEEKDAYS = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")


@dataclass(frozen=True)
class DrawnRule:
    """A rule's parts, and its start on the wall clock, in whole seconds."""

    parts: dict[str, str]
    start: datetime

    @property
    def text(self) -> str:
        return _text(self.parts)

    def __repr__(self) -> str:
        return f"{self.text} from {self.start}"


def by_dateutil(drawn: DrawnRule) -> Iterator[datetime]:
    """The rule's local times to the year 9999, from the midnight before its start, or before its week."""
    text, midnight = written_out(drawn)
    with suppress(ValueError):
        yield from rrulestr(text, dtstart=midnight)


def written_out(drawn: DrawnRule) -> tuple[str, datetime]:
    """The rule with its times of day written out, and a midnight to start it from."""
    parts, start = {**_times_of_day(drawn), **drawn.parts}, drawn.start
    if parts["FREQ"] == "WEEKLY":
        if "BYDAY" not in parts:
            parts["BYDAY"] = WEEKDAYS[start.weekday()]
        start -= timedelta(days=(start.weekday() - WEEKDAYS.index(parts.get("WKST", "MO"))) % 7)
    return _text(parts), start.replace(hour=0, minute=0, second=0)


def _times_of_day(drawn: DrawnRule) -> dict[str, str]:
    hour, minute = "BYHOUR" in drawn.parts, "BYMINUTE" in drawn.parts
    return {
        "BYHOUR": str(drawn.start.hour),
        "BYMINUTE": "0" if hour else str(drawn.start.minute),
        "BYSECOND": "0" if hour or minute else str(drawn.start.second),
    }


def _text(parts: dict[str, str]) -> str:
    return ";".join(f"{name}={value}" for name, value in parts.items())


def _list(values: st.SearchStrategy[object], most: int) -> st.SearchStrategy[str]:
    return st.lists(values, min_size=1, max_size=most, unique=True).map(
        lambda chosen: ",".join(map(str, chosen))
    )


def _signed(most: int) -> st.SearchStrategy[int]:
    return st.integers(1, most) | st.integers(-most, -1)


_PLAIN_DAYS = _list(st.sampled_from(WEEKDAYS), 7)


def _numbered_days(most: int) -> st.SearchStrategy[str]:
    return _list(st.tuples(_signed(most), st.sampled_from(WEEKDAYS)).map(lambda day: f"{day[0]}{day[1]}"), 4)


_DAYS = {
    "DAILY": _PLAIN_DAYS,
    "WEEKLY": _PLAIN_DAYS,
    "MONTHLY": _PLAIN_DAYS | _numbered_days(5),
    "YEARLY": _PLAIN_DAYS | _numbered_days(5),
}
_MONTH_DAYS = _list(_signed(31), 4) | st.sampled_from(["29", "30", "31", "-31", "1,2,3,4,5,6,7", "13"])
_POSITIONS = _list(_signed(6), 3) | st.sampled_from(["-1", "53", "-53", "366", "100,-100"])


@st.composite
def drawn_rules(draw: st.DrawFn, starts: st.SearchStrategy[datetime]) -> DrawnRule:
    """A rule that our reader takes; it need not have any time."""
    frequency = draw(st.sampled_from(sorted(_DAYS)))
    lists = {
        "INTERVAL": st.integers(1, 5).map(str) | st.integers(1, 60).map(str),
        "BYMONTH": _list(st.integers(1, 12), 4),
        "BYMONTHDAY": _MONTH_DAYS,
        "BYDAY": _DAYS[frequency],
        "BYHOUR": _list(st.integers(0, 23), 4),
        "BYMINUTE": _list(st.integers(0, 59), 3),
        "BYSECOND": st.integers(0, 59).map(str),
        "BYSETPOS": _POSITIONS,
        "WKST": st.sampled_from(WEEKDAYS),
    }
    if frequency == "WEEKLY":
        del lists["BYMONTHDAY"]
    names = draw(st.sets(st.sampled_from(sorted(lists)), max_size=6))
    if not any(name.startswith("BY") and name != "BYSETPOS" for name in names):
        names.discard("BYSETPOS")
    if frequency == "YEARLY" and "BYMONTH" not in names:
        lists["BYDAY"] |= _numbered_days(53)
    parts = {"FREQ": frequency, **{name: draw(lists[name]) for name in sorted(names)}}
    return DrawnRule(parts, draw(starts).replace(microsecond=0, tzinfo=None, fold=0))
