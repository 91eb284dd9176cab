"""Fakes for those who test their own agents: a clock, a transport, stores, a host, and all of them together.

Each is the fake of a port, and passes the same suite as the real adapter. `Bench` puts them together;
`ScriptedHost` plays a host to a real server process. Each name is loaded when it is first asked for: a
host on the other side of a pipe needs nothing of the core.
"""

from typing import TYPE_CHECKING

from heartbeat_core.late_names import late_names

if TYPE_CHECKING:
    from heartbeat_adapters.testing.bench import ALLOWED, UTC_ZONE, Bench
    from heartbeat_adapters.testing.counting_ids import CountingIds
    from heartbeat_adapters.testing.fake_clock import FakeClock
    from heartbeat_adapters.testing.memory_history import MemoryHistory
    from heartbeat_adapters.testing.memory_stores import MemoryReminderStore, MemoryScheduleStore
    from heartbeat_adapters.testing.passing_time import pass_time
    from heartbeat_adapters.testing.push_answers import (
        Accept,
        CarefulHost,
        Error,
        ForgetfulHost,
        NoAnswer,
        ReceivedWake,
        Refuse,
        accept,
        leave_unanswered,
        refuse_empty,
    )
    from heartbeat_adapters.testing.recording_log import RecordingLog
    from heartbeat_adapters.testing.recording_transport import RecordingTransport
    from heartbeat_adapters.testing.scripted_host import ScriptedHost

__all__ = [
    "ALLOWED",
    "UTC_ZONE",
    "Accept",
    "Bench",
    "CarefulHost",
    "CountingIds",
    "Error",
    "FakeClock",
    "ForgetfulHost",
    "MemoryHistory",
    "MemoryReminderStore",
    "MemoryScheduleStore",
    "NoAnswer",
    "ReceivedWake",
    "RecordingLog",
    "RecordingTransport",
    "Refuse",
    "ScriptedHost",
    "accept",
    "leave_unanswered",
    "pass_time",
    "refuse_empty",
]

_HOMES = {
    "bench": ("ALLOWED", "UTC_ZONE", "Bench"),
    "counting_ids": ("CountingIds",),
    "fake_clock": ("FakeClock",),
    "memory_history": ("MemoryHistory",),
    "memory_stores": ("MemoryReminderStore", "MemoryScheduleStore"),
    "passing_time": ("pass_time",),
    "push_answers": (
        *("Accept", "CarefulHost", "Error", "ForgetfulHost", "NoAnswer", "ReceivedWake", "Refuse"),
        *("accept", "leave_unanswered", "refuse_empty"),
    ),
    "recording_log": ("RecordingLog",),
    "recording_transport": ("RecordingTransport",),
    "scripted_host": ("ScriptedHost",),
}

if not TYPE_CHECKING:  # or a type checker would believe that every name is there
    __getattr__ = late_names(__name__, _HOMES)
