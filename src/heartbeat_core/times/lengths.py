"""Lengths of time in the units that people and files use, exact to the millisecond (5.3)."""

from __future__ import annotations

from datetime import timedelta
from fractions import Fraction

MILLISECOND = timedelta(milliseconds=1)
UNITS = {"Seconds": 1_000, "Minutes": 60_000, "Hours": 3_600_000}
"""The units that an argument's name can end with, in milliseconds."""


def total(parts: dict[str, int | float]) -> Fraction:
    """Add up lengths given by unit, `{"Minutes": 1.5, "Hours": 2}`, to exact milliseconds.

    Floats are taken at their exact binary value; the sum is to be rounded once, by `from_ms`.
    """
    return sum((Fraction(value) * UNITS[unit] for unit, value in parts.items()), Fraction(0))


def from_ms(milliseconds: Fraction) -> timedelta:
    """The length of so many milliseconds, rounded to a whole one."""
    return round(milliseconds) * MILLISECOND


def in_seconds(length: timedelta) -> int | float:
    """A length as a number of seconds: whole where it is whole, else with up to three decimals."""
    milliseconds = length // MILLISECOND
    return milliseconds // 1000 if milliseconds % 1000 == 0 else milliseconds / 1000


def show_seconds(length: timedelta) -> str:
    """A length as the agent reads it: `90s`, `5.25s`."""
    number = in_seconds(length)
    return f"{number}s" if isinstance(number, int) else f"{number:.3f}".rstrip("0") + "s"


def show_rough_seconds(length: timedelta) -> str:
    """A time still to go as the agent reads it, `~90s`: rounded up, so that 0 means that it has come."""
    return f"~{-(-length // timedelta(seconds=1))}s"
