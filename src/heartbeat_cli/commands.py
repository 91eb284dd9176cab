"""The click group: options, and which command is which.

Each command is in a file of its own, which is imported when the command is called.
"""

from __future__ import annotations

import importlib
import math
import sys

import click

from heartbeat_adapters.paths import DEFAULT_CONFIG_FILE, DEFAULT_REMINDERS_FILE, absolute_path, history_path
from heartbeat_adapters.stdio.descriptors import fill_closed
from heartbeat_adapters.stdio.stop_signals import StopSignals
from heartbeat_cli.database_options import database_option
from heartbeat_cli.limit_options import limits_of, with_limit_options
from heartbeat_cli.server_options import ServerOptions
from heartbeat_core.version import __version__

_OF_FILES = ("check", "history")
"""Commands that look at the files, and would answer for a database what is not so."""


class LazyGroup(click.Group):
    """Imports a command when it is called, so that serving pays for none of them."""

    _commands = ("demo", "check", "history", "recipe")

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """The names of all commands."""
        return list(self._commands)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """The command of that name."""
        if cmd_name not in self._commands:
            return None
        command = getattr(importlib.import_module(f"heartbeat_cli.{cmd_name}"), cmd_name)
        assert isinstance(command, click.Command)
        return command


def _is_a_number(_ctx: click.Context, _option: click.Parameter, value: float) -> float:
    if math.isnan(value):  # which no range refuses
        raise click.BadParameter("nan is not a number of seconds")
    return value


@click.group(
    cls=LazyGroup, invoke_without_command=True, context_settings={"help_option_names": ["-h", "--help"]}
)
@click.option("--stdio", is_flag=True, help="Serve MCP/MCPL on stdin and stdout until stdin ends.")
@click.option(
    "--config-file",
    envvar="HEARTBEAT_CONFIG_FILE",
    metavar="PATH",
    help="Where the schedule is kept.  [default: ./heartbeat-config.json]",
    show_envvar=True,
)
@click.option(
    "--reminders-file",
    envvar="HEARTBEAT_REMINDERS_FILE",
    metavar="PATH",
    help="Where the reminders are kept.  [default: ./heartbeat-reminders.json]",
    show_envvar=True,
)
@click.option(
    "--history-file",
    envvar="HEARTBEAT_HISTORY_FILE",
    metavar="PATH",
    help="Where what became of each wake is kept; an empty text turns it off.  "
    "[default: heartbeat-history.jsonl beside the schedule]",
    show_envvar=True,
)
@click.option(
    "--database",
    envvar="HEARTBEAT_DATABASE",
    metavar="URL",
    help="Keep all that in a database, and not in files: sqlite:///path.db",
    show_envvar=True,
)
@click.option(
    "--agent",
    envvar="HEARTBEAT_AGENT",
    metavar="NAME",
    help="Whose rows of the database.  [default: default]",
    show_envvar=True,
)
@click.option(
    "--timezone",
    envvar="AGENT_TIMEZONE",
    metavar="ZONE",
    help="The zone in which the agent reads times, such as Europe/Berlin.  [default: the system's, else UTC]",
    show_envvar=True,
)
@click.option(
    "--handshake",
    is_flag=True,
    envvar="HEARTBEAT_HANDSHAKE",
    help="Have every client send initialize: for hosts that say only there that they can send wakes on.",
    show_envvar=True,
)
@with_limit_options
@click.option("--verbose", is_flag=True, help="Log every message in and out, one line each.")
@click.option(
    "--answer-within",
    type=click.FloatRange(0.001, 86_400),
    default=30.0,
    callback=_is_a_number,
    hidden=True,
)
@click.version_option(__version__, prog_name="heartbeat-mcpl")
@click.pass_context
def cli(
    ctx: click.Context,
    stdio: bool,
    config_file: str | None,
    reminders_file: str | None,
    history_file: str | None,
    database: str | None,
    agent: str | None,
    timezone: str | None,
    handshake: bool,
    verbose: bool,
    answer_within: float,
) -> None:
    """Wake an LLM agent: on a schedule that it sets itself, and with reminders that it leaves itself.

    A host (the program that runs the agent) starts this with --stdio and talks MCP/MCPL to it. To see
    it work without a host, run: heartbeat-mcpl demo
    """
    if ctx.invoked_subcommand is not None:
        if ctx.invoked_subcommand in _OF_FILES and database_option(database, agent) is not None:
            raise click.UsageError(
                f"{ctx.invoked_subcommand} looks at files alone: leave --database (HEARTBEAT_DATABASE) "
                "out, or look into the tables, whose columns are named as the members of the files"
            )
        fill_closed()  # or the next file that it opens would become stdout
        return
    if not stdio and sys.stdin is not None and sys.stdin.isatty():
        click.echo(ctx.get_help())
        ctx.exit(2)

    from heartbeat_cli.serve import serve

    files_given = bool(config_file or reminders_file or history_file)
    config_file = absolute_path(config_file or DEFAULT_CONFIG_FILE)
    reminders_file = absolute_path(reminders_file or DEFAULT_REMINDERS_FILE)
    serve(
        ctx.ensure_object(StopSignals),
        ServerOptions(
            config_file=config_file,
            reminders_file=reminders_file,
            history_file=history_path(history_file, config_file, reminders_file),
            files_given=files_given,
            database=database_option(database, agent),
            timezone=timezone or None,
            answer_within=answer_within,
            limits=limits_of(ctx),
            handshake=handshake,
            verbose=verbose,
        ),
    )
