"""The host of the model test: a transport that ends in a scripted host, and the agent that hears."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from heartbeat_core.wakes import Answer, Failed, Refused, Taken, Wake

if TYPE_CHECKING:
    from test_delivery_model import DeliveryMachine


class Host:
    """A transport that ends in a scripted host, and the agent that hears what it lets through.

    It drops an event that it has seen (`seen`); one that `uses_up` counts what it refused as seen.
    """

    def __init__(self, machine: DeliveryMachine) -> None:
        self.machine = machine
        self.uses_up = False
        self.knows_silent = True
        self.always: str | None = None
        """How each wake is answered at once; None: when the machine says so."""
        self.seen: set[str] = set()
        self.inbox: list[Wake] = []
        self.looped = False
        self._asked = 0
        self._asked_at: timedelta | None = None

    def ready(self) -> bool:
        self._asked = self._asked + 1 if self._asked_at == self.machine.clock.monotonic() else 0
        self._asked_at = self.machine.clock.monotonic()
        if self._asked > 5_000 or self.looped:
            self.looped = True
            self.machine.model.note("a busy loop")
            raise RuntimeError("busy loop")
        return self.machine.model.room

    def rested(self) -> None:
        """All that was due has happened: what comes next is no part of a loop."""
        self._asked = 0

    def push(self, wake: Wake) -> None:
        m = self.machine
        m.model.pushed(wake, m.clock.now(), m.clock.monotonic())
        self.inbox.append(wake)
        if (intent := self.always) is not None:
            m.clock.call_at(m.clock.now(), lambda: self.turn(wake, intent))

    def turn(self, wake: Wake, intent: str) -> None:
        """The host gets to a wake."""
        if wake not in self.inbox:
            return
        self.inbox.remove(wake)
        answer = self.think(wake, intent)
        if answer is not None:
            self.machine.answer(wake, answer)

    def think(self, wake: Wake, intent: str) -> Answer | None:
        match intent:
            case "take":
                return self.let_through(wake)
            case "refuse":
                if self.uses_up and wake.event_id in self.seen:
                    return Refused("duplicate")
                if self.uses_up:
                    self.seen.add(wake.event_id)
                return Refused("not now")
            case "error":
                return Refused("the host is stopping", -32603)
            case "fail":
                return Failed("the pipe broke")
            case "fail after hearing":
                self.let_through(wake)
                return Failed("the pipe broke")
            case "hear without a word":
                self.let_through(wake)
                return None
            case _:
                return None

    def let_through(self, wake: Wake) -> Answer:
        if wake.text is None and not self.knows_silent:
            return Refused("payload.content must not be empty", -32602)
        if wake.event_id in self.seen:
            return Refused("duplicate")
        self.seen.add(wake.event_id)
        if wake.reminder_id is not None:
            self.machine.model.reminder_heard(wake)
        return Taken()
