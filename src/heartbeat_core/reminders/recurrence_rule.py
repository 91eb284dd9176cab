"""A recurrence rule as a value: what its parts say, without a start and without a zone (10.1).

`rrule_text` makes them from text, and `calendar_rule` times from them.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import date, datetime
from enum import Enum
from typing import NamedTuple

WEEKDAYS = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")
"""The days of the week as RFC 5545 writes them; a weekday is its place in here."""


class Frequency(Enum):
    """How long the periods of a rule are."""

    DAILY = "DAILY"
    WEEKLY = "WEEKLY"
    MONTHLY = "MONTHLY"
    YEARLY = "YEARLY"


class RuleDay(NamedTuple):
    """One value of `BYDAY`: a weekday, and which one of its month or year; 0 for each of them."""

    weekday: int
    nth: int = 0


@dataclass(frozen=True, slots=True)
class Rule:
    """What a rule says. Lists are in order and without repetitions; an empty one was not sent.

    `text` is the rule as it is kept and shown (10.6, 10.8): upper case, without blanks, `RRULE:`, `COUNT`
    and `UNTIL`. Rules that say the same are equal, however they are written.
    """

    frequency: Frequency
    interval: int = 1
    months: tuple[int, ...] = ()
    month_days: tuple[int, ...] = ()
    days: tuple[RuleDay, ...] = ()
    hours: tuple[int, ...] = ()
    minutes: tuple[int, ...] = ()
    second: int | None = None
    positions: tuple[int, ...] = ()
    week_start: int = 0
    count: int | None = None
    until: date | datetime | None = None
    """A day, a local time without a zone, or a moment in UTC."""
    text: str = field(default="", compare=False)

    def without_end(self) -> Rule:
        """The rule without `COUNT` and `UNTIL`, as it is kept (10.8)."""
        return replace(self, count=None, until=None)


def needs_time_of_day(rule: Rule) -> bool:
    """Whether the rule leaves the hour open, so that a delay or `atIso` has to give it (10.2)."""
    return not rule.hours
