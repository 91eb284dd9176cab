"""A database that is away, busy, of another version, or new to two at once: 16.2 and 16.4."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from database_worlds import CAT, SCHEDULE, TEA, StoredAgent, ids, sql

from heartbeat_adapters.database.schema import SQLITE_STEPS
from heartbeat_adapters.database.sessions import Unreachable
from heartbeat_adapters.database.sqlite_session import SqliteSession
from heartbeat_core.policy import Reason
from heartbeat_core.ports import TroubleKind

VERSION = len(SQLITE_STEPS)


def test_each_commit_is_flushed_to_disk(path: Path) -> None:
    """16.2: in this journal mode, level 2 flushes each commit."""
    session = SqliteSession(str(path))
    assert session.read(lambda rows: rows.all("PRAGMA synchronous")) == [(2,)]
    assert session.read(lambda rows: rows.all("PRAGMA journal_mode")) == [("wal",)]
    session.close()


def test_a_database_that_another_program_holds_is_away_and_is_taken_up_when_it_is_free(
    agent: StoredAgent, path: Path
) -> None:
    """16.4"""
    agent.load()
    agent.save(SCHEDULE, TEA)
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        trouble = agent.reminders.save([CAT], [])
        assert trouble is not None
        assert trouble.kind is TroubleKind.NOT_SAVED
        assert "SQLITE_BUSY" in trouble.text
        assert agent.reminders.look() is None  # it can be read all the same
        other.execute("ROLLBACK")
    assert agent.reminders.save([CAT], []) is None


@pytest.mark.parametrize(
    "content", [b"no database at all, by far" * 100, b"SQLite format 3\0" + b"\xff" * 5000]
)
def test_a_file_that_is_no_database_is_away_until_there_is_one(
    content: bytes, agent: StoredAgent, path: Path
) -> None:
    """16.4: nothing is made of it, and nothing of it is lost."""
    path.write_bytes(content)
    found = agent.schedule.load()
    assert agent.reminders.load().in_use
    assert found.trouble is not None
    assert found.trouble.kind is TroubleKind.AWAY
    assert agent.served.withheld() is Reason.AWAY
    assert agent.schedule.save(SCHEDULE) == found.trouble
    assert agent.schedule.look() is None
    assert path.read_bytes() == content
    path.unlink()
    assert agent.schedule.look() is not None
    assert agent.served.withheld() is None
    assert agent.schedule.save(SCHEDULE) is None


def test_a_folder_in_the_place_of_the_database_is_away(agent: StoredAgent, path: Path) -> None:
    """16.4"""
    path.mkdir()
    found = agent.schedule.load()
    assert found.trouble is not None
    assert "SQLITE_CANTOPEN" in found.trouble.text


def test_a_database_that_goes_away_while_it_is_used_is_said_once_and_comes_back(
    agent: StoredAgent, path: Path
) -> None:
    """16.4"""
    agent.load()
    agent.save(SCHEDULE, TEA)
    away = path.with_name("away")
    path.rename(away)
    path.mkdir()
    found = agent.reminders.look()
    assert found is not None
    assert found.in_use
    assert agent.served.withheld() is Reason.AWAY
    assert agent.reminders.look() is None
    path.rmdir()
    away.rename(path)
    assert ids(agent.reminders.look()) == ["rem_tea"]
    assert agent.served.withheld() is None


def test_a_table_that_is_missing_is_away_and_its_name_is_no_secret(agent: StoredAgent, path: Path) -> None:
    """16.4, 16.1: codes are passed on, texts are not."""
    agent.load()
    agent.save(SCHEDULE, TEA)
    sql(path, "DROP TABLE heartbeat_agents")
    found = agent.schedule.look()
    assert found is not None
    assert found.trouble is not None
    assert "SQLITE_ERROR" in found.trouble.text
    assert "no such table" not in found.trouble.text


def test_what_a_driver_says_of_a_row_goes_no_further(path: Path) -> None:
    """16.1: not in a traceback either."""
    session = SqliteSession(str(path))
    with pytest.raises(Unreachable) as raised:
        session.write(lambda rows: rows.run("SELECT 'secret' FROM nowhere"))
    assert raised.value.__cause__ is None
    assert raised.value.__suppress_context__
    assert "nowhere" not in str(raised.value)
    session.close()


def test_what_work_raises_undoes_all_that_it_did(path: Path) -> None:
    """8.9"""
    session = SqliteSession(str(path))

    def work(rows: object) -> None:
        sqlite_rows = rows
        sqlite_rows.run("INSERT INTO heartbeat_agents (agent) VALUES ('x')")  # type: ignore[attr-defined]
        raise RuntimeError("half-way")

    with pytest.raises(RuntimeError, match="half-way"):
        session.write(work)
    assert session.read(lambda rows: rows.all("SELECT * FROM heartbeat_agents")) == []
    session.close()


def test_tables_of_a_newer_version_are_not_touched(agent: StoredAgent, path: Path) -> None:
    """16.2, 16.4: a server that runs while a newer one migrates says that the database is newer."""
    agent.load()
    agent.save(SCHEDULE, TEA)
    sql(path, "UPDATE heartbeat_version SET version = ?", VERSION + 1)
    trouble = agent.reminders.save([CAT], [])
    found = agent.reminders.look()
    for said in (trouble, None if found is None else found.trouble):
        assert said is not None
        assert (
            f"its tables are of version {VERSION + 1}, and this server knows version {VERSION}" in said.text
        )
        assert "install a newer heartbeat-mcpl" in said.text
    assert sql(path, "SELECT id FROM heartbeat_reminders") == [("rem_tea",)]
    again = StoredAgent(path)
    agent.close()
    assert again.schedule.load().in_use
    again.close()


def test_tables_of_the_first_version_are_brought_up_to_date_and_keep_what_they_hold(
    agent: StoredAgent, path: Path
) -> None:
    """16.2"""
    agent.load()
    agent.save(SCHEDULE, TEA)
    agent.close()
    steps = [*SQLITE_STEPS, ["ALTER TABLE heartbeat_agents ADD COLUMN colour TEXT DEFAULT 'red'"]]
    newer = SqliteSession(str(path), steps)
    assert newer.read(lambda rows: rows.all("SELECT agent, colour FROM heartbeat_agents")) == [
        ("default", "red")
    ]
    newer.close()
    assert sql(path, "SELECT version FROM heartbeat_version") == [(VERSION + 1,)]
    assert sql(path, "SELECT id FROM heartbeat_reminders") == [("rem_tea",)]


def test_a_step_that_fails_leaves_the_tables_as_they_were(agent: StoredAgent, path: Path) -> None:
    """16.2, 8.9"""
    agent.load()
    agent.save(SCHEDULE, TEA)
    agent.close()
    steps = [*SQLITE_STEPS, ["DROP TABLE heartbeat_reminders", "no statement"]]
    with pytest.raises(Unreachable):
        SqliteSession(str(path), steps).read(lambda rows: rows.all("SELECT 1"))
    assert agent.load()[1] == ["rem_tea"]


START = """
import sys
from heartbeat_adapters.database.sqlite_session import SqliteSession
session = SqliteSession(sys.argv[1])
sys.stdin.read()
print(session.write(lambda rows: rows.all("SELECT version FROM heartbeat_version")))
"""


def test_servers_that_start_at_once_all_find_the_tables(path: Path) -> None:
    """16.2"""
    starts = [
        subprocess.Popen(
            [sys.executable, "-c", START, str(path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for _ in range(6)
    ]
    for start in starts:
        assert start.stdin is not None
        start.stdin.close()
        start.stdin = None
    assert [start.communicate(timeout=60) for start in starts] == [(f"[({VERSION},)]\n", "")] * 6


KILLED = """
import sys
sys.path.insert(0, sys.argv[2])
from dataclasses import replace
from pathlib import Path
from database_worlds import CAT, SCHEDULE, StoredAgent
agent = StoredAgent(Path(sys.argv[1]))
agent.load()
agent.save(SCHEDULE)
for number in range(1_000_000):
    if agent.reminders.save([replace(CAT, id=f"rem_{number}")], []) is None:
        print(number, flush=True)
