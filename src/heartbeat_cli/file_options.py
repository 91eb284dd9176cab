"""The options that say which files and which zone, for commands that need them as the server does (1.2).

They are read after the command's name as well as before it, where the group has them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import click

from heartbeat_adapters.paths import DEFAULT_CONFIG_FILE, DEFAULT_REMINDERS_FILE, absolute_path, history_path

_OPTIONS = (
    ("--config-file", "PATH", "Where the schedule is kept."),
    ("--reminders-file", "PATH", "Where the reminders are kept."),
    ("--history-file", "PATH", "Where what became of each wake is kept."),
    ("--timezone", "ZONE", "The zone in which the agent reads times."),
)


@dataclass(frozen=True, slots=True)
class FileOptions:
    """What a server started with the same words would run on. Paths are absolute.

    `history_is_given` says that the history file, or that there is none, was not left to the default.
    """

    config_file: str
    reminders_file: str
    history_file: str | None
    history_is_given: bool
    timezone: str | None


def with_file_options(function: Callable[..., None]) -> Callable[..., None]:
    """Add the options to a command; in it, `file_options` reads them."""
    for name, metavar, text in reversed(_OPTIONS):
        function = click.option(
            name, metavar=metavar, help=f"{text} As for the server.", expose_value=False, callback=_keep
        )(function)
    return function


def file_options(ctx: click.Context) -> FileOptions:
    """What was given: after the command's name, else before it or in the environment, else the defaults."""
    config_file = absolute_path(_value(ctx, "config_file") or DEFAULT_CONFIG_FILE)
    reminders_file = absolute_path(_value(ctx, "reminders_file") or DEFAULT_REMINDERS_FILE)
    return FileOptions(
        config_file=config_file,
        reminders_file=reminders_file,
        history_file=history_path(_history(ctx), config_file, reminders_file),
        history_is_given=_history(ctx) is not None,
        timezone=_value(ctx, "timezone"),
    )


def _keep(ctx: click.Context, option: click.Parameter, value: str | None) -> None:
    ctx.meta[f"{__name__}.{option.name}"] = value


def _history(ctx: click.Context) -> str | None:
    """As `_value`, but an empty text that was given as an option says something (14.2)."""
    own: str | None = ctx.meta.get(f"{__name__}.history_file")
    before = ctx.parent.params.get("history_file") if ctx.parent else None
    return before if own is None else own


def _value(ctx: click.Context, name: str) -> str | None:
    """An empty text counts as not given (1.2)."""
    before = ctx.parent.params.get(name) if ctx.parent else None
    return ctx.meta.get(f"{__name__}.{name}") or before or None
