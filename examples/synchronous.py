"""A program without asyncio: it has a main loop of its own, waits in it, and calls the core itself.

Timers are kept by `sched` of the standard library; anything that can call back later will do in its
place. A program whose time is not the machine's, a simulation for instance, implements
`heartbeat_core.Clock` instead of using `SystemClock`, as `heartbeat_adapters.testing.FakeClock` does.
"""

import logging
import queue
import sched
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta

from heartbeat_adapters import Container, Settings, SystemClock
from heartbeat_core import IN_PROCESS, Heartbeat, Policy, Taken, Wake


@dataclass
class Timer:
    """One callback that waits."""

    scheduler: sched.scheduler
    event: sched.Event

    def cancel(self) -> None:
        """Make sure that it does not come any more."""
        with suppress(ValueError):  # it came already
            self.scheduler.cancel(self.event)


class Timers:
    """What `SystemClock` needs: a way to be called back later."""

    def __init__(self) -> None:
        self.scheduler = sched.scheduler()

    def call_later(self, delay: float, callback: Callable[[], object]) -> Timer:
        """Call back once, from inside `run_due`."""
        return Timer(self.scheduler, self.scheduler.enter(delay, 0, callback))

    def run_due(self) -> float | None:
        """Call back what is due; gives for how many seconds nothing will be."""
        return self.scheduler.run(blocking=False)


class Agent:
    """Is woken by `push`: a `heartbeat_core.Transport`."""

    def __init__(self, timers: Timers) -> None:
        self.heard: list[str] = []
        self.heartbeat: Heartbeat
        self._timers = timers

    def push(self, wake: Wake) -> None:
        """Hear a wake. It is answered later, never from in here: the core is in the middle of a step."""
        self.heard.append(wake.text or "")
        print(wake.text)
        self._timers.call_later(0, lambda: self.heartbeat.answered(wake, Taken()))

    def ready(self) -> bool:
        """Whether there is room for another wake: always."""
        return True


def main() -> None:
    """Set a reminder, and go on with the day until it has come and was answered."""
    timers = Timers()
    agent = Agent(timers)
    container = Container(
        settings=Settings(
            config_file="data/heartbeat-config.json",
            reminders_file="data/heartbeat-reminders.json",
            timezone="Europe/Berlin",
            answer_within=timedelta(seconds=30),
        ),
        clock=SystemClock(timers),
        transport=agent,
        policy=Policy.open(),
        log=logging.getLogger("heartbeat"),  # what handles its lines is yours to say
        parties=IN_PROCESS,  # so that they speak of no host
    )
    heartbeat = agent.heartbeat = container.heartbeat()
    tools = container.toolbox()
    heartbeat.start()
    print(tools.call("reminder_add", {"message": "Take the tea out.", "inSeconds": 1}).text)

    from_the_user: queue.Queue[str] = queue.Queue()
    while len(heartbeat.reminders):
        wait = timers.run_due()
        with suppress(queue.Empty):
            print(f"the user says {from_the_user.get(timeout=wait)}")
    heartbeat.stop()


main()
