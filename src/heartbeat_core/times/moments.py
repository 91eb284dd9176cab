"""Times as the agent reads and writes them, and the arithmetic between two of them.

A moment is an aware datetime in UTC.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from datetime import tzinfo as TzInfo
from functools import lru_cache

from dateutil.parser import isoparser
from dateutil.tz import resolve_imaginary

from heartbeat_core.times.lengths import MILLISECOND

LAST_MOMENT = datetime(9999, 12, 31, 23, 59, 59, 999_000, tzinfo=UTC)
"""The last whole millisecond that there is."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MINUTE = timedelta(minutes=1)


@dataclass(frozen=True, slots=True, eq=False)
class AgentZone:
    """The zone in which the agent reads times: its IANA name, and the rules that go with it.

    The name is empty where only the rules are known, as of a copied `/etc/localtime` (1.2). Zones of one
    name are equal, wherever their rules were read: a file keeps the name alone (10.8).
    """

    name: str
    tzinfo: TzInfo

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, AgentZone):
            return NotImplemented
        return self.name == other.name and (bool(self.name) or self.tzinfo == other.tzinfo)

    def __hash__(self) -> int:
        return hash(self.name)

    @property
    def title(self) -> str:
        """What people are told that it is."""
        return self.name or "the system's zone, which has no name here"


ZoneFinder = Callable[[str], AgentZone | None]
"""Gives the zone of an IANA name, case ignored, with the name as IANA spells it; None for an unknown one."""


def no_zone(name: str) -> None:
    """A `ZoneFinder` that knows none."""


class NotATime(ValueError):
    """What was sent is not a time that `atIso` or `nextAtIso` takes.

    Its message goes on from the name of the argument (`atIso <message>`), for a model to read: what
    is wrong and what is allowed, in one line, without a full stop.
    """


def show(moment: datetime, zone: AgentZone) -> str:
    """Give a moment as the agent reads it, cut to whole seconds (5.1).

    Looks like `2026-10-10T08:02:36-07:00 [America/Los_Angeles]`, and `… [-07:00]` in a zone without a
    name. Never raises: what the zone cannot express (`is_expressible`) is shown with the offset `+00:00`.
    """
    offset, ahead = _whole_minutes(_offset(moment, zone))
    local = moment.replace(tzinfo=None) + offset
    return f"{local.isoformat(timespec='seconds')}{ahead} [{zone.name or ahead}]"


def is_expressible(moment: datetime, zone: AgentZone) -> bool:
    """Whether the moment lies in the years 1 to 9999 in the agent zone (6.8). Never raises."""
    try:
        moment.astimezone(zone.tzinfo)
    except (OverflowError, ValueError):
        return False
    return True


def to_utc_text(moment: datetime) -> str:
    """Give a moment as the wire carries it (4.10): `2026-10-10T15:02:36.123Z`, cut to milliseconds."""
    return f"{moment.replace(tzinfo=None).isoformat(timespec='milliseconds')}Z"


def to_epoch_ms(moment: datetime) -> int:
    """Give the whole milliseconds from 1970-01-01T00:00Z to the moment, rounded down (8.1)."""
    return (moment - _EPOCH) // MILLISECOND


def from_epoch_ms(ms: int | float) -> datetime:
    """Give the moment that many milliseconds after 1970-01-01T00:00Z, fractions rounded down (8.1).

    Raises OverflowError for what the years 1 to 9999 in UTC do not hold, infinity and NaN included.
    """
    if not math.isfinite(ms):
        raise OverflowError("not a finite number of milliseconds")
    return _EPOCH + timedelta(milliseconds=math.floor(ms))


