"""A line of history, appended by the server's own adapter, beside a bare append to an open file; no fsync."""

from __future__ import annotations

import os
from collections.abc import Iterator
from datetime import UTC, datetime

from heartbeat_adapters.files.history_file import JsonLinesHistory
from heartbeat_core.history import Ending, HistoryLine, WakeKind
from measuring.plan import Plan
from measuring.row import Row, over
from measuring.samples import Samples
from measuring.stopwatch import timed

_DUE = datetime(2026, 10, 10, tzinfo=UTC)
_LINE = HistoryLine(
    at=_DUE,
    due=_DUE,
    kind=WakeKind.REMINDER,
    ending=Ending.TAKEN,
    reminder_id="rem_0123456789abcdef",
    sent=_DUE,
    event_id="rem_0123456789abcdef@1791590400000",
    attempt=1,
)


def rows(plan: Plan) -> Iterator[Row]:
    """One row."""
    path = plan.folder / "history.jsonl"
    history, taken, floor = JsonLinesHistory(str(path)), Samples(), Samples()
    history.append([_LINE])
    line = path.read_bytes()
    bare = os.open(plan.folder / "bare", os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    try:
        for _ in range(plan.pick(3_000, 100)):
            taken.add(timed(lambda: history.append([_LINE])) * 1e6)
            floor.add(timed(lambda: os.write(bare, line)) * 1e6)
    finally:
        os.close(bare)
        history.close()
    yield Row(
        "history line",
        "a line of history, not flushed; a bare append",
        "µs",
        taken,
        floor=floor,
        ratio=over(taken, floor),
        bar="-",
    )
