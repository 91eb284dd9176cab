"""Names that ask for a time in a way that no argument can say, and what to use for each (6.9).

Lives here: the words and the advice. To ignore such a name would wake the agent at the wrong time.
"""

from __future__ import annotations

_LONG_UNITS = ("day", "days", "week", "weeks", "month", "months", "year", "years")


def _with_prefixes(advice: str) -> dict[str, str]:
    """The advice for a unit that is not taken, by itself and after `in`, `every` and `interval`."""
    return {prefix + unit: advice for prefix in ("", "in", "every", "interval") for unit in _LONG_UNITS}


def _for_all(names: str, advice: str) -> dict[str, str]:
    return dict.fromkeys(names.split(), advice)


IN_REMINDER_ADD = {
    **_with_prefixes(
        "use inHours or everyHours, a day being 24 and a week 168, or atIso for a date; calendar months and "
        "years cannot recur"
    ),
    **_for_all(
        "cron rrule repeat", "use everyHours, everyMinutes or everySeconds, and atIso for the first time"
    ),
    **_for_all("timezone tz", "write the UTC offset into atIso, as in 2026-10-10T08:00:00-07:00"),
    **_for_all("until end count times", "a recurring reminder repeats until reminder_cancel"),
    **_for_all(
        "at when date time start", "use atIso for a time, or inHours, inMinutes or inSeconds for a delay"
    ),
}

IN_CONFIGURE = {
    **_with_prefixes("use intervalHours, a day being 24 and a week 168"),
    **_for_all(
        "cron rrule repeat",
        "use intervalHours, intervalMinutes or intervalSeconds; for set times, reminder_add",
    ),
    **_for_all("timezone tz", "the heartbeat counts an interval, which is the same in every zone"),
    **_for_all(
        "until end count times",
        "the heartbeat goes on until paused is true; a reminder_add can tell you when",
    ),
    **_for_all("at when date time start", "for a wake at a certain time use reminder_add with atIso"),
}
