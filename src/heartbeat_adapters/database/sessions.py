"""What the stores need of a database: transactions, and one way to say that it cannot be reached.

Statements are written once, with `?` for values. Texts of a driver go no further than its session: they
quote passwords and rows (16.1).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Protocol, TypeAlias, TypeVar

Value: TypeAlias = str | int | float | bool | None
Row: TypeAlias = Sequence[object]
T = TypeVar("T")


class Unreachable(Exception):
    """A transaction did not come about: what is wrong, without a row's content, and what to do about it.

    Nothing of it is kept, unless the answer to its commit was what got lost: who writes again looks first.
    """

    def __init__(self, why: str, remedy: str) -> None:
        super().__init__(f"{why}: {remedy}")
        self.why = why
        self.remedy = remedy


class Rows(Protocol):
    """The statements of one transaction."""

    def all(self, statement: str, *values: Value) -> Sequence[Row]:
        """Give all rows of a query."""

    def run(self, statement: str, *values: Value) -> None:
        """Run a statement whose rows nobody wants."""

    def run_each(self, statement: str, rows: Iterable[Sequence[Value]]) -> None:
        """Run a statement that has one list of `VALUES`, for each of these rows of values."""

    def has_table(self, name: str) -> bool:
        """Whether there is such a table."""


class Session(Protocol):
    """One database, opened when it is first needed, and again whenever it was lost."""

    title: str
    """What it is called in front of people, without password: `the database /srv/agents.db`."""

    def read(self, work: Callable[[Rows], T]) -> T:
        """Let `work` read, all at one moment. Raises Unreachable; nothing else may be done in `work`."""

    def write(self, work: Callable[[Rows], T]) -> T:
        """Let `work` read and write, alone; durable when this returns, and undone where `work` raises.

        Raises Unreachable, and what `work` raises.
        """

    def opened(self) -> None:
        """One more agent uses it, until it says `closed`."""

    def closed(self) -> None:
        """One agent uses it no longer; with the last one it is let go of."""

    def close(self) -> None:
        """Let go of the database, whoever uses it. May be called twice."""


def whole(value: object) -> int:
    """A number out of a row that this package writes itself. Raises TypeError where it is none."""
    if not isinstance(value, int):
        raise TypeError("a column of whole numbers has something else")
    return value
