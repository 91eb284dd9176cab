"""The suites themselves: they need nothing of a test runner, and what is not played is skipped (9.8)."""

from __future__ import annotations

import subprocess
import sys
import unittest
from collections.abc import Sequence

import pytest

from heartbeat_adapters import VolatileReminderStore
from heartbeat_adapters.testing import (
    ClockSuite,
    CoreSide,
    HistorySuite,
    ReminderStoreSuite,
    ScheduleStoreSuite,
    TransportSuite,
)
from heartbeat_core import Reminder, ReminderStore

SUITES: dict[type, str] = {
    ClockSuite: "make_clock",
    TransportSuite: "make_transport",
    ScheduleStoreSuite: "make_store",
    ReminderStoreSuite: "make_store",
    HistorySuite: "make_history",
}


def test_no_test_runner_is_loaded_with_the_suites() -> None:
    """9.8: pytest is no dependency of the package"""
    code = (
        "import sys\n"
        "sys.modules['pytest'] = None\n"
        "from heartbeat_adapters.testing import *\n"
        "print([name for name in ('pytest', '_pytest', 'unittest') if sys.modules.get(name)])\n"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert ran.stdout == "[]\n"


@pytest.mark.parametrize("suite", SUITES, ids=lambda suite: suite.__name__)
def test_one_method_has_to_be_overridden(suite: type) -> None:
    """9.8"""
    arguments = (CoreSide(),) if suite is TransportSuite else ()
    with pytest.raises(NotImplementedError):
        getattr(suite(), SUITES[suite])(*arguments)


class Minimal(ReminderStoreSuite):
    """What somebody writes who wants to know whether a store will do."""

    def __init__(self) -> None:
        self.store = VolatileReminderStore()

    def make_store(self) -> ReminderStore:
        return self.store


def test_what_is_not_played_is_skipped_and_says_what_to_override() -> None:
    """9.8"""
    with pytest.raises(unittest.SkipTest, match="Minimal does not play this: override break_saving"):
        Minimal().test_a_failed_save_says_why_and_leaves_what_was_saved_before()
    Minimal().test_a_save_changes_the_rows_that_it_names_and_no_others()


class Forgetful(VolatileReminderStore):
    """Forgets the rows that a save does not name."""

    def save(self, changed: Sequence[Reminder], removed: Sequence[str]) -> None:
        self._reminders = {row.id: row for row in changed if row.id not in removed}


def test_a_store_that_breaks_its_promise_does_not_pass() -> None:
    """9.8"""
    suite = Minimal()
    suite.store = Forgetful()
    with pytest.raises(AssertionError):
        suite.test_a_save_changes_the_rows_that_it_names_and_no_others()
