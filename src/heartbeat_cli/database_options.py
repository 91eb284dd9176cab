"""The options that say which database, and whose rows of it (16.1).

Nothing that only databases need is imported where none is named.
"""

from __future__ import annotations

import click

from heartbeat_adapters.paths import DEFAULT_AGENT
from heartbeat_cli.server_options import DatabaseOption


def database_option(database: str | None, agent: str | None) -> DatabaseOption | None:
    """What was given, an empty text counting as nothing; None where no database was.

    Raises click.UsageError, which is exit code 2.
    """
    if not database:
        if agent:
            raise click.UsageError(
                "--agent (HEARTBEAT_AGENT) needs --database (HEARTBEAT_DATABASE) beside it"
            )
        return None
    from heartbeat_adapters.database.database_url import NotADatabase, check_agent, read_database_url

    try:
        place = read_database_url(database)
    except NotADatabase as why:
        raise click.UsageError(f"the URL of --database (HEARTBEAT_DATABASE) {why}") from None
    name = agent or DEFAULT_AGENT
    try:
        check_agent(name)
    except ValueError as why:
        raise click.UsageError(f"--agent (HEARTBEAT_AGENT) {why}") from None
    return DatabaseOption(database, name, f"{place.title} for agent {name}")
