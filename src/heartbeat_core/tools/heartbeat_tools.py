"""heartbeat_status, heartbeat_configure and heartbeat_trigger: what the model is told, what a call does."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import Annotated, ClassVar, Literal

from pydantic import BeforeValidator, Field
from pydantic.json_schema import SkipJsonSchema

from heartbeat_core.delivery.allowance import Wait
from heartbeat_core.delivery.beat import Busy
from heartbeat_core.schedule.active_hours import (
    WEEKDAYS,
    ActiveHoursChange,
    Keep,
    NotActiveHours,
    read_days,
    read_hours,
)
from heartbeat_core.schedule.ambient_schedule import SHORTEST_INTERVAL, DeliveryMode, ScheduleChange
from heartbeat_core.service import Heartbeat
from heartbeat_core.times.moments import one_length_after, parse_local, show
from heartbeat_core.tools.arguments import Arguments
from heartbeat_core.tools.limited import always_quiet, earliest, no_trigger, too_soon
from heartbeat_core.tools.shown import shown_value
from heartbeat_core.tools.texts import MESSAGE_ALLOWED, Message
from heartbeat_core.tools.tool import Hints, Reply, Tool
from heartbeat_core.tools.units import AddedUp, Hours, Minutes, Seconds, whole
from heartbeat_core.tools.unsupported import IN_CONFIGURE
from heartbeat_core.tools.when import show_now, time_problems
from heartbeat_core.tools.wording import past, status

_INTERVAL = AddedUp(
    "interval", "the interval", SHORTEST_INTERVAL, "60 s or more", "leave them out to keep it as it is"
)


_WAIT = AddedUp(
    "nextIn",
    "the wait for the next heartbeat",
    SHORTEST_INTERVAL,
    "60 s or more",
    "leave it out to keep the countdown",
)


class NoArguments(Arguments):
    """Nothing is taken."""

    needs_some: ClassVar = False


class StatusArguments(Arguments):
    """What heartbeat_status takes."""

    allowed: ClassVar = {"history": "a whole number from 1 to 50"}
    needs_some: ClassVar = False

    # From 0, which asks for nothing (6.8), so that a client that must send it can.
    history: Annotated[int, Field(ge=0, le=50), BeforeValidator(whole)] | SkipJsonSchema[None] = Field(
        None, description="So many of your last wakes, and what became of each."
    )


class ConfigureArguments(Arguments):
    """What heartbeat_configure takes; what is left out stays as it is."""

    allowed: ClassVar = {
        "message": MESSAGE_ALLOWED,
        "activeHours": 'a text such as "08:00-22:00", or "always"',
        "activeDays": 'a list of days, as in ["MO", "TU"]',
        "nextAtIso": "a text, a date or date and time in ISO 8601, as in 2026-10-10T08:00",
    }
    any_text: ClassVar = ("message",)
    unsupported: ClassVar = IN_CONFIGURE

    intervalSeconds: Seconds = Field(
        None,
        description="Seconds from one heartbeat to the next, added to intervalMinutes and intervalHours; "
        "together 60 seconds or more. The next heartbeat comes one new interval from now.",
    )
    intervalMinutes: Minutes = Field(
        None,
        description="Minutes of the interval.",
    )
    intervalHours: Hours = Field(
        None,
        description="Hours of the interval, as in 1.5; a day is 24, a week 168.",
    )
    paused: bool | SkipJsonSchema[None] = Field(
        None,
        description="true stops the heartbeats until you send false; reminders still come, so one can tell "
        "you when to send it. false starts them again, the first one interval from now.",
    )
    deliveryMode: Literal["message", "silent"] | SkipJsonSchema[None] = Field(
        None,
        description="message: a heartbeat arrives as a text. silent: it wakes you without one, on hosts "
        "that know silent wakes; others get a text all the same, or wake you with nothing to read.",
    )
    message: Message | SkipJsonSchema[None] = Field(
        None,
        description="What a heartbeat says to you, after the current time: not blank, at most 100,000 "
        "characters. Replaces the text set before.",
    )
    activeHours: str | SkipJsonSchema[None] = Field(
        None,
        description="Heartbeats come only in this stretch of the day in your time zone, such as 08:00-22:00 "
        "or 20:00-04:00; always removes it. Reminders come at any hour.",
    )
    activeDays: list[str] | SkipJsonSchema[None] = Field(
        None,
        description="Heartbeats come only on these days, of MO, TU, WE, TH, FR, SA, SU: those on which the "
        "active hours begin. All seven remove the limit.",
    )
    nextInSeconds: Seconds = Field(
        None,
        description="The next heartbeat comes so long from now, once, whatever the hours; later ones count "
        "from it. Added to nextInMinutes and nextInHours; 60 seconds or more. Not with nextAtIso.",
    )
    nextInMinutes: Minutes = Field(None, description="Minutes of that wait.")
    nextInHours: Hours = Field(None, description="Hours of that wait.")
    nextAtIso: str | SkipJsonSchema[None] = Field(
        None,
        description="When the next heartbeat comes, once, as in 2026-10-10T08:00, which is in your own time "
        "zone; 60 seconds or more from now.",
    )


def _status(heartbeat: Heartbeat, arguments: StatusArguments) -> Reply:
    shown = status(heartbeat)
    return Reply(shown if arguments.history is None else f"{shown}\n{past(heartbeat, arguments.history)}")


def _check_configure(
    heartbeat: Heartbeat, arguments: ConfigureArguments, sent: Mapping[str, object]
) -> list[str]:
    problems = _INTERVAL.problems(arguments, sent, heartbeat.now, heartbeat.zone)
    interval = _INTERVAL.sum(arguments, sent)
    if not problems and interval is not None and interval != heartbeat.schedule.interval:
        problems = too_soon(heartbeat, "an interval", interval)
    hours, days = arguments.activeHours, arguments.activeDays
    wrong = [] if hours is None else _hours_problems(hours)
    problems += wrong + ([] if days is None else _days_problems(days))
    if hours is not None and not wrong:
        problems += always_quiet(heartbeat, replace(heartbeat.schedule.active, hours=read_hours(hours)))
    return problems + _next_problems(heartbeat, arguments, sent)


def _hours_problems(hours: str) -> list[str]:
    try:
        read_hours(hours)
    except NotActiveHours as error:
        how = "write two times of day such as 08:00-22:00, or 20:00-04:00 over midnight; always removes them"
        return [f"activeHours {shown_value(hours)} is {error}; {how}"]
    return []


def _days_problems(days: list[str]) -> list[str]:
    try:
        read_days(days)
    except NotActiveHours as error:
        how = f"write some of {', '.join(WEEKDAYS)}; all seven remove the limit"
        return [f"activeDays {shown_value(days)} is {error}; {how}"]
    return []


def _next_problems(
    heartbeat: Heartbeat, arguments: ConfigureArguments, sent: Mapping[str, object]
) -> list[str]:
    problems = _WAIT.problems(arguments, sent, heartbeat.now, heartbeat.zone)
    waits, wait = _WAIT.names(sent), _WAIT.sum(arguments, sent)
    if not problems and wait is not None:
        problems = too_soon(heartbeat, "a wait", wait)
    if arguments.nextAtIso is not None:
        problems += time_problems("nextAtIso", arguments.nextAtIso, heartbeat) or _soon(heartbeat, arguments)
    if waits and "nextAtIso" in sent:
        problems.append(f"{' + '.join(waits)} and nextAtIso both say when; send only one of the two")
    paused = heartbeat.schedule.paused if arguments.paused is None else arguments.paused
    if paused and (waits or "nextAtIso" in sent):
        names = " + ".join([*waits, *(["nextAtIso"] if "nextAtIso" in sent else [])])
        problems.append(f"{names}: no heartbeat comes while paused; send paused: false with it")
    return problems


def _soon(heartbeat: Heartbeat, arguments: ConfigureArguments) -> list[str]:
    assert arguments.nextAtIso is not None
    at, schedule = parse_local(arguments.nextAtIso, heartbeat.zone), heartbeat.schedule
    if at - heartbeat.now >= SHORTEST_INTERVAL:
        stands = schedule.next_is_asked and schedule.next_beat == at
        return [] if stands else too_soon(heartbeat, "nextAtIso: a wait", at - heartbeat.now)
    start = f"nextAtIso {shown_value(arguments.nextAtIso)} is less than 60 s from now"
    return [f"{start}, and it is now {show_now(heartbeat)}; for a heartbeat now use heartbeat_trigger"]


def _configure(heartbeat: Heartbeat, arguments: ConfigureArguments) -> Reply:
    change = schedule_change(heartbeat, arguments)
    changed, problem = heartbeat.configure(change)
    start = "Updated. " if changed else "No changes. "
    notes = [] if change.next_beat is None else earliest(heartbeat, change.next_beat)
    return Reply(start + status(heartbeat, problem, notes))


def schedule_change(heartbeat: Heartbeat, arguments: ConfigureArguments) -> ScheduleChange:
    """What a call that was checked asks to be changed."""
    mode = arguments.deliveryMode
    return ScheduleChange(
        interval=_INTERVAL.length(arguments),
        paused=arguments.paused,
        message=arguments.message,
        mode=None if mode is None else DeliveryMode(mode),
        active=_active(arguments),
        next_beat=_next_beat(heartbeat, arguments),
    )


def _active(arguments: ConfigureArguments) -> ActiveHoursChange:
    hours, days = arguments.activeHours, arguments.activeDays
    return ActiveHoursChange(
        hours=Keep.AS_IT_IS if hours is None else read_hours(hours),
        days=Keep.AS_IT_IS if days is None else read_days(days),
    )


def _next_beat(heartbeat: Heartbeat, arguments: ConfigureArguments) -> datetime | None:
    if arguments.nextAtIso is not None:
        return parse_local(arguments.nextAtIso, heartbeat.zone)
    wait = _WAIT.length(arguments)
    return None if wait is None else one_length_after(heartbeat.now, wait)


def _trigger(heartbeat: Heartbeat, _: NoArguments) -> Reply:
    match heartbeat.trigger():
        case None:
            return Reply(f"Heartbeat fired. {status(heartbeat)}")
        case Busy(since=since, inside=inside):
            still = "is the one that you are in" if inside else "is still being handled"
            text = f"No heartbeat was sent: the one of {show(since, heartbeat.zone)} {still}"
            return Reply(f"{text}. Try again when it has ended. Nothing was changed.", is_error=True)
        case Wait() as wait:
            text = f"No heartbeat was sent: {no_trigger(wait, heartbeat.zone)}. Nothing was changed."
            return Reply(text, is_error=True)
        case blocked:
            text = (
                f"No heartbeat was sent: {blocked}. What would help: {blocked.remedy}. Nothing was changed."
            )
            return Reply(text, is_error=True)


STATUS = Tool(
    name="heartbeat_status",
    title="Show the heartbeat",
    description="Show how you are woken: whether the heartbeat runs, its interval, the time to the next one, "
    "its message, how many reminders are set, and whether wakes can reach you at all.",
    arguments=StatusArguments,
    hints=Hints(read_only=True, idempotent=True),
    act=_status,
)
CONFIGURE = Tool(
    name="heartbeat_configure",
    title="Set the heartbeat",
    description="Set how often you are woken without anybody writing to you, with what text, or pause it. "
    "Send only what you want changed; it is kept across restarts. Where you cannot leave out paused and "
    "deliveryMode, send them as heartbeat_status shows them. For a wake at a certain time, at a time of day, "
    "or about one thing, use reminder_add.",
    arguments=ConfigureArguments,
    hints=Hints(idempotent=True),
    check=_check_configure,
    act=_configure,
)
TRIGGER = Tool(
    name="heartbeat_trigger",
    title="Send one heartbeat now",
    description="Send one heartbeat now, to see that wakes arrive; works while paused, and leaves the "
    "schedule as it is. Takes no arguments.",
    arguments=NoArguments,
    hints=Hints(),
    act=_trigger,
)
