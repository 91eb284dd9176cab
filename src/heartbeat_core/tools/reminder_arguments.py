"""What the reminder tools take: names, types, and what the model is told of each (6.4, 6.7, 10, 11)."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar

from pydantic import BeforeValidator, Field
from pydantic.json_schema import SkipJsonSchema

from heartbeat_core.tools.arguments import Arguments
from heartbeat_core.tools.texts import MESSAGE_ALLOWED, Message
from heartbeat_core.tools.units import Hours, Minutes, Seconds, whole
from heartbeat_core.tools.unsupported import IN_REMINDERS

_ISO = "a text, a date or date and time in ISO 8601, as in 2026-10-10T08:00"
_RULE = "a text, a recurrence rule such as FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR;BYHOUR=9"
_ID = "a text, the id of a reminder as reminder_list shows it"

Text = str | SkipJsonSchema[None]
# From 0 on, since a client that must send every argument has no other value for none (6.8).
Count = Annotated[int, Field(ge=0), BeforeValidator(whole)] | SkipJsonSchema[None]


class AddArguments(Arguments):
    """What reminder_add takes."""

    allowed: ClassVar = {
        "message": MESSAGE_ALLOWED,
        "atIso": _ISO,
        "rrule": _RULE,
        "timezone": "a text, an IANA name such as Europe/Berlin",
        "count": "a whole number, 1 or more",
        "until": _ISO,
    }
    any_text: ClassVar = ("message",)
    subject: ClassVar = ("message",)
    unsupported: ClassVar = IN_REMINDERS

    message: Message = Field(
        description="What you want to be told, written so that you understand it without this conversation: "
        "not blank, at most 100,000 characters."
    )
    inSeconds: Seconds = Field(
        None, description="A delay in seconds from now, added to inMinutes and inHours. Not with atIso."
    )
    inMinutes: Minutes = Field(None, description="Minutes of the delay.")
    inHours: Hours = Field(None, description="Hours of the delay, as in 1.5; a day is 24, a week 168.")
    atIso: Text = Field(
        None,
        description="A full date, or date and time, in ISO 8601, as in 2026-10-10T08:00 or "
        "2026-10-10T08:00:00-07:00. Without an offset it is in timezone, else in your own zone; a date alone "
        "is its midnight. A past time fires at once. Not with a delay.",
    )
    everySeconds: Seconds = Field(
        None,
        description="Recur so many seconds apart, added to everyMinutes and everyHours; 5 seconds or more. "
        "First at the delay or atIso, else one interval from now.",
    )
    everyMinutes: Minutes = Field(None, description="Minutes of the interval.")
    everyHours: Hours = Field(
        None, description="Hours of the interval. For set times of day use rrule: clocks change."
    )
    rrule: Text = Field(
        None,
        description="Recur on the calendar: an RFC 5545 rule without its start, as in "
        "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR;BYHOUR=9. FREQ is DAILY, WEEKLY, MONTHLY or YEARLY; without BYHOUR "
        "the time of day is that of atIso. INTERVAL counts from atIso or the delay, else from now.",
    )
    timezone: Text = Field(
        None, description="The IANA zone of rrule and of times without an offset; else your own."
    )
    count: Count = Field(None, description="End after so many times.")
    until: Text = Field(None, description="The end, as atIso; a date alone includes the day. Not with count.")
    expiresAfterSeconds: Seconds = Field(
        None,
        description="Drop a firing that could not reach you so many seconds after its time, added to "
        "expiresAfterMinutes and expiresAfterHours.",
    )
    expiresAfterMinutes: Minutes = Field(None, description="Minutes of that time.")
    expiresAfterHours: Hours = Field(None, description="Hours of that time.")


def _as_in_add() -> Any:
    """An argument that `reminder_add` describes."""
    return Field(None, description="As in reminder_add.")


class UpdateArguments(Arguments):
    """What reminder_update takes; what is left out stays as it is."""

    allowed: ClassVar = AddArguments.allowed | {"id": _ID}
    any_text: ClassVar = ("id", "message")
    subject: ClassVar = ("id",)
    unsupported: ClassVar = IN_REMINDERS

    id: str = Field(description="Which reminder: rem_…")
    message: Message | SkipJsonSchema[None] = _as_in_add()
    inSeconds: Seconds = _as_in_add()
    inMinutes: Minutes = _as_in_add()
    inHours: Hours = _as_in_add()
    atIso: Text = _as_in_add()
    everySeconds: Seconds = _as_in_add()
    everyMinutes: Minutes = _as_in_add()
    everyHours: Hours = _as_in_add()
    rrule: Text = _as_in_add()
    timezone: Text = _as_in_add()
    count: Count = _as_in_add()
    until: Text = _as_in_add()
    expiresAfterSeconds: Seconds = _as_in_add()
    expiresAfterMinutes: Minutes = _as_in_add()
    expiresAfterHours: Hours = _as_in_add()


class CancelArguments(Arguments):
    """What reminder_cancel takes."""

    allowed: ClassVar = {"id": _ID}
    any_text: ClassVar = ("id",)
    subject: ClassVar = ("id",)

    id: str = Field(description="The id of the reminder, as reminder_add and reminder_list show it: rem_…")
