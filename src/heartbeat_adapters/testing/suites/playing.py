"""What a suite would like played and its subclass does not play."""

from __future__ import annotations

from typing import NoReturn


def not_played(suite: object, what: str) -> NoReturn:
    """End the test as skipped: raises SkipTest, which unittest and pytest both know."""
    from unittest import SkipTest

    raise SkipTest(f"{type(suite).__name__} does not play this: override {what} to have it tested")
