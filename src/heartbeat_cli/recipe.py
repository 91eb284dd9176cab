"""`heartbeat-mcpl recipe`: prints the configuration of a host, with absolute paths, to be pasted.

The block goes to stdout, so that it can go into a file as it is. What there is to say about it goes to
stderr. What each host wants is in `host_recipes`.
"""

from __future__ import annotations

import json
import sys
import textwrap
from collections.abc import Iterator
from typing import Protocol

import click

from heartbeat_cli.file_options import file_options, with_file_options
from heartbeat_cli.host_recipes import NO_WAKES, ONE_SESSION, RECIPES, Block, Recipe, Server
from heartbeat_cli.limit_options import limit_variables, with_limit_options
from heartbeat_cli.server_command import may_vanish, server_command
from heartbeat_cli.toml_text import as_toml

_WIDTH = 100


@click.command(name="recipe", short_help="Print what a host's configuration needs.")
@click.option(
    "--host",
    required=True,
    type=click.Choice(list(RECIPES)),
    help="The host to be wired; mcp is any other that has mcpServers.",
)
@with_file_options
@with_limit_options
@click.pass_context
def recipe(ctx: click.Context, host: str) -> None:
    """Print the block of configuration that wires a host, with absolute paths.

    Run it where the two files shall be kept, or say where with --config-file and --reminders-file.
    """
    files = file_options(ctx)
    env = {"HEARTBEAT_CONFIG_FILE": files.config_file, "HEARTBEAT_REMINDERS_FILE": files.reminders_file}
    if files.history_is_given:
        env["HEARTBEAT_HISTORY_FILE"] = files.history_file or ""
    if files.timezone is not None:
        env["AGENT_TIMEZONE"] = files.timezone
    env |= limit_variables(ctx)
    server = Server(server_command(), env)
    click.echo(_as_text(RECIPES[host].block(server), as_toml if RECIPES[host].toml else _as_json))
    for paragraph in _words(RECIPES[host], server):
        click.echo(f"\n{paragraph}", err=True)


class _Writer(Protocol):
    def __call__(self, block: Block, /, *, ascii_only: bool = False) -> str: ...


def _as_json(block: Block, /, *, ascii_only: bool = False) -> str:
    return json.dumps(block, indent=2, ensure_ascii=ascii_only)


def _as_text(block: Block, write: _Writer) -> str:
    """Readable in any language, unless the terminal's encoding is not up to it."""
    text = write(block)
    try:
        text.encode(sys.stdout.encoding or "ascii")
    except UnicodeEncodeError:
        return write(block, ascii_only=True)
    return text


def _words(chosen: Recipe, server: Server) -> Iterator[str]:
    yield textwrap.fill(chosen.words, _WIDTH)
    if chosen.shell is not None:
        yield chosen.shell(server)
    if not chosen.wakes:
        yield textwrap.fill(NO_WAKES, _WIDTH)
    yield textwrap.fill(ONE_SESSION, _WIDTH)
    if may_vanish():
        yield textwrap.fill(
            f"{server.command[0]} is in a cache and may be cleared away: install the server to stay, with "
            "uv tool install or pipx install, and print the recipe anew.",
            _WIDTH,
        )
