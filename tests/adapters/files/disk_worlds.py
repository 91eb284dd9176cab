"""What the tests of this folder share."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType

from heartbeat_adapters.files.json_stores import JsonReminderStore
from heartbeat_adapters.files.system_calls import SystemCalls
from heartbeat_core.ports import Found, Trouble
from heartbeat_core.reminders.reminder import Reminder
from heartbeat_core.times.moments import AgentZone

ZONE = AgentZone("UTC", UTC)


NOON = datetime(2026, 10, 10, 12, tzinfo=UTC)


OLD = Reminder("rem_old", "Old", NOON, NOON)


NEW = Reminder("rem_new", "New", NOON, NOON)


FALLIBLE = {
    *("open", "close", "read", "writev", "stat", "fstat", "fchmod", "fchown", "utime", "fsync", "rename"),
    *("unlink", "mkdir", "rmdir", "listdir", "flock", "dup"),
}


def row(reminder: Reminder) -> dict[str, object]:
    return {
        "id": reminder.id,
        "message": reminder.message,
        "createdAt": 1791633600000,
        "fireAt": 1791633600000,
        "everySeconds": None,
    }


def text(*reminders: Reminder) -> bytes:
    return (json.dumps([row(reminder) for reminder in reminders], indent=2) + "\n").encode()


DAMAGED = b"[" + json.dumps(row(OLD)).encode() + b', "\xff"]'


class Faulty(SystemCalls):
    """Counts calls, and makes the one at `position` fail, or all from there on.

    A write that fails has written half; a file that cannot be closed is closed, as Linux has it.
    """

    def __init__(self, position: int | None = None, error: int = 0, *, for_good: bool = False) -> None:
        self.made: list[str] = []
        self.failed: list[str] = []
        self._position, self._error, self._for_good = position, error, for_good

    def __getattribute__(self, name: str) -> object:
        real = super().__getattribute__(name)
        if name not in FALLIBLE:
            return real
        return lambda *args, **kwargs: self._call(name, real, *args, **kwargs)

    def _call(self, name: str, real: Callable[..., object], *args: object, **kwargs: object) -> object:
        number = len(self.made)
        self.made.append(name)
        if not self._fails(number):
            return real(*args, **kwargs)
        self.failed.append(name)
        if name == "close":
            real(*args)
        if name == "writev":
            fd, pieces = args
            assert isinstance(pieces, list)
            whole = b"".join(pieces)
            real(fd, [whole[: len(whole) // 2]])
        raise OSError(self._error, os.strerror(self._error))

    def _fails(self, number: int) -> bool:
        if self._position is None:
            return False
        return number >= self._position if self._for_good else number == self._position


@dataclass
class Outcome:
    """What the store said: to load, to look, to each save."""

    found: list[Found[object]] = field(default_factory=list)
    saves: list[Trouble | None] = field(default_factory=list)

    def said(self) -> str:
        """All of it that is words."""
        troubles = [*(found.trouble for found in self.found), *self.saves]
        return "\n".join(str(trouble) for trouble in troubles if trouble is not None)


@dataclass(frozen=True)
class Scenario:
    """What is there before, what is done, and which contents the file may have afterwards instead."""

    before: bytes | None
    play: Callable[[JsonReminderStore, Path, Outcome], None]
    may_hold: tuple[bytes | None, ...]
    copied: tuple[bytes, ...] = ()
    folder: str = "."


def start(store: JsonReminderStore, _path: Path, outcome: Outcome) -> None:
    outcome.found.append(store.load())


def save(store: JsonReminderStore, path: Path, outcome: Outcome) -> None:
    start(store, path, outcome)
    look(store, outcome)
    outcome.saves.append(store.save([NEW], []))


def look(store: JsonReminderStore, outcome: Outcome) -> None:
    if (found := store.look()) is not None:
        outcome.found.append(found)


def edit_then_save(store: JsonReminderStore, path: Path, outcome: Outcome) -> None:
    start(store, path, outcome)
    path.write_bytes(DAMAGED)
    look(store, outcome)
    outcome.saves.append(store.save([NEW], []))


def vanish_then_save(store: JsonReminderStore, path: Path, outcome: Outcome) -> None:
    start(store, path, outcome)
    path.unlink()
    look(store, outcome)
    outcome.saves.append(store.save([NEW], []))


SCENARIOS = {
    "a first save": Scenario(None, save, (text(NEW),)),
    "a first save in folders to be made": Scenario(None, save, (text(NEW),), folder="a/b"),
    "a later save": Scenario(text(OLD), save, (text(OLD, NEW),)),
    "a start on a damaged file": Scenario(DAMAGED, start, (), (DAMAGED,)),
    "a save after a start on one": Scenario(DAMAGED, save, (text(OLD, NEW),), (DAMAGED,)),
    "a save over a stranger's damage": Scenario(
        text(OLD), edit_then_save, (DAMAGED, text(OLD, NEW)), (DAMAGED,)
    ),
    "a save of what vanished": Scenario(text(OLD), vanish_then_save, (None, text(OLD, NEW), text(NEW))),
}


class Lab:
    """A folder in which one scenario is played many times."""

    def __init__(self, scenario: Scenario, top: Path) -> None:
        self.scenario = scenario
        self.top = top / "lab"
        self.path = self.top / scenario.folder / "r.json"

    def __enter__(self) -> Lab:
        self.top.mkdir()
        if self.scenario.before is not None:
            self.path.write_bytes(self.scenario.before)
            self.path.chmod(0o640)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, traceback: TracebackType | None
    ) -> None:
        shutil.rmtree(self.top)

    def play(self, calls: SystemCalls) -> Outcome:
        store = JsonReminderStore(str(self.path), ZONE, calls=calls)
        outcome = Outcome()
        self.scenario.play(store, self.path, outcome)
        store.close()
        return outcome

    def holds(self) -> bytes | None:
        return self.path.read_bytes() if self.path.exists() else None

    def left(self) -> set[str]:
        """Names in the folder, without the file and its copies, each of which is checked."""
        copies = {
            f"r.json.unreadable-{hashlib.sha256(data).hexdigest()[:12]}" for data in self.scenario.copied
        }
        left = {entry.name for entry in self.path.parent.iterdir()} if self.path.parent.exists() else set()
        for copy in left & copies:
            assert (self.path.parent / copy).read_bytes() in self.scenario.copied
        return left - copies - {"r.json"}

    def check(self, outcome: Outcome) -> None:
        """What holds after whatever happened."""
        held = self.holds()
        assert held in (self.scenario.before, *self.scenario.may_hold)
        for found in outcome.found:
            # Nothing is taken for a fresh start that was not one, without a word.
            may_be_fresh = None in (self.scenario.before, *self.scenario.may_hold)
            assert found.content is not None or found.trouble is not None or may_be_fresh
        if outcome.saves == [None]:
            assert held is not None
            assert NEW.id.encode() in held
            if self.scenario.copied:
                assert any(name.startswith("r.json.unreadable-") for name in os.listdir(self.path.parent))
        for why_not in (trouble.text for trouble in outcome.saves if trouble is not None):
            assert str(self.path) in why_not
            assert "\n" not in why_not
            assert not why_not.endswith(".")
            assert held is None or NEW.id.encode() not in held or "power cut" in why_not

    def check_next_start(self) -> None:
        """After the fault is gone: the file loads, everything can be saved, nothing is left."""
        store = JsonReminderStore(str(self.path), ZONE)
        found = store.load()
        assert found.content is not None or found.trouble is not None or self.holds() is None
        assert store.save([NEW], []) is None
        store.close()
        again = JsonReminderStore(str(self.path), ZONE)
        content = again.load().content
        assert content is not None
        assert NEW in content
        again.close()
        assert self.left() == set()


def calls_of(scenario: Scenario, top: Path) -> list[str]:
    with Lab(scenario, top) as lab:
        calls = Faulty()
        outcome = lab.play(calls)
        lab.check(outcome)
        assert lab.left() == set()
        assert None in outcome.saves or scenario.play is start
    return calls.made
