"""The text of a recurrence rule, read strictly: the parts of RFC 5545 that 10.1 names, and no others.

The tools and the reminders file call it. What a rule means as times is `calendar_rule`'s.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import TypeVar

from heartbeat_core.reminders.recurrence_rule import WEEKDAYS, Frequency, Rule, RuleDay

LONGEST_RULE = 1_000
"""Characters that a rule's text may have (10.1)."""

MOST_TIMES = 10_000
"""The most that `COUNT` may say, or a count beside a rule (10.1)."""


@dataclass(frozen=True, slots=True)
class Problems:
    """Everything that is wrong with a rule's text.

    Each line goes on after `rrule: `, for a model to read: what is wrong and how to say it right, without
    a full stop.
    """

    lines: tuple[str, ...]


def parse_rule(text: str) -> Rule | Problems:
    """Read a rule, or say everything that is wrong with it (10.1)."""
    if len(text) > LONGEST_RULE:
        return Problems((f"has {len(text)} characters; at most {LONGEST_RULE} are taken",))
    plain = _upper("".join(text.split())).removeprefix("RRULE:").removesuffix(";")
    if "=" not in plain:
        return Problems((f"{_quoted(text)} is no recurrence rule; write one like {_EXAMPLE}",))
    parts = _Parts(plain)
    rule = _read(parts)
    return Problems(tuple(dict.fromkeys(parts.problems))) if parts.problems else rule


_EXAMPLE = "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR;BYHOUR=9"

_TAKEN = (
    *("FREQ", "INTERVAL", "COUNT", "UNTIL", "BYMONTH", "BYMONTHDAY", "BYDAY"),
    *("BYHOUR", "BYMINUTE", "BYSECOND", "BYSETPOS", "WKST"),
)
_START = "send the start as atIso, and its zone as timezone"
_NO_EXCEPTION = (
    "a rule takes no exceptions and no extra times; say what is left with BYDAY, BYMONTH or BYMONTHDAY, and "
    "send the start as atIso and its zone as timezone"
)
_INSTEAD = {
    "DTSTART": _START,
    "TZID": _START,
    "DTEND": "a reminder has no length; end the repeating with UNTIL or COUNT",
    "DURATION": "a reminder has no length; end the repeating with UNTIL or COUNT",
    "EXDATE": _NO_EXCEPTION,
    "EXRULE": _NO_EXCEPTION,
    "RDATE": _NO_EXCEPTION,
    "BYYEARDAY": "name the days with BYMONTH and BYMONTHDAY",
    "BYWEEKNO": "name the weeks with BYMONTH, or with FREQ=WEEKLY and INTERVAL",
    "BYEASTER": "Easter moves, and no rule can say it; set a reminder for each year with atIso",
}
_SHORTER = {"HOURLY": "everyHours", "MINUTELY": "everyMinutes", "SECONDLY": "everySeconds"}
_SHOWN = 60

_Value = TypeVar("_Value")


class _Parts:
    """The parts of a rule by name, and what is wrong with them as far as they were read."""

    def __init__(self, plain: str) -> None:
        self.problems: list[str] = []
        self._values: dict[str, str] = {}
        self._kept: list[str] = []
        strange = [name for part in plain.split(";") if (name := self._take(part)) is not None]
        if strange:
            named = _quoted(", ".join(dict.fromkeys(strange)))
            self.problems.append(
                f"{named} is not taken; a rule takes {', '.join(_TAKEN)}, each as NAME=value"
            )

    @property
    def kept_text(self) -> str:
        return ";".join(self._kept)

    def get(self, name: str) -> str | None:
        return self._values.get(name)

    def wrong(self, name: str, what: str) -> None:
        self.problems.append(f"{name}={_quoted(self._values[name])} is wrong; {what}")

    def _take(self, part: str) -> str | None:
        """Take one part in; gives the part where nothing is known of it."""
        name, equals, value = part.partition("=")
        instead = next((name for name in _INSTEAD if part.startswith(name)), None)
        if instead is not None:
            self.problems.append(f"{instead} is not taken; {_INSTEAD[instead]}")
        elif not part:
            self.problems.append("there is an empty part; write one ; between two parts")
        elif not equals or name not in _TAKEN:
            return name
        elif name in self._values:
            self.problems.append(f"{name} is there more than once; send it once")
        else:
            self._values[name] = value
            self._kept += [part] if name not in ("COUNT", "UNTIL") else []
        return None


def _read(parts: _Parts) -> Rule:
    """Read every part. What is wrong is told to `parts`, and the rule then means nothing."""
    rule = Rule(
        frequency=_frequency(parts),
        interval=_whole(parts, "INTERVAL", None) or 1,
        months=_numbers(parts, "BYMONTH", 1, 12),
        month_days=_numbers(parts, "BYMONTHDAY", 1, 31, signed=True),
        days=_days(parts),
        hours=_numbers(parts, "BYHOUR", 0, 23),
        minutes=_numbers(parts, "BYMINUTE", 0, 59),
        second=_second(parts),
        positions=_numbers(parts, "BYSETPOS", 1, 366, signed=True),
        week_start=_week_start(parts),
        count=_whole(parts, "COUNT", MOST_TIMES),
        until=_until(parts),
        text=parts.kept_text,
    )
    parts.problems += _contradictions(rule, parts)
    return rule


def _frequency(parts: _Parts) -> Frequency:
    value = parts.get("FREQ")
    takes = "FREQ=DAILY, FREQ=WEEKLY, FREQ=MONTHLY or FREQ=YEARLY"
    if value is None:
        parts.problems.append(f"FREQ is missing; add {takes}")
    elif value in _SHORTER:
        parts.wrong(
            "FREQ", f"no rule repeats more often than daily; send {_SHORTER[value]} in place of rrule"
        )
    elif value not in Frequency.__members__:
        parts.wrong("FREQ", f"write {takes}")
    else:
        return Frequency(value)
    return Frequency.DAILY


