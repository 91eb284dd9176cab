"""Which database a URL names (16.1). Light to import: the command line asks before anything is loaded."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from urllib.parse import unquote

from heartbeat_adapters.paths import absolute_path

LONGEST_NAME = 200
"""Characters of an agent's name."""

_FORMS = "give sqlite:///relative/path.db, sqlite:////absolute/path.db or postgresql://user@host/name"


class NotADatabase(ValueError):
    """A URL names no database that can be used; the text says why, and what to give, without the URL."""


@dataclass(frozen=True, slots=True)
class SqliteFile:
    """A database in a file; `path` is absolute."""

    path: str

    @property
    def title(self) -> str:
        """What it is called in front of people."""
        return f"the database {self.path}"


@dataclass(frozen=True, slots=True)
class PostgresServer:
    """A database of PostgreSQL; `conninfo` is for libpq, and may have a password in it."""

    conninfo: str
    title: str
    """What it is called in front of people, without password."""

    def __repr__(self) -> str:
        return f"PostgresServer({self.title})"


def read_database_url(url: str) -> SqliteFile | PostgresServer:
    """Read a URL; a relative path counts from the working directory. Raises NotADatabase."""
    scheme, separator, rest = url.partition("://")
    if not separator:
        raise NotADatabase(f"is no URL: {_FORMS}")
    if scheme.lower() in ("postgresql", "postgres"):
        return _postgres(f"{scheme.lower()}://{rest}")
    if scheme.lower() != "sqlite":
        # What a URL holds is not said again: there can be a password in it.
        suffix = " with a driver behind its +" if "+" in scheme else ""
        raise NotADatabase(f"has a scheme{suffix} that is not known here: {_FORMS}")
    if not rest.startswith("/"):
        raise NotADatabase(
            f"needs three slashes before a relative path, and four before an absolute one: {_FORMS}"
        )
    if "?" in rest or "#" in rest:
        raise NotADatabase("has options, and takes none: write ? and # in a path as %3F and %23")
    path = unquote(rest[1:])
    if path in ("", ":memory:"):
        raise NotADatabase(f"names no file, and what is in memory only is gone at the end: {_FORMS}")
    if "\0" in path or path.endswith("/"):
        raise NotADatabase(f"names no file: {_FORMS}")
    return SqliteFile(absolute_path(path))


def _postgres(url: str) -> PostgresServer:
    try:
        from psycopg import ProgrammingError
        from psycopg.conninfo import conninfo_to_dict
    except ImportError:
        to_do = "pip install 'heartbeat-mcpl[database]'"
        raise NotADatabase(f"is of PostgreSQL, for which a library is missing: {to_do}") from None
    try:
        parts = conninfo_to_dict(url)
    except ProgrammingError:  # its text quotes the URL
        raise NotADatabase(f"cannot be read by libpq: {_FORMS}") from None
    name = parts.get("dbname") or parts.get("user") or "of this user"
    where = f" at {parts['host']}" if parts.get("host") else ""
    port = f":{parts['port']}" if parts.get("port") else ""
    return PostgresServer(url, f"the database {name}{where}{port}")


def check_agent(name: str) -> None:
    """Raise ValueError where a text cannot be the name of an agent, saying what a name is."""
    if not 1 <= len(name) <= LONGEST_NAME or any(unicodedata.category(each) in ("Cc", "Cs") for each in name):
        raise ValueError(f"must be a name of 1 to {LONGEST_NAME} characters, without control characters")