"""


def test_what_was_acknowledged_outlives_a_kill_at_any_moment(path: Path) -> None:
    """8.9, 16.2"""
    acknowledged = 0
    for after in (1, 40, 173):
        command = [sys.executable, "-c", KILLED, str(path), str(Path(__file__).parent)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
            assert server.stdout is not None
            lines = [server.stdout.readline() for _ in range(after)]
            server.kill()
            lines += server.stdout.readlines()
        acknowledged = max(acknowledged, int(lines[-1]) + 1)
        agent = StoredAgent(path)
        _, rows = agent.load()
        agent.close()
        assert set(rows) >= {f"rem_{number}" for number in range(acknowledged)}
    assert acknowledged >= 173


def test_a_disk_that_is_full_leaves_what_was_saved(agent: StoredAgent, path: Path) -> None:
    """8.9, 16.4: SQLite's own limit of pages stands for the disk's."""
    agent.load()
    agent.save(SCHEDULE, TEA)
    session = agent.served.session
    [(pages,)] = session.read(lambda rows: rows.all("PRAGMA page_count"))
    session.read(lambda rows: rows.all(f"PRAGMA max_page_count = {pages}"))
    trouble = agent.reminders.save([replace(CAT, message="x" * 50_000)], [])
    assert trouble is not None
    assert "SQLITE_FULL" in trouble.text
    assert "make room on its disk" in trouble.text
    assert agent.reminders.look() is None
    assert sql(path, "SELECT id FROM heartbeat_reminders") == [("rem_tea",)]
