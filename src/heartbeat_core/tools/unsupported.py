"""Names that ask for a time in a way that no argument can say, and what to use for each (6.9).

An agent whose `days` is ignored is woken at the wrong time. Names are letters in lower case; `names` finds
how else they are written, with and without an `s` too.
"""

from __future__ import annotations


def _for_all(names: str, advice: str) -> dict[str, str]:
    return dict.fromkeys(names.split(), advice)


def _for_units(prefixes: str, use: str, calendar: str) -> dict[str, str]:
    """For days and weeks, how many hours; for months and years, which have no fixed length, `calendar`."""
    words = {
        **_for_all("days", f"use {use}, 24 for each day"),
        **_for_all("weeks", f"use {use}, 168 for each week"),
        **_for_all("months years", calendar),
    }
    return {prefix + unit: words[unit] for prefix in prefixes.split(",") for unit in words}


_RULE = "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR;BYHOUR=9"
_ON_DAYS = f"for certain days use rrule, as in {_RULE}"
_DATE = "use atIso for a date, since months and years vary in length"
_CUE = "use rrule, as in FREQ=MONTHLY;BYMONTHDAY=1;BYHOUR=9 or FREQ=YEARLY;BYMONTH=5;BYMONTHDAY=1;BYHOUR=9"

IN_REMINDERS = {
    **_for_units(",in", "inHours", _DATE),
    **_for_units("every,interval", "everyHours", _CUE),
    **_for_all("days", f"use inHours or everyHours, 24 for each day, or atIso for a date; {_ON_DAYS}"),
    **_for_all("weeks", f"use inHours or everyHours, 168 for each week, or atIso for a date; {_ON_DAYS}"),
    **_for_all("months years", f"{_DATE}; to recur, {_CUE}"),
    **_for_all("cron repeat", f"use rrule, as in {_RULE}, or everyHours for an interval"),
    **_for_all("tz", "use timezone, with an IANA name such as Europe/Berlin"),
    **_for_all("end", "use until, with a date or time in ISO 8601, or count"),
    **_for_all(
        "times",
        "use count for how often in all; for several times of day an rrule, as in FREQ=DAILY;BYHOUR=9,17",
    ),
    **_for_all(
        "at when date time start",
        "use atIso with a full date, as in 2026-10-10T08:00, or a delay (inSeconds, inMinutes, inHours)",
    ),
}
"""For `reminder_add` and `reminder_update`."""

_LONG = "use intervalHours, about 730 for a month and 8766 for a year"
_ONCE = "use nextInHours or nextAtIso for the next heartbeat, or reminder_add for a wake about one thing"

_HOURS = "use activeHours for when heartbeats may come, as in 08:00-22:00, and activeDays for the days"

IN_CONFIGURE = {
    **_for_units(",every,interval", "intervalHours", _LONG),
    **_for_units("next,nextin", "nextInHours", "use nextAtIso with a date"),
    **_for_all("quiethours workinghours weekdays", _HOURS),
    **_for_all("day days", f"use intervalHours, 24 for each day; {_HOURS}"),
    **dict.fromkeys(_for_units("in", "", ""), _ONCE),
    **_for_all(
        "cron rrule repeat",
        "use intervalSeconds, intervalMinutes or intervalHours; for set times of day use reminder_add, with "
        f"an rrule such as {_RULE}",
    ),
    **_for_all(
        "timezone tz",
        "leave it out, since an interval is the same in every time zone, and active hours are in your own; "
        "for a wake at a time of day in another zone use reminder_add, with rrule and timezone",
    ),
    **_for_all(
        "until end count times",
        "for no heartbeat until a certain time use nextAtIso; it goes on until paused is true, and a pause "
        "until paused is false; use reminder_add to be told when to send it",
    ),
    **_for_all(
        "at when date time start",
        "use nextAtIso for the next heartbeat, or reminder_add with atIso for a wake about one thing",
    ),
}
