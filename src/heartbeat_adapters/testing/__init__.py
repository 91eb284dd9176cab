"""Fakes for those who test their own agents: a clock, a transport, stores, a host, and all of them together.

Each is the fake of a port, and passes the same suite as the real adapter. `Bench` puts them together;
`ScriptedHost` plays a host to a real server process. The suites are for adapters of your own. Each name is
loaded when it is first asked for: a host on the other side of a pipe needs nothing of the core.
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
    from heartbeat_adapters.testing.suites.clock_suite import ClockSuite
    from heartbeat_adapters.testing.suites.history_suite import HistorySuite
    from heartbeat_adapters.testing.suites.reminder_store_suite import ReminderStoreSuite
    from heartbeat_adapters.testing.suites.schedule_store_suite import ScheduleStoreSuite
    from heartbeat_adapters.testing.suites.transport_suite import CoreSide, TransportSuite

__all__ = [
    "ALLOWED",
    "UTC_ZONE",
    "Accept",
    "Bench",
    "CarefulHost",
    "ClockSuite",
    "CoreSide",
    "CountingIds",
    "Error",
    "FakeClock",
    "ForgetfulHost",
    "HistorySuite",
    "MemoryHistory",
    "MemoryReminderStore",
    "MemoryScheduleStore",
    "NoAnswer",
    "ReceivedWake",
    "RecordingLog",
    "RecordingTransport",
    "Refuse",
    "ReminderStoreSuite",
    "ScheduleStoreSuite",
    "ScriptedHost",
    "TransportSuite",
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
    "suites.clock_suite": ("ClockSuite",),
    "suites.history_suite": ("HistorySuite",),
    "suites.reminder_store_suite": ("ReminderStoreSuite",),
    "suites.schedule_store_suite": ("ScheduleStoreSuite",),
    "suites.transport_suite": ("CoreSide", "TransportSuite"),
}

if not TYPE_CHECKING:  # or a type checker would believe that every name is there
    __getattr__ = late_names(__name__, _HOMES)
