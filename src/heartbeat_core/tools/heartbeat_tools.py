"""heartbeat_status, heartbeat_configure and heartbeat_trigger: what the model is told, what a call does."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Literal

from pydantic import Field
from pydantic.json_schema import SkipJsonSchema

from heartbeat_core.schedule.ambient_schedule import SHORTEST_INTERVAL, DeliveryMode, ScheduleChange
from heartbeat_core.service import Heartbeat
from heartbeat_core.tools.arguments import Arguments
from heartbeat_core.tools.texts import MESSAGE_ALLOWED, Message
from heartbeat_core.tools.tool import Hints, Reply, Tool
from heartbeat_core.tools.units import AddedUp, Hours, Minutes, Seconds
from heartbeat_core.tools.unsupported import IN_CONFIGURE
from heartbeat_core.tools.wording import status

_INTERVAL = AddedUp(
    "interval", "the interval", SHORTEST_INTERVAL, "60 s or more", "leave them out to keep it as it is"
)


class NoArguments(Arguments):
    """Nothing is taken."""


class ConfigureArguments(Arguments):
    """What heartbeat_configure takes; what is left out stays as it is."""

    allowed: ClassVar = {"message": MESSAGE_ALLOWED}
    any_text: ClassVar = ("message",)
    unsupported: ClassVar = IN_CONFIGURE

    intervalSeconds: Seconds = Field(
        None,
        description="Seconds from one heartbeat to the next, added to intervalMinutes and intervalHours; "
        "together 60 seconds or more, at most 100 years. The next heartbeat comes one new interval from now.",
    )
    intervalMinutes: Minutes = Field(
        None,
        description="Minutes from one heartbeat to the next, added to intervalSeconds and intervalHours.",
    )
    intervalHours: Hours = Field(
        None,
        description="Hours from one heartbeat to the next, added to intervalSeconds and intervalMinutes; may "
        "have a fraction, as in 1.5. A day is 24, a week 168.",
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


def _status(heartbeat: Heartbeat, _: NoArguments) -> Reply:
    return Reply(status(heartbeat))


def _check_configure(
    heartbeat: Heartbeat, arguments: ConfigureArguments, sent: Mapping[str, object]
) -> list[str]:
    return _INTERVAL.problems(arguments, sent, heartbeat.now, heartbeat.zone)


def _configure(heartbeat: Heartbeat, arguments: ConfigureArguments) -> Reply:
    mode = arguments.deliveryMode
    change = ScheduleChange(
        interval=_INTERVAL.length(arguments),
        paused=arguments.paused,
        message=arguments.message,
        mode=None if mode is None else DeliveryMode(mode),
    )
    changed, problem = heartbeat.configure(change)
    start = "Updated. " if changed else "No changes. "
    return Reply(start + status(heartbeat, problem))


def _trigger(heartbeat: Heartbeat, _: NoArguments) -> Reply:
    blocked = heartbeat.trigger()
    if blocked is None:
        return Reply(f"Heartbeat fired. {status(heartbeat)}")
    text = f"No heartbeat was sent: {blocked}. What would help: {blocked.remedy}. Nothing was changed."
    return Reply(text, is_error=True)


STATUS = Tool(
    name="heartbeat_status",
    title="Show the heartbeat",
    description="Show how you are woken: whether the heartbeat runs, its interval, the time to the next one, "
    "its message, how many reminders are set, and whether wakes can reach you at all. Takes no arguments.",
    arguments=NoArguments,
    hints=Hints(read_only=True, idempotent=True),
    act=_status,
)
CONFIGURE = Tool(
    name="heartbeat_configure",
    title="Set the heartbeat",
    description="Set how often you are woken without anybody writing to you, with what text, or pause it. "
    "The units of the interval add up. Send only what you want changed; it is kept across restarts. For a "
    "wake at a certain time, at a time of day, or about one thing, use reminder_add.",
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
