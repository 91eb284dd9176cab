"""Statements in PostgreSQL, and what is passed on of its errors: codes, no texts, which quote rows (16.1)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice

import psycopg

from heartbeat_adapters.database.sessions import Row, Unreachable, Value

NOW = "(extract(epoch FROM clock_timestamp()) * 1000)::bigint"
"""The database's own time, in epoch milliseconds."""

_ROWS_IN_A_STATEMENT = 1000

_REMEDIES = {
    "25006": "give the URL of a server that may be written to",
    "28000": "let this role and this machine in, in pg_hba.conf",
    "28P01": "give the right password",
    "3D000": "make that database",
    "42501": "let this role make tables where its search path says, which PostgreSQL 15 does not by itself",
    "3F000": "make the schema that its search path names first",
    "53100": "make room on its disk",
    "53300": "allow it more connections, or put a pooler before it",
}


class PostgresRows:
    """The statements of one transaction. A `Rows`."""

    def __init__(self, connection: psycopg.Connection) -> None:
        self._connection = connection

    def all(self, statement: str, *values: Value) -> Sequence[Row]:
        """Give all rows of a query."""
        return self._execute(statement, values).fetchall()

    def run(self, statement: str, *values: Value) -> None:
        """Run a statement whose rows nobody wants."""
        self._execute(statement, values)

    def run_each(self, statement: str, rows: Iterable[Sequence[Value]]) -> None:
        """Run a statement that has one list of `VALUES` for all of these rows of values.

        Many of them in one statement: each one costs a round trip, and a new version of the agent's row.
        """
        before, _, rest = statement.partition("VALUES (")
        one, _, after = rest.partition(")")
        each = iter(rows)
        while some := list(islice(each, _ROWS_IN_A_STATEMENT)):
            lists = ", ".join(f"({one})" for _ in some)
            self._execute(f"{before}VALUES {lists}{after}", [value for row in some for value in row])

    def has_table(self, name: str) -> bool:
        """Whether there is such a table, where the search path says."""
        # Not by `to_regclass`: that remembers for the whole transaction what was not there at first.
        found = "SELECT 1 FROM pg_catalog.pg_class WHERE relname = ? AND pg_catalog.pg_table_is_visible(oid)"
        return bool(self.all(found, name))

    def last_of(self, statements: str) -> Sequence[Row]:
        """Run statements in one go, and give all rows of the last, a query."""
        cursor = self._connection.execute(statements.encode())
        while cursor.nextset():
            pass
        return cursor.fetchall()

    def hang_up(self) -> None:
        """Close the connection."""
        self._connection.close()

    def _execute(self, statement: str, values: Sequence[Value]) -> psycopg.Cursor[Row]:
        return self._connection.execute(_in_psycopg(statement), values or None)


def _in_psycopg(statement: str) -> bytes:
    return statement.replace("?", "%s").encode()


def unreachable(error: psycopg.Error) -> Unreachable:
    """Its code, and what to do; never its text."""
    code = error.sqlstate
    if code is None:
        return Unreachable(
            "no connection",
            "see that it runs, that this machine can reach it, and that its name, the role and the password "
            "are right",
        )
    return Unreachable(f"SQLSTATE {code}", _REMEDIES.get(code, "look into the log of the database"))
