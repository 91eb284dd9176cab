"""The tools of the ambient schedule: heartbeat_status, heartbeat_configure, heartbeat_trigger.

Lives here: what the model is told about them, what they take, and what a call does (6.1 to 6.3).
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Annotated, ClassVar, Literal

from pydantic import Field, StringConstraints
from pydantic.json_schema import SkipJsonSchema

from heartbeat_core.schedule import SHORTEST_INTERVAL, DeliveryMode, ScheduleChange
from heartbeat_core.service import Heartbeat
from heartbeat_core.tools.arguments import Arguments
from heartbeat_core.tools.tool import Hints, Reply, Tool
from heartbeat_core.tools.units import Hours, Minutes, Seconds, length_of, length_problems
from heartbeat_core.tools.unsupported import IN_CONFIGURE
from heartbeat_core.tools.wording import not_saved, status_line, with_notes

LONGEST_MESSAGE = 100_000
Message = Annotated[str, StringConstraints(pattern=r"\S", max_length=LONGEST_MESSAGE)]


class NoArguments(Arguments):
    """Nothing is taken."""


class ConfigureArguments(Arguments):
    """What heartbeat_configure takes; what is left out stays as it is."""

    unsupported: ClassVar = IN_CONFIGURE

    intervalSeconds: Seconds = Field(
        None,
        description="Time between two heartbeats, in seconds. Added to intervalMinutes and intervalHours; "
        "together 60 seconds or more. The next heartbeat comes one new interval from now.",
    )
    intervalMinutes: Minutes = Field(
        None, description="Minutes between two heartbeats, added to intervalSeconds and intervalHours."
    )
    intervalHours: Hours = Field(
        None,
        description="Hours between two heartbeats, added to intervalSeconds and intervalMinutes; may have "
        "a fraction, as in 1.5. A day is 24.",
    )
    paused: bool | SkipJsonSchema[None] = Field(
        None,
        description="true stops the heartbeats until you send false; reminders still come. false starts "
        "them again, the first one interval from now.",
    )
    deliveryMode: Literal["message", "silent"] | SkipJsonSchema[None] = Field(
        None,
        description="message: a heartbeat arrives as a text. silent: it wakes you without one, on hosts "
        "that know silent wakes; others get a text all the same, or wake you with nothing to read.",
    )
    message: Message | SkipJsonSchema[None] = Field(
        None,
        description="What a heartbeat says to you, after the current time. Replaces the text set before.",
    )


def _status(heartbeat: Heartbeat, _: NoArguments) -> Reply:
    return Reply(status_line(heartbeat))


def _check_configure(_: Heartbeat, arguments: ConfigureArguments, sent: Collection[str]) -> list[str]:
    return length_problems(arguments, "interval", sent, SHORTEST_INTERVAL, "60 s or more")


def _configure(heartbeat: Heartbeat, arguments: ConfigureArguments) -> Reply:
    mode = arguments.deliveryMode
    change = ScheduleChange(
        interval=length_of(arguments, "interval"),
        paused=arguments.paused,
        message=arguments.message,
        mode=None if mode is None else DeliveryMode(mode),
    )
    changed, problem = heartbeat.configure(change)
    start = "Updated. " if changed else "No changes. "
    return Reply(with_notes(start + status_line(heartbeat), not_saved(problem)))


def _trigger(heartbeat: Heartbeat, _: NoArguments) -> Reply:
    blocked = heartbeat.trigger()
    if blocked is None:
        return Reply(f"Heartbeat fired. {status_line(heartbeat)}")
    text = f"No heartbeat was sent: {blocked}. To change that: {blocked.remedy}. Nothing was changed."
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
    "Send only what you want changed; it is kept across restarts. For one wake at a certain time, or for "
    "something to be told at it, use reminder_add.",
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
