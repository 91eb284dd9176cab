"""A heartbeat for agents: a schedule, reminders, and the wakes that come of them; without I/O.

These are the names for those who embed the core. Each is loaded when it is first asked for, so that a server
can answer its host before pydantic is there.
"""

from typing import TYPE_CHECKING

from heartbeat_core.late_names import late_names
from heartbeat_core.version import __version__

if TYPE_CHECKING:
    from heartbeat_core.history import Ending, HistoryLine, WakeKind
    from heartbeat_core.policy import Blocked, Busy, Malformed, Policy, Reason
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
    from heartbeat_core.reminders.reminder import Reminder
    from heartbeat_core.schedule.ambient_schedule import (
        DEFAULT_SCHEDULE,
        DeliveryMode,
        Schedule,
        ScheduleChange,
    )
    from heartbeat_core.service import Heartbeat
    from heartbeat_core.times.moments import AgentZone
    from heartbeat_core.tools import Reply, Tool, Toolbox, UnknownToolError
    from heartbeat_core.tools.typed import Snapshot
    from heartbeat_core.wakes import Answer, Failed, Refused, Taken, Wake

__all__ = [
    "DEFAULT_SCHEDULE",
    "AgentZone",
    "Answer",
    "Blocked",
    "Busy",
    "Clock",
    "DeliveryMode",
    "Ending",
    "Failed",
    "Found",
    "Heartbeat",
    "Held",
    "History",
    "HistoryLine",
    "Log",
    "Malformed",
    "NewId",
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
    "Wake",
    "WakeKind",
    "__version__",
]

_HOMES = {
    "queue.queued_reminder": ("Held",),
    "times.moments": ("AgentZone",),
    "queue.pending": ("PendingReminder", "PendingReminders"),
    "history": ("Ending", "HistoryLine", "WakeKind"),
    "policy": ("Blocked", "Busy", "Malformed", "Policy", "Reason"),
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
    "reminders.reminder": ("Reminder",),
    "schedule.ambient_schedule": ("DEFAULT_SCHEDULE", "DeliveryMode", "Schedule", "ScheduleChange"),
    "service": ("Heartbeat",),
    "tools": ("Reply", "Tool", "Toolbox", "UnknownToolError"),
    "tools.typed": ("Snapshot",),
    "wakes": ("Answer", "Failed", "Refused", "Taken", "Wake"),
}

if not TYPE_CHECKING:  # or a type checker would believe that every name is there
    __getattr__ = late_names(__name__, _HOMES)
