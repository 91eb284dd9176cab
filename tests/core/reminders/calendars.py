"""Calendar rules from text, and their times as people write them: on the wall clock of the zone."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import islice
from zoneinfo import ZoneInfo

from heartbeat_core.reminders.calendar_rule import CalendarRule, end_of
from heartbeat_core.reminders.recurrence_rule import Rule
from heartbeat_core.reminders.rrule_text import parse_rule
from heartbeat_core.times.moments import AgentZone

NEW_YORK = "America/New_York"
JUST_BEFORE = timedelta(milliseconds=1)


def rule_of(text: str) -> Rule:
    rule = parse_rule(text)
    assert isinstance(rule, Rule), rule
    return rule


def zone_of(name: str) -> AgentZone:
    return AgentZone(name, ZoneInfo(name))


def calendar(text: str, start: str, zone: str = NEW_YORK) -> CalendarRule:
    """A rule that starts at a local time, such as `1997-09-02T09:00`; the first, where it occurs twice."""
    local = datetime.fromisoformat(start).replace(tzinfo=ZoneInfo(zone))
    return CalendarRule(rule_of(text), zone_of(zone), local.astimezone(UTC))


def times_of(rule: CalendarRule, at_most: int = 10_000) -> list[datetime]:
    """Its times from the start on, up to its `COUNT` or `UNTIL`, or `at_most` of them."""
    every = rule.times_after(rule.start - JUST_BEFORE)
    first = next(every, None)
    last = None if first is None else _last(rule, first)
    times = [] if first is None else [first, *islice(every, at_most - 1)]
    return [at for at in times if last is None or at <= last]


def _last(rule: CalendarRule, first: datetime) -> datetime | None:
    if rule.rule.count is not None:
        return rule.last_of_count(rule.rule.count, first)
    if rule.rule.until is not None:
        return rule.last_until(end_of(rule.rule.until, rule.zone))
    return None


def shown(rule: CalendarRule, times: list[datetime]) -> list[str]:
    """Times as the wall clock shows them, with the offset: `2026-03-08T03:30-04:00`."""
    return [at.astimezone(rule.zone.tzinfo).isoformat(timespec="minutes") for at in times]
