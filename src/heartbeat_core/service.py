"""`Heartbeat`: what is called from outside, and in which order a call takes its steps.

Everything is synchronous. A call decides and arms the timer; the wakes that it lets through leave when that
comes, so the reply or receipt is on the wire before them (4.6). Only `send_triggered` sends at once.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta

from heartbeat_core.delivery.allowance import Wait
from heartbeat_core.delivery.beat import Busy
from heartbeat_core.delivery.entries import from_outside
from heartbeat_core.delivery.gate import Gate
from heartbeat_core.delivery.sending import Sending
from heartbeat_core.keeping.reminder_changes import ReminderChanges
from heartbeat_core.keeping.storage import Storage
from heartbeat_core.policy import Blocked, Malformed, Policy, receipt
from heartbeat_core.ports import (
    Clock,
    History,
    Log,
    NewId,
    Ownership,
    ReminderStore,
    ScheduleStore,
    Transport,
    Trouble,
)
from heartbeat_core.queue.given_up import Unheard
from heartbeat_core.queue.pending import PendingReminder, PendingReminders
from heartbeat_core.reminders.asked import Asked
from heartbeat_core.reminders.reminder import Reminder
from heartbeat_core.schedule.ambient_schedule import DEFAULT_SCHEDULE, Schedule, ScheduleChange
from heartbeat_core.schedule.limits import NO_LIMITS, Limits
from heartbeat_core.steps import Steps
from heartbeat_core.telling.operator_log import OperatorLog
from heartbeat_core.telling.parties import OVER_A_WIRE, Parties
from heartbeat_core.telling.throttled_log import ThrottledLog
from heartbeat_core.telling.wake_history import WakeHistory
from heartbeat_core.times.clock_readings import Reading
from heartbeat_core.times.moments import AgentZone, ZoneFinder, no_zone
from heartbeat_core.wakes import Answer, Wake

ANSWER_WITHIN = timedelta(seconds=30)
"""How long a host may take to answer a wake (4.12, 7.3)."""


class Heartbeat:
    """A schedule and reminders, and the wakes that come of them.

    Build it, `start` it once, `stop` it at the end. All calls come from one thread. Whoever serves a
    host passes on what the host says (`host_arrived`, `policy_requested`, `policy_notified`,
    `answered`, `transport_ready`); the tools call the rest.
    """

    def __init__(
        self,
        *,
        clock: Clock,
        transport: Transport,
        schedule_store: ScheduleStore,
        reminder_store: ReminderStore,
        new_id: NewId,
        log: Log,
        zone: AgentZone,
        find_zone: ZoneFinder = no_zone,
        defaults: Schedule = DEFAULT_SCHEDULE,
        policy: Policy | None = None,
        history: History | None = None,
        limits: Limits = NO_LIMITS,
        answer_within: timedelta = ANSWER_WITHIN,
        in_beat: Callable[[], bool] | None = None,
        parties: Parties = OVER_A_WIRE,
        ownership: Ownership | None = None,
    ) -> None:
        """Take the ports; `policy` is what holds before the host speaks, and left out it allows nothing.

        `limits` are the operator's (15); `history` keeps what became of each wake (14), and tells what their
        budgets have left after a restart; without one none is kept.
        `in_beat` is for handlers in the same process: it says whether its caller is inside the handler of a
        beat. Where it is given, beats do not overlap (9.5). `parties` are named in replies (9.6).
        `ownership` is there where another server may get what is stored, or nobody reach it (16.3, 16.4).
        """
        self.parties = parties
        self.zone = zone
        """The zone in which the agent reads times."""
        self.find_zone = find_zone
        """Finds the zones of calendars by their names (10.2)."""
        self._clock = clock
        throttled = ThrottledLog(log)
        self._log = OperatorLog(throttled, parties)
        self._gate = Gate(policy or Policy(), self._log, ownership)
        self.limits = limits
        """What the operator has set; nothing that an agent can call changes it (15)."""
        self._storage = Storage(schedule_store, reminder_store, defaults, zone, self._log, limits, ownership)
        self._schedule = self._storage.schedule
        self._queue = self._storage.reminders.queue
        self.reminders = PendingReminders(self._queue)
        """The reminders that are set, in order of due time, to be read."""
        self._changes = ReminderChanges(self._storage, new_id)
        self.history = WakeHistory(history, self._log)
        """What became of each wake (14), to be read."""
        self._sending = Sending(
            transport,
            self._storage,
            new_id,
            self._log,
            self.history,
            zone,
            limits,
            answer_within,
            in_beat,
            ownership,
        )
        self._steps = Steps(
            clock, self._gate, self._storage, self._sending, self.history, history, throttled, self._log
        )

    # Life

    def start(self) -> None:
        """Load what was saved and take up the countdown (8.2). Call once, before anything else."""
        self._at = self._steps.start()

    def stop(self) -> None:
        """Save what is not saved yet, let go of what is stored, send nothing more. May be called twice."""
        self._steps.stop()

    def flush(self) -> None:
        """Save what the host's answers changed; call before a reply, which the file must not follow (7.2)."""
        if self._storage.is_planned_to_save:
            self._begin()
            if self._storage.saves_soon(self._at):
                self._storage.save(self._at)

    # What the host says

    @from_outside
    def host_arrived(self, *, speaks_mcpl: bool) -> None:
        """The host said hello; one that does not speak MCPL can never be sent a wake (4.1)."""
        self._gate.host_arrived(self._at, speaks_mcpl=speaks_mcpl)

    @from_outside
    def policy_requested(self, params: object) -> dict[str, object] | Malformed:
        """A `featureSets/update` Request sets the policy; gives the receipt, a JSON object (4.2, 4.5).

        `Malformed` says what is wrong with the params; then nothing is granted any more.
        """
        if not self.policy.settled:
            self._sending.beats.owe_due_beat(self._at)
        update = self._gate.requested(params, self._at)
        self._steps.say_waiting()
        if self.blocked is None:
            self._queue.release_all(self._at.now)
            self._sending.beats.move_owed_beat(self._at)
        return update if isinstance(update, Malformed) else receipt(self._gate.granted)

    @from_outside
    def policy_notified(self, params: object) -> None:
        """A `featureSets/update` Notification can take away, and never give (4.7)."""
        self._gate.notified(params, self._at)
        self._steps.say_waiting()

    @from_outside
    def answered(self, wake: Wake, answer: Answer) -> None:
        """The host's answer to a wake, or the failure to reach it; early, late, in any order (4.11)."""
        if wake.reminder_id is None:
            self._sending.beats.answered(wake, answer, self._at, self.policy)
        else:
            self._storage.look(self._at)
            self._sending.reminders.answered(wake, answer, self._at)
            self._steps.say_waiting()
            self._storage.save_soon(self._at)

    def send_triggered(self) -> None:
        """Send the beat that was triggered before, if one still waits for its moment (6.3).

        To be called before the host's next line is read: what that line changes then finds the beat sent,
        however slowly the host reads. Not between the elements of a batch, whose last policy decides (2.6).
        """
        if self._sending.beats.pending.triggered:
            self._sending.beats.hurry = True
            self._steps.do_due()
            self._sending.beats.hurry = False

    @from_outside
    def transport_ready(self) -> None:
        """The transport has room again, after it had none."""

    # What the tools ask and change

    @property
    def now(self) -> datetime:
        """The time, aware UTC, as the clock port has it."""
        return self._clock.now()

    @property
    def policy(self) -> Policy:
        """What the host allows, as its last word stands, and what is stored does not forbid."""
        return self._gate.policy

    @property
    def blocked(self) -> Blocked | None:
        """Why no wake is deliverable; None when one is."""
        return self._gate.blocked

    @property
    def busy(self) -> Busy | None:
        """That the handler of a beat still runs; None where none does, or where beats overlap (9.5)."""
        return self._sending.beats.busy

    def wait_of(self, due: datetime) -> Wait | None:
        """What a wake that is due then has to wait for, by the operator's limits; None if nothing (15.3)."""
        return self._sending.wait_of(due, self.now)

    @property
    def schedule(self) -> Schedule:
        """The ambient schedule in force."""
        return self._schedule.current

    @property
    def silent_refused(self) -> bool:
        """Whether the host refused the last silent beat as empty (6.11)."""
        return self._sending.beats.pending.silent_refused

    def schedule_notices(self) -> list[str]:
        """What a reply that shows the schedule has to say about its file (8.7, 8.8)."""
        return self._schedule.status.take_notices()

    def reminders_notices(self) -> list[str]:
        """What a reply that shows or counts reminders has to say about their file (8.7, 8.8)."""
        return self._storage.reminders.status.take_notices()

    @from_outside
    def configure(self, change: ScheduleChange) -> tuple[bool, Trouble | None]:
        """Change the schedule (6.2). Gives whether anything changed, and why it is not saved, if so."""
        self._storage.look(self._at)
        return self._schedule.configure(change, self._at.now)

    @from_outside
    def trigger(self) -> Blocked | Busy | Wait | None:
        """Ask for one beat now, without touching the countdown (6.3); gives why it cannot be sent, if so."""
        why_not = self.blocked or self.busy or self._sending.wait_for_trigger(self._at)
        if why_not is None:
            self._sending.beats.ask_for_beat(self._at)
        return why_not

    @from_outside
    def find(self, reminder_id: str) -> PendingReminder | None:
        """The reminder of that id as it stands, after a look at what is stored; None where there is none."""
        return self._changes.find(reminder_id, self._at)

    @from_outside
    def add(self, asked: Asked) -> tuple[Reminder, Trouble | None]:
        """Set a reminder (6.4, 10); `asked` has a message, and a first time or a recurrence.

        Gives the reminder, and why it is not saved, if so. Raises ImpossibleReminder, a ValueError.
        """
        result = self._changes.add(asked, self._at)
        self._steps.say_waiting()
        return result

    @from_outside
    def update(self, reminder_id: str, asked: Asked) -> tuple[Reminder, Trouble | None]:
        """Change a reminder (11); what is not asked for stays.

        Gives the reminder, and why it is not saved, if so. Raises ImpossibleReminder, a ValueError, and
        LookupError for an id that none has.
        """
        result = self._changes.update(reminder_id, asked, self._at)
        self._steps.say_waiting()
        return result

    @from_outside
    def cancel(self, reminder_id: str) -> tuple[PendingReminder | None, Trouble | None]:
        """Remove a reminder (6.7). Gives what it was, None if there is none, and why it is not saved."""
        pending, problem = self._changes.cancel(reminder_id, self._at)
        if pending is not None:
            self._steps.say_waiting()
        return pending, problem

    def take_given_up(self) -> tuple[list[Unheard], int]:
        """Reminders that were given up and the agent was not told of, and how many more (10.5); told once."""
        return self._sending.reminders.given_up.take()

    # What every entry begins and ends with

    def _begin(self) -> Reading:
        self._at = self._steps.begin()
        return self._at

    def _end(self) -> None:
        self._steps.end()
