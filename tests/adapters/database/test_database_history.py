"""The history of an agent, as rows: 16.2."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from database_worlds import sql, url_of

from heartbeat_adapters.database.database import Database
from heartbeat_adapters.database.database_history import KEPT, DatabaseHistory
from heartbeat_core.history import Ending, HistoryLine, WakeKind

NOON = datetime(2026, 10, 10, 12, tzinfo=UTC)
LINE = HistoryLine(NOON, NOON, WakeKind.BEAT, Ending.TAKEN)


@pytest.fixture
def history(path: Path) -> Iterator[DatabaseHistory]:
    kept = DatabaseHistory(Database(url_of(path)).agent("default"))
    yield kept
    kept.close()


def test_the_last_ten_thousand_lines_are_kept_for_each_agent(history: DatabaseHistory, path: Path) -> None:
    """16.2"""
    other = DatabaseHistory(Database(url_of(path)).agent("other"))
    assert other.append([LINE]) is None
    assert history.append([replace(LINE, missed=number) for number in range(KEPT)]) is None
    assert history.append([replace(LINE, missed=KEPT), replace(LINE, missed=KEPT + 1)]) is None
    kept = [line.missed for line in history.newest_first()]
    assert (len(kept), kept[0], kept[-1]) == (10_000, 10_001, 2)
    assert list(other.newest_first()) == [LINE]
    other.close()


def test_columns_are_named_as_the_members_of_a_line(history: DatabaseHistory, path: Path) -> None:
    """16.2, 14.1: times in epoch milliseconds."""
    history.append([LINE])
    noon = int(NOON.timestamp() * 1000)
    columns = (
        'number, at, due, sent, kind, id, "eventId", attempt, outcome, reason, missed, "to", "inferenceId"'
    )
    row = (1, noon, noon, None, "beat", None, None, None, "taken", None, 0, None, None)
    assert sql(path, f"SELECT {columns} FROM heartbeat_history") == [row]


@pytest.mark.parametrize(
    "change", ["kind = 'x'", "at = NULL", "at = 'noon'", "due = 99999999999999999", "reason = x'00'"]
)
def test_a_row_that_is_no_line_is_left_out(change: str, history: DatabaseHistory, path: Path) -> None:
    """14.2"""
    history.append([LINE, replace(LINE, missed=1)])
    sql(path, f"UPDATE heartbeat_history SET {change} WHERE number = 2")
    assert list(history.newest_first()) == [LINE]


def test_texts_that_no_column_holds_are_marked(history: DatabaseHistory) -> None:
    """14.1"""
    assert history.append([replace(LINE, reason="a\0b\ud83c")]) is None
    assert [line.reason for line in history.newest_first()] == ["a\ufffdb\ufffd"]


def test_a_database_that_is_away_costs_no_more_than_a_line_that_says_so(
    history: DatabaseHistory, path: Path
) -> None:
    """14.2, 16.4"""
    path.mkdir()
    trouble = history.append([LINE])
    assert trouble is not None
    assert "no history is kept" in trouble.text
    assert "SQLITE_CANTOPEN" in trouble.text
    assert list(history.newest_first()) == []