def to_whole_ms(moment: datetime) -> datetime:
    """Cut a moment to the millisecond (5.3)."""
    return moment.replace(microsecond=moment.microsecond // 1000 * 1000)


def first_after(start: datetime, step: timedelta, now: datetime) -> datetime:
    """Give the first of `start`, `start + step`, `start + 2 * step`, … that is after `now` (7.2).

    `step` is more than nothing. Where that would be later than the year 9999, it is `LAST_MOMENT`.
    """
    steps = max(0, (now - start) // step + 1)
    try:
        return start + steps * step
    except OverflowError:
        return LAST_MOMENT


def one_length_after(now: datetime, length: timedelta) -> datetime:
    """Give the moment one length from now, in whole milliseconds; at most `LAST_MOMENT`."""
    return to_whole_ms(now) + length if length <= LAST_MOMENT - now else LAST_MOMENT


def parse_local(text: str, zone: AgentZone) -> datetime:
    """Read an ISO 8601 date, or date and time, as 6.5 has it; gives a moment in whole milliseconds.

    Full dates are calendar dates, week dates and ordinal dates. Date and time are both in the extended
    form (`2026-10-10T08:02`) or both in the basic one (`20261010T0802`); an offset may be in either.
    Raises NotATime.
    """
    match = _EXTENDED.fullmatch(text) or _BASIC.fullmatch(text)
    if match is None:
        raise NotATime(_WRONG_SHAPE)
    try:
        moment = _moment(match, zone)
    except OverflowError:
        raise NotATime(_out_of_range(zone)) from None
    if not is_expressible(moment, zone):
        raise NotATime(_out_of_range(zone))
    return moment


def parse_end(text: str, zone: AgentZone) -> datetime:
    """As `parse_local`, for an end: a date alone is its last millisecond (10.4)."""
    moment = parse_local(text, zone)
    if "T" in text or " " in text:
        return moment
    day = _day(text)
    if day == date.max:
        return LAST_MOMENT
    return instant_of(datetime.combine(day + timedelta(days=1), datetime.min.time()), zone) - MILLISECOND


def has_offset(text: str) -> bool:
    """Whether a text that `parse_local` reads names its offset, so that no zone has a say."""
    match = _EXTENDED.fullmatch(text) or _BASIC.fullmatch(text)
    return match is not None and bool(match["offset"])


def instant_of(local: datetime, zone: AgentZone) -> datetime:
    """Give the instant of a local time without a zone (6.5): aware UTC.

    One that a clock change skips is moved forward by the gap; one that occurs twice is the first. Raises
    OverflowError outside the years 1 to 9999.
    """
    # By their fold, times that occur twice are the first one already. Not every kind of zone moves a
    # time that is skipped forward: those built from a rule (`EST5EDT,M3.2.0,M11.1.0`) move it back.
    return resolve_imaginary(local.replace(tzinfo=zone.tzinfo)).astimezone(UTC)


def _offset(moment: datetime, zone: AgentZone) -> timedelta:
    try:
        local = moment.astimezone(zone.tzinfo)
    except (OverflowError, ValueError):
        return timedelta()
    return local.replace(tzinfo=None) - moment.replace(tzinfo=None)


@lru_cache
def _whole_minutes(offset: timedelta) -> tuple[timedelta, str]:
    """Cut an offset towards zero; gives it with how it is written.

    Before there was standard time, offsets had seconds, which ISO 8601 cannot write. A local time by
    the cut offset lies between UTC and the real one, so it is in the years 1 to 9999 where both are.
    """
    minutes = int(offset / _MINUTE)
    hours, rest = divmod(abs(minutes), 60)
    return minutes * _MINUTE, f"{'-' if minutes < 0 else '+'}{hours:02}:{rest:02}"


def _shape(dash: str, colon: str) -> re.Pattern[str]:
    # dateutil takes any separator, years alone and spaces around; so the shape is settled before it.
    return re.compile(
        rf"(?P<date>\d{{4}}{dash}(?:\d\d{dash}\d\d|W\d\d{dash}\d|\d{{3}}))"
        rf"(?:[T ](?P<hour>\d\d)(?:{colon}(?P<minute>\d\d)(?:{colon}(?P<second>\d\d)"
        r"(?:[.,](?P<fraction>\d+))?)?)?"
        r"(?P<offset>Z|(?P<sign>[+-])(?P<ahead_hours>\d\d)(?::?(?P<ahead_minutes>\d\d))?)?)?",
        re.ASCII,
    )


_EXTENDED = _shape("-", ":")
_BASIC = _shape("", "")

_WRONG_SHAPE = (
    "is not an ISO 8601 date or date and time; write a full date, alone or with a time after T or one "
    "space, like 2026-10-10, 2026-10-10T08:30, 2026-10-10T08:30:00Z or 2026-10-10T08:30:00-07:00"
)
_WRONG_TIME = (
    "has a time of day that does not exist; hours go from 00 to 23, minutes and seconds from 00 to 59, "
    "and 24:00 is the end of the day"
)
_WRONG_OFFSET = "has a UTC offset that does not exist; it goes from -23:59 to +23:59, in hours and minutes"


def _out_of_range(zone: AgentZone) -> str:
    return f"is out of range; it must lie in the years 1 to 9999, in UTC and in {zone.name or 'your zone'}"


def _moment(match: re.Match[str], zone: AgentZone) -> datetime:
    """Raises OverflowError outside the years 1 to 9999, NotATime for what does not exist."""
    midnight = datetime.combine(_day(match["date"]), datetime.min.time())
    since_midnight = _time_of_day(match)
    if match["offset"]:
        # In one sum, since 9999-12-31T24:00+14:00 is in range and 9999-12-31T24:00 is not.
        return midnight.replace(tzinfo=UTC) + (since_midnight - _written_offset(match))
    return instant_of(midnight + since_midnight, zone)


def _day(text: str) -> date:
    if text.startswith("0000"):
        raise OverflowError("there is no year 0")
    try:
        # The standard library reads no ordinal dates, see decision 14.
        day = isoparser().parse_isodate(text)
    except ValueError:
        raise NotATime(f"has a day that does not exist: {text}") from None
    # dateutil lets week 53 of a year that has only 52 run on into the next year.
    if "W" in text and day.isocalendar().year != int(text[:4]):
        raise NotATime(f"has a day that does not exist: {text}")
    return day


def _time_of_day(match: re.Match[str]) -> timedelta:
    hour, minute, second = (int(match[part] or 0) for part in ("hour", "minute", "second"))
    fraction = match["fraction"] or ""
    past_the_hour = minute or second or fraction.strip("0")
    if hour > 24 or (hour == 24 and past_the_hour) or minute > 59 or second > 59:
        raise NotATime(_WRONG_TIME)
    milliseconds = int(fraction[:3].ljust(3, "0"))
    return timedelta(hours=hour, minutes=minute, seconds=second, milliseconds=milliseconds)


def _written_offset(match: re.Match[str]) -> timedelta:
    hours, minutes = int(match["ahead_hours"] or 0), int(match["ahead_minutes"] or 0)
    if hours > 23 or minutes > 59:
        raise NotATime(_WRONG_OFFSET)
    ahead = timedelta(hours=hours, minutes=minutes)
    return -ahead if match["sign"] == "-" else ahead
