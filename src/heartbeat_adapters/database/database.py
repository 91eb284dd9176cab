"""A database as those who embed heartbeats have it: opened once, and shared by any number of agents."""

from __future__ import annotations

from heartbeat_adapters.database.agent_claims import LockedAgent
from heartbeat_adapters.database.database_url import (
    PostgresServer,
    SqliteFile,
    check_agent,
    read_database_url,
)
from heartbeat_adapters.database.lease import LOOK_EVERY
from heartbeat_adapters.database.served_agent import ServedAgent
from heartbeat_adapters.database.sqlite_session import SqliteSession


class Database:
    """The database that a URL names (16.1), over one connection, for all agents that `embed` takes from it.

        database = Database("postgresql://heartbeat@db.example/heartbeat")
        async with embed(handler, database=database, agent="ada") as heartbeat: ...

    It connects when the first agent needs it, and hangs up after the last one. Raises ValueError for a URL
    that names no database, also where `heartbeat-mcpl[database]` is missing for PostgreSQL. What else goes
    wrong is said by replies and the log, and is over when it is over (16.4).
    """

    def __init__(self, url: str) -> None:
        self._place = read_database_url(url)
        self.title = self._place.title
        """What it is called in front of people, without password."""
        match self._place:
            case SqliteFile(path=path):
                self._sqlite = SqliteSession(path)
            case PostgresServer(conninfo=conninfo, title=title):
                # Here, as below, since nobody but those who use it has its library.
                from heartbeat_adapters.database.postgres_session import PostgresSession

                self._postgres = PostgresSession(conninfo, title)

    def agent(self, name: str) -> ServedAgent:
        """One agent in it, whether there is anything of it yet or not. Raises ValueError for no such name."""
        check_agent(name)
        match self._place:
            case SqliteFile(path=path):
                return ServedAgent(self._sqlite, LockedAgent(path, name), name)
            case PostgresServer():
                from heartbeat_adapters.database.leased_agents import LeasedAgent

                return ServedAgent(self._postgres, LeasedAgent(self._postgres, name), name, LOOK_EVERY)
