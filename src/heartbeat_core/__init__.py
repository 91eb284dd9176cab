"""A heartbeat for agents: a schedule, reminders, and the wakes that come of them; without I/O.

These are the names for those who embed the core. Each is loaded when it is first asked for, so that a server
can answer its host before pydantic is there.
"""

from typing import TYPE_CHECKING

from heartbeat_core.late_names import late_names
from heartbeat_core.version import __version__

if TYPE_CHECKING:
    from heartbeat_core.delivery.allowance import Wait
    from heartbeat_core.delivery.beat import Busy
    from heartbeat_core.history import Ending, HistoryLine, WakeKind
    from heartbeat_core.policy import Blocked, Malformed, Policy, Reason
    from heartbeat_core.ports import (
        Clock,
        Found,
        History,
        Log,
        NewId,
        ReminderStore,
        ScheduleStore,
        Timer,
        Transport,
        Trouble,
        TroubleKind,
    )
    from heartbeat_core.queue.pending import PendingReminder, PendingReminders
    from heartbeat_core.queue.queued_reminder import Held
    from heartbeat_core.reminders.asked import Asked
    from heartbeat_core.reminders.recurrence import Calendar, Interval
    from heartbeat_core.reminders.reminder import Reminder
    from heartbeat_core.schedule.active_hours import ActiveHours, ActiveHoursChange, Keep
    from heartbeat_core.schedule.ambient_schedule import (
        DEFAULT_SCHEDULE,
        DeliveryMode,
        Schedule,
        ScheduleChange,
    )
    from heartbeat_core.schedule.limits import Limits
    from heartbeat_core.service import Heartbeat
    from heartbeat_core.telling.parties import IN_PROCESS, OVER_A_WIRE, Parties
    from heartbeat_core.times.moments import AgentZone
    from heartbeat_core.tools import Reply, Tool, Toolbox, UnknownToolError
    from heartbeat_core.tools.typed import Snapshot
    from heartbeat_core.wakes import Answer, Failed, Refused, Taken, Wake

__all__ = [
    "DEFAULT_SCHEDULE",
    "IN_PROCESS",
    "OVER_A_WIRE",
    "ActiveHours",
    "ActiveHoursChange",
    "AgentZone",
    "Answer",
    "Asked",
    "Blocked",
    "Busy",
    "Calendar",
    "Clock",
    "DeliveryMode",
    "Ending",
    "Failed",
    "Found",
    "Heartbeat",
    "Held",
    "History",
    "HistoryLine",
    "Interval",
    "Keep",
    "Limits",
    "Log",
    "Malformed",
    "NewId",
    "Parties",
    "PendingReminder",
    "PendingReminders",
    "Policy",
    "Reason",
    "Refused",
    "Reminder",
    "ReminderStore",
    "Reply",
    "Schedule",
    "ScheduleChange",
    "ScheduleStore",
    "Snapshot",
    "Taken",
    "Timer",
    "Tool",
    "Toolbox",
    "Transport",
    "Trouble",
    "TroubleKind",
    "UnknownToolError",
    "Wait",
    "Wake",
    "WakeKind",
    "__version__",
]

_HOMES = {
    "queue.queued_reminder": ("Held",),
    "times.moments": ("AgentZone",),
    "queue.pending": ("PendingReminder", "PendingReminders"),
    "history": ("Ending", "HistoryLine", "WakeKind"),
    "delivery.beat": ("Busy",),
    "policy": ("Blocked", "Malformed", "Policy", "Reason"),
    "ports": (
        "Clock",
        "Found",
        "History",
        "Log",
        "NewId",
        "ReminderStore",
        "ScheduleStore",
        "Timer",
        "Transport",
        "Trouble",
        "TroubleKind",
    ),
    "reminders.asked": ("Asked",),
    "reminders.recurrence": ("Calendar", "Interval"),
    "reminders.reminder": ("Reminder",),
    "schedule.active_hours": ("ActiveHours", "ActiveHoursChange", "Keep"),
    "schedule.ambient_schedule": ("DEFAULT_SCHEDULE", "DeliveryMode", "Schedule", "ScheduleChange"),
    "schedule.limits": ("Limits",),
    "delivery.allowance": ("Wait",),
    "service": ("Heartbeat",),
    "telling.parties": ("IN_PROCESS", "OVER_A_WIRE", "Parties"),
    "tools": ("Reply", "Tool", "Toolbox", "UnknownToolError"),
    "tools.typed": ("Snapshot",),
    "wakes": ("Answer", "Failed", "Refused", "Taken", "Wake"),
}

if not TYPE_CHECKING:  # or a type checker would believe that every name is there
    __getattr__ = late_names(__name__, _HOMES)
