"""Every line that the core writes for the operator who asks "why did no wake come?".

A line says what happened and what to do.
"""

from __future__ import annotations

from datetime import timedelta

from heartbeat_core.policy import Blocked, Malformed, Update
from heartbeat_core.telling.parties import Parties
from heartbeat_core.telling.throttled_log import Level, ThrottledLog
from heartbeat_core.times.lengths import show_seconds
from heartbeat_core.wakes import Answer, Wake

_SUPPRESSED = "suppressed heartbeat push/event"
_WAITING = "waiting reminders"
_KEPT = "it is kept and tried again"
_TRIED_AGAIN = "it is tried again, as long as the next one is not due"

_NOT_AS_A_REQUEST = (
    "initial policy has still not arrived as a Request. A Notification of featureSets/update cannot allow "
    "wakes, so none reaches the agent: the host must send featureSets/update with an id, after initialize, "
    "and read the receipt"
)


class OperatorLog:
    """The log in the words of what happened. `ticks` is the monotonic clock throughout."""

    def __init__(self, lines: ThrottledLog, parties: Parties) -> None:
        self._lines = lines
        self._parties = parties
        self._listener = parties.listener
        self._warned_of_silent = False

    # What is stored

    def trouble(self, text: str) -> None:
        """Something about what is stored needs attention."""
        self._lines.say(text, Level.WARNING)

    def taken_over(self, what: str, *, was_away: bool) -> None:
        """The other server is gone, and what it held is ours now (8.6); or the database is back (16.4)."""
        how = "can be reached again" if was_away else "is free"
        self._lines.say(f"{what} {how}: what is stored there was taken over")

    def saved_again(self, what: str) -> None:
        """The first save that works after one that did not."""
        self._lines.say(f"{what} is saved again, with all that was not")

    # The host's policy

    def requested(self, update: Update | Malformed, blocked: Blocked | None, ticks: timedelta) -> None:
        """A `featureSets/update` Request came."""
        if isinstance(update, Malformed):
            text = f"refused a malformed featureSets/update Request: {update.problem}"
            self._lines.say_of_kind("malformed policy", text, ticks, Level.WARNING, about=update.problem)
        elif update.denied:
            denied = ", ".join(update.denied)
            self._lines.say_of_kind("denied", f"the host names as denied: {denied}", ticks, about=denied)
        self._policy(blocked, ticks)

    def notified(
        self, update: Update | Malformed, blocked: Blocked | None, ticks: timedelta, *, in_force: bool
    ) -> None:
        """A `featureSets/update` Notification came, while a policy was in force or while none was (4.7)."""
        if not in_force:
            self._lines.say_of_kind("no request", _NOT_AS_A_REQUEST, ticks, Level.WARNING)
        else:
            text = f"a featureSets/update Notification disables {_reduction(update)}"
            malformed = isinstance(update, Malformed)
            kind = "malformed reduction" if malformed else "reduction"
            level = Level.WARNING if malformed else Level.INFO
            self._lines.say_of_kind(kind, text, ticks, level, about=_reduction(update))
        self._policy(blocked, ticks)

    def _policy(self, blocked: Blocked | None, ticks: timedelta) -> None:
        if blocked is None:
            text, level = "wakes can be delivered: the host's policy allows them", Level.INFO
        else:
            text, level = f"no wake reaches the agent — {blocked}; {blocked.remedy}", Level.WARNING
        self._lines.say_of_kind("policy in force", text, ticks, level, about=str(blocked or "wakes allowed"))

    def no_policy(self, blocked: Blocked, ticks: timedelta) -> None:
        """A host has had its time, and has sent no policy yet, or never will."""
        self._policy(blocked, ticks)

    def waiting(self, reminders: int, blocked: Blocked | None, ticks: timedelta) -> None:
        """How many reminders will not fire, and why; nothing where none waits (7.5)."""
        if blocked is None or not reminders:
            self._lines.forget(_WAITING)
            return
        text = f"{_count(reminders)} will not fire — {blocked}; {blocked.remedy}"
        self._lines.say_of_kind(_WAITING, text, ticks)

    def waiting_at_start(self, reminders: int, blocked: Blocked | None) -> None:
        """The same before the host has said a word, when nothing is wrong yet (7.5)."""
        if blocked is not None and reminders:
            self._lines.say(
                f"{_count(reminders)} will not fire before the host's policy allows it — {blocked}"
            )

    # Beats

    def missed_beat(self, blocked: Blocked, ticks: timedelta) -> None:
        """A beat was due and is dropped (4.9)."""
        text = f"{_SUPPRESSED} — {blocked}; {blocked.remedy}"
        self._lines.say_of_kind("missed beat", text, ticks, about=str(blocked))

    def owed_beat(self, blocked: Blocked) -> None:
        """A beat was due before the host's first policy, and waits for it (8.2)."""
        text = f"{_SUPPRESSED} — {blocked}; {blocked.remedy}. It waits, and is sent once when wakes can be"
        self._lines.say(text)

    def busy_beat(self, since: str, ticks: timedelta) -> None:
        """A beat was due while the handler of an earlier one still ran (9.5)."""
        text = f"a heartbeat was due and is not sent: the handler of the one of {since} still runs"
        self._lines.say_of_kind("busy beat", text, ticks, Level.WARNING)

    def beat_taken(self, ticks: timedelta) -> None:
        """The host took a beat."""
        self._lines.say_of_kind("beat taken", f"{self._listener} took a beat", ticks)

    def beat_refused(self, answer: Answer, ticks: timedelta) -> None:
        """The host refused a beat, or it could not be pushed."""
        text = f"{self._listener} did not take a beat: {answer}; {_TRIED_AGAIN}"
        self._lines.say_of_kind("beat refused", text, ticks, Level.WARNING, about=str(answer))

    def silent_refused(self, answer: Answer, ticks: timedelta) -> None:
        """The host refused a silent beat for being empty (6.11)."""
        refused = f"{self._listener} refused a silent beat as empty"
        if self._warned_of_silent:
            self._lines.say_of_kind("silent refused", refused, ticks)
            return
        self._warned_of_silent = True
        self._lines.say(
            f"{refused}: {answer}. Such beats are sent again as messages; "
            f"silent mode needs {self._parties.silent_needs}",
            Level.WARNING,
        )

    def beat_unanswered(self, ticks: timedelta) -> None:
        """The host gave no answer to a beat in time (4.12)."""
        text = f"{self._listener} did not answer a beat in time; {_TRIED_AGAIN}"
        self._lines.say_of_kind("beat unanswered", text, ticks, Level.WARNING)

    # Limits that the operator has set (15)

    def limit_reached(self, limit: str, until: str, ticks: timedelta) -> None:
        """The last wake left that a limit allows for now."""
        self._lines.say_of_kind(
            "limit reached", f"{limit} is reached: the next wake leaves at {until}", ticks
        )

    def beat_waits(self, limit: str, until: str, ticks: timedelta) -> None:
        """A beat was due that may not leave yet."""
        text = f"a heartbeat was due and waits until {until} ({limit})"
        self._lines.say_of_kind("beat waits", text, ticks)

    def history_unread(self, error: Exception, ticks: timedelta) -> None:
        """An embedder's history raised when the wakes in it were counted; `error` is being handled."""
        text = "the history cannot be read: limits of wakes count from now, and not what was sent before"
        self._lines.say_exception("history unread", text, ticks, error)

    # Reminders

    def reminder_taken(self, wake: Wake, ticks: timedelta) -> None:
        """The host took a reminder's wake."""
        self._lines.say_of_kind("reminder taken", f"{self._listener} took {wake.reminder_id}", ticks)

    def reminder_held(self, wake: Wake, answer: Answer, ticks: timedelta) -> None:
        """The host refused a reminder's wake, or it could not be pushed (7.3)."""
        text = f"{self._listener} did not take {wake.reminder_id}: {answer}; {_KEPT}"
        self._lines.say_of_kind("reminder refused", text, ticks, Level.WARNING, about=str(answer))

    def reminder_unanswered(self, reminder_id: str, ticks: timedelta) -> None:
        """The host gave no answer to a reminder's wake in time (7.3)."""
        text = f"{self._listener} did not answer {reminder_id} in time; {_KEPT}"
        self._lines.say_of_kind("reminder unanswered", text, ticks, Level.WARNING)

    def reminder_given_up(self, reminder_id: str, due: str, reason: str, ticks: timedelta) -> None:
        """A firing was not taken in the time that it had (10.5)."""
        text = f"{reminder_id} was not heard: due {due}, given up, since it expired: {reason}"
        self._lines.say_of_kind("reminder given up", text, ticks, Level.WARNING, about=reason)

    def answer_without_effect(self, wake: Wake, answer: Answer, ticks: timedelta) -> None:
        """An answer came for a reminder that is gone or has moved on, or refuses what is held already."""
        text = f"an answer for {wake.reminder_id} changes nothing any more: {answer}"
        self._lines.say_of_kind("answer without effect", text, ticks, about=str(answer))

    # The history

    def history(self, trouble: str | None, now: timedelta) -> None:
        """The history cannot be written, or can again (14.2)."""
        text = "the history is written again" if trouble is None else f"{trouble}. Wakes go on as ever"
        level = Level.INFO if trouble is None else Level.WARNING
        self._lines.say_of_kind("history", text, now, level)

    def broken_history(self, error: Exception, now: timedelta) -> None:
        """What keeps the history raised; `error` is being handled."""
        text = "the history could not be written or read, and lines of it are lost. No wake is"
        self._lines.say_exception("broken history", text, now, error)

    # The clock, and what nobody expected

    def clock_set_back(self, by: timedelta) -> None:
        """The wall clock was set backwards (5.2)."""
        text = f"the clock was set back by {show_seconds(by)}; what recurs comes within an interval from now"
        self._lines.say(text)

    def broken(self, error: Exception, ticks: timedelta) -> None:
        """Something that nobody expected went wrong; `error` is being handled."""
        text = (
            "an unexpected error: what was due is tried again in a moment, the rest goes on. Please report it"
        )
        self._lines.say_exception("broken", text, ticks, error)


def _reduction(update: Update | Malformed) -> str:
    """What a Notification disables, and what of it is ignored, in words."""
    disabled = f"{', '.join(update.disabled or ()) or 'nothing'}; whatever else it says is ignored"
    if isinstance(update, Malformed):
        return f"{disabled}, and it is malformed: {update.problem}"
    lists = {
        "effectiveCapabilities": update.effective,
        "deniedCapabilities": update.denied,
        "enabled": update.enabled,
    }
    ignored = ", ".join(name for name, entries in lists.items() if entries is not None)
    return f"{disabled}: {ignored}" if ignored else disabled


def _count(reminders: int) -> str:
    return "1 reminder" if reminders == 1 else f"{reminders} reminders"
