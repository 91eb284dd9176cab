"""The history of one agent, a row a line. A `History`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from heartbeat_adapters.database.served_agent import ServedAgent
from heartbeat_adapters.database.sessions import Rows, Unreachable, whole
from heartbeat_adapters.database.stored_rows import HISTORY_COLUMNS, history_row, listed, read_history
from heartbeat_core.history import HistoryLine
from heartbeat_core.ports import Trouble

KEPT = 10_000
"""Lines that are kept for each agent (16.2)."""

_PAGE = 500
_LAST = "SELECT coalesce(max(number), 0) FROM heartbeat_history WHERE agent = ?"
_ADD = (
    f"INSERT INTO heartbeat_history (agent, number, {listed(HISTORY_COLUMNS)}) "
    f"VALUES (?, ?, {', '.join('?' for _ in HISTORY_COLUMNS)})"
)
_DROP = "DELETE FROM heartbeat_history WHERE agent = ? AND number <= ?"
_READ = (
    f"SELECT number, {listed(HISTORY_COLUMNS)} FROM heartbeat_history "
    f"WHERE agent = ? AND number < ? ORDER BY number DESC LIMIT {_PAGE}"
)


class DatabaseHistory:
    """Keeps what became of each wake of an agent, the last `KEPT` lines. A `History`."""

    def __init__(self, served: ServedAgent) -> None:
        self._served = served
        self._agent = served.agent
        self._is_open = False

    def append(self, lines: Sequence[HistoryLine]) -> Trouble | None:
        """Keep lines, oldest first, while the agent is ours; see `History.append`."""
        if not self._is_open:
            self._is_open = True
            self._served.opened()

        def work(rows: Rows) -> None:
            last = whole(rows.all(_LAST, self._agent)[0][0])
            numbered = enumerate(lines, last + 1)
            rows.run_each(_ADD, [(self._agent, number, *history_row(line)) for number, line in numbered])
            rows.run(_DROP, self._agent, last + len(lines) - KEPT)

        trouble = self._served.write(work)
        return None if trouble is None else replace(trouble, text=f"no history is kept, since {trouble}")

    def newest_first(self) -> Iterator[HistoryLine]:
        """Read backwards from the last line; see `History.newest_first`. Ends where the database is away."""
        before = 2**62
        while page := self._page(before):
            for number, *row in page:
                before = whole(number)
                line = read_history(row)
                if line is not None:
                    yield line

    def close(self) -> None:
        """Let another server have the agent, once its stores are closed too. May be called twice."""
        if self._is_open:
            self._is_open = False
            self._served.closed()

    def _page(self, before: int) -> Sequence[Sequence[object]]:
        try:
            return self._served.session.read(lambda rows: rows.all(_READ, self._agent, before))
        except Unreachable:
            return ()
