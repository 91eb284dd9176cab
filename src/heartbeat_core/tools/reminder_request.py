"""From the arguments of reminder_add and reminder_update to what they ask, or to what is wrong with it."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace
from datetime import datetime, timedelta
from typing import assert_never

from heartbeat_core.reminders.asked import Asked, Impossible, changed, new_reminder
from heartbeat_core.reminders.calendar_rule import end_of
from heartbeat_core.reminders.recurrence import Calendar, Interval, Recurrence
from heartbeat_core.reminders.recurrence_rule import Rule
from heartbeat_core.reminders.reminder import SHORTEST_RECURRENCE, Reminder
from heartbeat_core.reminders.rrule_text import MOST_TIMES, Problems, parse_rule
from heartbeat_core.service import Heartbeat
from heartbeat_core.times.lengths import MILLISECOND
from heartbeat_core.times.moments import (
    AgentZone,
    has_offset,
    is_expressible,
    parse_end,
    parse_local,
    show,
)
from heartbeat_core.tools.limited import too_close
from heartbeat_core.tools.reminder_arguments import AddArguments, UpdateArguments
from heartbeat_core.tools.shown import shown_value
from heartbeat_core.tools.units import AddedUp, whole
from heartbeat_core.tools.when import show_now, time_problems

_DELAY = AddedUp("in", "a delay", MILLISECOND, "more than 0 s", "for no delay leave it out")
_EVERY = AddedUp(
    "every", "a recurrence", SHORTEST_RECURRENCE, "5 s or more", "for a reminder that comes once leave it out"
)
_SUCH = "such as Europe/Berlin"
_EXPIRY = AddedUp("expiresAfter", "an expiry", MILLISECOND, "more than 0 s", "for none leave it out")


class ReminderRequest:
    """What one call asks, with `sent` the names of its arguments, fillers left out.

    `reminder` is the one to be changed, None for a new one. A problem is one line for the model to read.
    Arguments that are wrong by themselves are None, and judged elsewhere.
    """

    def __init__(
        self,
        heartbeat: Heartbeat,
        arguments: AddArguments | UpdateArguments,
        sent: Collection[str],
        reminder: Reminder | None = None,
    ) -> None:
        self._heartbeat = heartbeat
        self._arguments = arguments
        self._sent = sent
        self._reminder = reminder
        self._now = heartbeat.now
        self._rule = None if arguments.rrule is None else parse_rule(arguments.rrule)
        self._sent_zone = None if arguments.timezone is None else heartbeat.find_zone(arguments.timezone)

    # What it asks, once it is known to be right

    @property
    def asked(self) -> Asked:
        """What the call asks; only for a call without `problems`."""
        return Asked(
            message=self._arguments.message,
            first=self._first,
            recurrence=self._recurrence,
            count=self._count,
            until=self._until,
            expires_after=_EXPIRY.length(self._arguments),
        )

    @property
    def _first(self) -> timedelta | datetime | None:
        if self._arguments.atIso is None:
            return _DELAY.length(self._arguments)
        return parse_local(self._arguments.atIso, self._zone_of_times)

    @property
    def _recurrence(self) -> Recurrence | None:
        if isinstance(self._rule, Rule):
            return Calendar(self._rule.without_end(), self._zone_of_rule)
        every = _EVERY.length(self._arguments)
        return None if every is None else Interval(every)

    @property
    def _count(self) -> int | None:
        return (
            self._rule.count if isinstance(self._rule, Rule) and self._rule.count else self._arguments.count
        )

    @property
    def _until(self) -> datetime | None:
        if isinstance(self._rule, Rule) and self._rule.until is not None:
            return end_of(self._rule.until, self._zone_of_rule)
        until = self._arguments.until
        return None if until is None else parse_end(until, self._zone_of_end)

    @property
    def says_when(self) -> bool:
        """Whether it says when the reminder comes first, or how often."""
        lengths = (_DELAY, _EVERY)
        return (
            "atIso" in self._sent or "rrule" in self._sent or any(each.names(self._sent) for each in lengths)
        )

    # In which zone its local times are

    @property
    def _calendar(self) -> Calendar | None:
        """The calendar of the reminder to be changed."""
        kept = None if self._reminder is None else self._reminder.recurrence
        return kept if isinstance(kept, Calendar) else None

    @property
    def _zone_of_rule(self) -> AgentZone:
        """The zone of a rule that was sent (10.2, 11.2)."""
        kept = self._calendar.zone if self._calendar else self._heartbeat.zone
        return self._sent_zone or kept

    @property
    def _zone_of_times(self) -> AgentZone:
        """The zone of an `atIso` without an offset."""
        return self._zone_of_rule if "rrule" in self._sent else self._sent_zone or self._heartbeat.zone

    @property
    def _zone_of_end(self) -> AgentZone:
        """The zone of an `until` without an offset: that of the rule that it ends (10.4)."""
        if self._calendar is None or _EVERY.names(self._sent) or "rrule" in self._sent:
            return self._zone_of_times
        return self._calendar.zone

    @property
    def _needs_zone(self) -> bool:
        """Whether a `timezone` that was sent has a part in what the call asks."""
        at, until = self._arguments.atIso, self._arguments.until
        local_end = until is not None and not has_offset(until) and self._zone_of_end is self._sent_zone
        return "rrule" in self._sent or (at is not None and not has_offset(at)) or local_end

    # What is wrong with it, and what else is to be said

    def problems(self) -> list[str]:
        """Everything that is wrong with what was sent, taken together."""
        return self.problems_of_any() or list(self._impossible())

    def problems_of_any(self) -> list[str]:
        """What is wrong with it whatever the reminder is that it is about."""
        found = [*self._length_problems(), *self._zone_problems(), *self._rule_problems()]
        return [*found, *self._time_problems(), *self._end_problems()]

    def notes(self) -> list[str]:
        """What the reply has to say of a call that is done."""
        notes = []
        first = self._first
        if isinstance(first, datetime) and first < self._now:
            past = f"that time is past, since it is now {show_now(self._heartbeat)}"
            rule = "rrule" in self._sent
            notes.append(
                f"{past}, so {'it gives only the phase of the rule' if rule else 'it is due at once'}"
            )
        if "timezone" in self._sent and not self._needs_zone:
            notes.append("timezone was ignored, since nothing else that was sent needs it")
        return notes

    def _length_problems(self) -> Iterator[str]:
        for length in (_DELAY, _EVERY, _EXPIRY):
            sent = {name: whole(getattr(self._arguments, name)) for name in length.names(self._sent)}
            yield from length.problems(self._arguments, sent, self._now, self._heartbeat.zone)
        apart = _EVERY.sum(self._arguments, self._sent)
        if apart is not None and apart >= SHORTEST_RECURRENCE and self._recurs_otherwise(Interval(apart)):
            yield from too_close(self._heartbeat, Interval(apart).times_after(self._now, self._now))
        delay, every = _DELAY.names(self._sent), _EVERY.names(self._sent)
        if delay and "atIso" in self._sent:
            yield f"{' + '.join(delay)} and atIso both say when it first comes; send only one of the two"
        if every and "rrule" in self._sent:
            yield f"{' + '.join(every)} and rrule both say how often; send only one of the two"

    def _recurs_otherwise(self, recurrence: Recurrence) -> bool:
        """Whether that is another recurrence than the one that stands, which no limit refuses (15.2)."""
        return self._reminder is None or recurrence != self._reminder.recurrence

    def _zone_problems(self) -> Iterator[str]:
        name = self._arguments.timezone
        if name is not None and self._sent_zone is None:
            yield f"timezone {shown_value(name)} is unknown here; send an IANA name, {_SUCH}"
        elif name is None and "rrule" in self._sent and not self._zone_of_rule.name:
            yield f"rrule needs a timezone, since your own zone has no name here; send an IANA name, {_SUCH}"

    def _rule_problems(self) -> Iterator[str]:
        if isinstance(self._rule, Problems):
            yield from (f"rrule: {line}" for line in self._rule.lines)
        elif self._rule is not None and (self._rule.count or self._rule.until):
            for name in [name for name in ("count", "until") if name in self._sent]:
                yield f"{name} and the end in rrule both say when it ends; send only one of the two"

    def _time_problems(self) -> Iterator[str]:
        if self._arguments.atIso is not None:
            yield from time_problems("atIso", self._arguments.atIso, self._heartbeat, self._zone_of_times)
        if self._arguments.until is not None:
            yield from time_problems("until", self._arguments.until, self._heartbeat, self._zone_of_end)

    def _end_problems(self) -> Iterator[str]:
        count = self._arguments.count
        if count is not None and (count < 1 or (count > MOST_TIMES and "rrule" in self._sent)):
            bounds = f"from 1 to {MOST_TIMES} with rrule" if count > 1 else "of 1 or more"
            yield f"count {shown_value(count)} is out of range; it must be a whole number {bounds}"
        if "count" in self._sent and "until" in self._sent:
            yield "count and until both say when it ends; send only one of the two"

    def _impossible(self) -> Iterator[str]:
        """Why no reminder can be like that, where each argument is right."""
        known = [name for name in type(self._arguments).model_fields if name in self._sent]
        enough = self._reminder is not None or ("message" in known and self.says_when)
        if not enough or any(getattr(self._arguments, name, None) is None for name in known):
            return
        result = self._result(self.asked)
        if isinstance(result, Impossible):
            yield self.words_for(result)
            return
        if isinstance(result.recurrence, Calendar) and self._recurs_otherwise(result.recurrence):
            yield from too_close(self._heartbeat, result.times_after(result.due - MILLISECOND))
        if result.last is not None and not is_expressible(result.last, self._heartbeat.zone):
            yield self.words_for(Impossible.ENDS_TOO_LATE)

    def _result(self, asked: Asked) -> Reminder | Impossible:
        if self._reminder is not None:
            return changed(self._reminder, asked, self._now)
        return new_reminder("", asked, self._now)

    def words_for(self, impossible: Impossible) -> str:
        """Why no reminder can be like that, for the model to read."""
        end = next((name for name in ("count", "until") if name in self._sent), "the end in rrule")
        match impossible:
            case Impossible.NEVER:
                return "rrule has no time within 100 years of its start; look at its days and months"
            case Impossible.NO_TIME_OF_DAY:
                how = "add BYHOUR to it, as in ;BYHOUR=9, or send atIso or a delay for the first time"
                return f"rrule does not say at what time of day; {how}"
            case Impossible.ENDS_BEFORE_FIRST:
                endless = self._result(replace(self.asked, count=None, until=None))
                assert isinstance(endless, Reminder)
                return f"{end} comes before the first time, {show(endless.due, self._heartbeat.zone)}"
            case Impossible.ENDS_TOO_LATE:
                return f"{end} reaches past the year 9999; for a reminder without an end leave it out"
            case Impossible.NOTHING_TO_END:
                return (
                    f"{end} ends a recurrence, and nothing recurs; send every… or rrule too, or leave it out"
                )
            case _:
                assert_never(impossible)