def _whole(parts: _Parts, name: str, most: int | None) -> int | None:
    value = parts.get(name)
    if value is None:
        return None
    number = int(value) if re.fullmatch("[0-9]+", value) else 0
    if number < 1 or (most is not None and number > most):
        bounds = "of 1 or more" if most is None else f"from 1 to {most}"
        parts.wrong(name, f"it takes one whole number {bounds}, like {name}=2")
    return number


def _numbers(parts: _Parts, name: str, least: int, most: int, *, signed: bool = False) -> tuple[int, ...]:
    """The numbers of a list; signed ones count from the end where they are negative."""
    number = re.compile(rf"[+-]?[0-9]{{1,{len(str(most))}}}" if signed else "[0-9]{1,2}")
    ends = f", or -{least} to -{most} from the end" if signed else ""
    what = f"{name} takes whole numbers from {least} to {most}{ends}, like {name}={least},{least + 1}"

    def read(value: str) -> int | None:
        return int(value) if number.fullmatch(value) and least <= abs(int(value)) <= most else None

    return tuple(sorted(_listed(parts, name, read, what)))


def _listed(parts: _Parts, name: str, read: Callable[[str], _Value | None], what: str) -> set[_Value]:
    """The values of a list with commas; those that cannot be read are named together."""
    sent = parts.get(name)
    if sent is None:
        return set()
    values = {value: read(value) for value in sent.split(",")}
    wrong = [value for value, number in values.items() if number is None]
    if wrong:
        parts.problems.append(f"{name} does not take {_quoted(', '.join(wrong))}; {what}")
    return {number for number in values.values() if number is not None}


def _days(parts: _Parts) -> tuple[RuleDay, ...]:
    what = (
        f"BYDAY takes {', '.join(WEEKDAYS)}, like BYDAY=MO,WE, each with a number from 1 to 53 or -1 to -53"
    )
    return tuple(
        sorted(_listed(parts, "BYDAY", _day, f"{what} before it where one of them is meant, like -1FR"))
    )


def _day(value: str) -> RuleDay | None:
    match = re.fullmatch(rf"([+-]?[0-9]{{1,2}})?({'|'.join(WEEKDAYS)})", value)
    if match is None:
        return None
    if match[1] is None:
        return RuleDay(WEEKDAYS.index(match[2]))
    nth = int(match[1])
    return RuleDay(WEEKDAYS.index(match[2]), nth) if 1 <= abs(nth) <= 53 else None


def _second(parts: _Parts) -> int | None:
    value = parts.get("BYSECOND")
    if value is None:
        return None
    if not re.fullmatch("[0-5]?[0-9]", value):
        parts.wrong("BYSECOND", "it takes one whole number from 0 to 59")
        return None
    return int(value)


def _week_start(parts: _Parts) -> int:
    value = parts.get("WKST")
    if value is None:
        return 0
    if value not in WEEKDAYS:
        parts.wrong("WKST", f"it takes one of {', '.join(WEEKDAYS)}: the day on which weeks begin")
        return 0
    return WEEKDAYS.index(value)


def _until(parts: _Parts) -> date | datetime | None:
    value = parts.get("UNTIL")
    if value is None:
        return None
    match = re.fullmatch(r"([0-9]{4})([0-9]{2})([0-9]{2})(?:T([0-9]{2})([0-9]{2})([0-9]{2})(Z?))?", value)
    try:
        if match is not None and match[4] is None:
            return date(*map(int, match.groups()[:3]))
        if match is not None:
            year, month, day, hour, minute, second = map(int, match.groups()[:6])
            return datetime(year, month, day, hour, minute, second, tzinfo=UTC if match[7] else None)
        what = "it takes"
    except ValueError:
        what = "there is no such day or time; it takes"
    parts.wrong("UNTIL", f"{what} 20261224, 20261224T090000, or 20261224T090000Z in UTC")
    return None


def _contradictions(rule: Rule, parts: _Parts) -> Iterable[str]:
    """What RFC 5545 forbids of parts that are each right; a frequency that was not read forbids nothing."""
    frequency = parts.get("FREQ")
    if parts.get("COUNT") is not None and parts.get("UNTIL") is not None:
        yield "COUNT and UNTIL contradict each other; send one of them"
    if frequency == "WEEKLY" and parts.get("BYMONTHDAY") is not None:
        yield "BYMONTHDAY does not go with FREQ=WEEKLY; use it with FREQ=MONTHLY, or BYDAY in its place"
    if frequency in ("DAILY", "WEEKLY") and any(day.nth for day in rule.days):
        yield f"BYDAY takes no numbers with FREQ={frequency}; use FREQ=MONTHLY, or leave the numbers out"
    others = [name for name in _TAKEN if name.startswith("BY") and name != "BYSETPOS"]
    if parts.get("BYSETPOS") is not None and all(parts.get(name) is None for name in others):
        yield "BYSETPOS chooses from what another BY part gives; send one with it, like BYDAY=MO,TU,WE,TH,FR"


def _upper(text: str) -> str:
    """Upper case of what rules are written in; other alphabets have letters that would become these."""
    return "".join(char.upper() if char.isascii() else char for char in text)


def _quoted(text: str) -> str:
    """What was sent, in quotes, on one line and cut where it is long."""
    shown = "".join(char if char.isprintable() else f"\\u{ord(char):04x}" for char in text[:_SHOWN])
    return f'"{shown}…"' if len(text) > _SHOWN else f'"{shown}"'
