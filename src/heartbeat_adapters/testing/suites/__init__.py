"""Suites that hold the ports, for those who write an adapter (9.8): plain classes of test methods.

Subclass one under a name that your test runner collects, and override the method that makes the part:

    class TestMyReminderStore(ReminderStoreSuite):
        def make_store(self) -> ReminderStore:
            return MyReminderStore(self.place)

The other methods that a suite lets you override play what happens to the part from outside. A test that needs
one which you do not override is skipped, and says so. Nothing of pytest is needed or imported here; with it,
call `pytest.register_assert_rewrite("heartbeat_adapters.testing.suites")` in your `conftest.py` to see the
values of an assertion that failed.
"""
