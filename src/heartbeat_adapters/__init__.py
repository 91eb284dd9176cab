"""Everything that touches the world, and `embed`, the entrance for an agent in the same process.

These are the names for those who embed the core. Each is loaded when it is first asked for: a server imports
its first modules through here, before it has time for the rest.
"""

from typing import TYPE_CHECKING

from heartbeat_core.late_names import late_names

if TYPE_CHECKING:
    from heartbeat_adapters.container import Container
    from heartbeat_adapters.database.database import Database
    from heartbeat_adapters.embedded.embedded_heartbeat import EmbeddedHeartbeat
    from heartbeat_adapters.embedded.embedding import embed
    from heartbeat_adapters.embedded.in_process_transport import Handler, InProcessTransport, Verdict
    from heartbeat_adapters.embedded.volatile_stores import VolatileReminderStore, VolatileScheduleStore
    from heartbeat_adapters.files.json_stores import JsonReminderStore, JsonScheduleStore
    from heartbeat_adapters.settings import Settings
    from heartbeat_adapters.system_time.system_clock import SystemClock

__all__ = [
    "Container",
    "Database",
    "EmbeddedHeartbeat",
    "Handler",
    "InProcessTransport",
    "JsonReminderStore",
    "JsonScheduleStore",
    "Settings",
    "SystemClock",
    "Verdict",
    "VolatileReminderStore",
    "VolatileScheduleStore",
    "embed",
]

_HOMES = {
    "container": ("Container",),
    "database.database": ("Database",),
    "embedded.embedded_heartbeat": ("EmbeddedHeartbeat",),
    "embedded.embedding": ("embed",),
    "embedded.in_process_transport": ("Handler", "InProcessTransport", "Verdict"),
    "files.json_stores": ("JsonReminderStore", "JsonScheduleStore"),
    "settings": ("Settings",),
    "system_time.system_clock": ("SystemClock",),
    "embedded.volatile_stores": ("VolatileReminderStore", "VolatileScheduleStore"),
}

if not TYPE_CHECKING:  # or a type checker would believe that every name is there
    __getattr__ = late_names(__name__, _HOMES)
