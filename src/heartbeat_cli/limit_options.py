"""The options by which the operator limits the agent, for commands that take them as the server does (15.1).

A value that cannot be read stops the start: an operator who set a limit must not run without it. Nothing that
only limits need is imported where none is set.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, Any

import click
from click.core import ParameterSource

if TYPE_CHECKING:
    from datetime import timedelta

    from heartbeat_core.schedule.limits import Limits

_NUMBER = re.compile(r"(\d{1,12}(?:\.\d{1,12})?)([smh]?)", re.ASCII)
_WHOLE = re.compile(r"\d{1,12}", re.ASCII)
_MILLISECONDS = {"": 1_000, "s": 1_000, "m": 60_000, "h": 3_600_000}
_LONGEST_SHOWN = 60


def _length(text: str) -> timedelta:
    from fractions import Fraction

    from heartbeat_core.schedule.ambient_schedule import LONGEST_LENGTH
    from heartbeat_core.times.lengths import from_ms

    match = _NUMBER.fullmatch(text.strip())
    length = None if match is None else from_ms(Fraction(match[1]) * _MILLISECONDS[match[2]])
    if length is None or length > LONGEST_LENGTH:
        raise ValueError(text)
    return length


def _count(text: str) -> int:
    if _WHOLE.fullmatch(text.strip()) is None:
        raise ValueError(text)
    return int(text)


@dataclass(frozen=True, slots=True)
class _LimitOption:
    """One limit. `allowed` says what its value has to be; `read` raises ValueError where it is not."""

    name: str
    metavar: str
    text: str
    allowed: str
    read: Callable[[str], object] = _count

    @property
    def field(self) -> str:
        """What `Limits`, and click, call it."""
        return self.name.removeprefix("--").replace("-", "_")

    @property
    def variable(self) -> str:
        """The variable behind it."""
        return f"HEARTBEAT_{self.field.upper()}"


_OPTIONS = (
    _LimitOption(
        "--min-interval",
        "LENGTH",
        "The least time from one heartbeat to the next, and between the times of a reminder.",
        "a length above 0, such as 90s, 15m, 1.5h, or a number of seconds",
        _length,
    ),
    _LimitOption("--max-wakes-per-hour", "N", "The most wakes in any hour.", "a whole number, 1 or more"),
    _LimitOption("--max-wakes-per-day", "N", "The most wakes in any 24 hours.", "a whole number, 1 or more"),
    _LimitOption("--max-reminders", "N", "The most reminders at a time.", "a whole number, 0 or more"),
    _LimitOption(
        "--quiet-hours",
        "HOURS",
        "The hours of the day in which no wake is sent, such as 22:00-07:00.",
        "one stretch of the day that leaves time for wakes, such as 22:00-07:00",
        str,
    ),
)


class BadLimits(click.ClickException):
    """Limits that cannot be read: exit code 2, and a line for each."""

    exit_code = 2

    def __init__(self, problems: list[str]) -> None:
        super().__init__("\n".join(problems))
        self.problems = problems

    def show(self, file: IO[Any] | None = None) -> None:
        """Say each on a line of its own."""
        for problem in self.problems:
            click.echo(f"Error: {problem}", file=file, err=True)


def with_limit_options(function: Callable[..., None]) -> Callable[..., None]:
    """Add the options to a command; `limits_of` and `limit_variables` read them.

    They are read after a command's name as well as before it, where the group has them.
    """
    for option in reversed(_OPTIONS):
        function = click.option(
            option.name,
            envvar=option.variable,
            metavar=option.metavar,
            help=option.text,
            show_envvar=True,
            expose_value=False,
            callback=_keep,
        )(function)
    return function


def limits_of(ctx: click.Context) -> Limits | None:
    """What was set; None where nothing was. Raises BadLimits, with every value that cannot be read."""
    given = _given(ctx)
    if not given:
        return None
    from heartbeat_core.schedule.limits import Limits

    values: dict[str, Any] = {}
    problems = []
    for option, text in given.items():
        try:
            values[option.field] = option.read(text)
            Limits(**{option.field: values[option.field]})
        except ValueError:
            name = f"{option.name} ({option.variable})"
            problems.append(f"{name} must be {option.allowed}, and is {_shown(text)}")
    if problems:
        raise BadLimits(problems)
    return Limits(**values)


def limit_variables(ctx: click.Context) -> Mapping[str, str]:
    """The limits as variables, as a host hands them to the server. Raises BadLimits."""
    limits_of(ctx)
    return {option.variable: text.strip() for option, text in _given(ctx).items()}


def _keep(ctx: click.Context, option: click.Parameter, value: str | None) -> None:
    """Keep what was given: an option before a variable, and the option that comes last."""
    key = f"{__name__}.{option.name}"
    if value is not None and (key not in ctx.meta or _is_typed(ctx, option)):
        ctx.meta[key] = value


def _is_typed(ctx: click.Context, option: click.Parameter) -> bool:
    return ctx.get_parameter_source(str(option.name)) is ParameterSource.COMMANDLINE


def _given(ctx: click.Context) -> dict[_LimitOption, str]:
    found = {option: ctx.meta.get(f"{__name__}.{option.field}") for option in _OPTIONS}
    return {option: text for option, text in found.items() if text is not None}


def _shown(text: str) -> str:
    return ascii(text if len(text) <= _LONGEST_SHOWN else f"{text[:_LONGEST_SHOWN]}…")
