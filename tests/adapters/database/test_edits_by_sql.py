"""What somebody else does to the rows while the server runs: 8.8, by the revisions of 16.2."""

from __future__ import annotations

from pathlib import Path

import pytest
from database_worlds import CAT, SCHEDULE, TEA, StoredAgent, ids, sql

from heartbeat_core.ports import Found


@pytest.mark.parametrize(
    ("statement", "left"),
    [
        ("UPDATE heartbeat_reminders SET message = 'Tea!' WHERE id = 'rem_tea'", ["rem_tea", "rem_cat"]),
        ("DELETE FROM heartbeat_reminders WHERE id = 'rem_tea'", ["rem_cat"]),
        ("DELETE FROM heartbeat_reminders", []),
        ("UPDATE heartbeat_reminders SET agent = 'other' WHERE id = 'rem_cat'", ["rem_tea"]),
        (
            "INSERT INTO heartbeat_reminders VALUES (9, 'default', 'mine', 'x', 1, 2, NULL, NULL)",
            ["rem_tea", "rem_cat", "mine"],
        ),
    ],
)
def test_an_edit_of_reminders_is_seen_once_and_the_schedule_was_not_touched(
    statement: str, left: list[str], agent: StoredAgent, path: Path
) -> None:
    """8.8"""
    agent.load()
    agent.save(SCHEDULE, TEA, CAT)
    sql(path, statement)
    assert agent.schedule.look() is None
    assert ids(agent.reminders.look()) == left
    assert agent.reminders.look() is None
    assert agent.reminders.save([TEA], []) is None


def test_an_edit_of_the_schedule_is_seen_once_and_the_reminders_were_not_touched(
    agent: StoredAgent, path: Path
) -> None:
    """8.8"""
    agent.load()
    agent.save(SCHEDULE, TEA)
    sql(path, "UPDATE heartbeat_agents SET message = 'By hand'")
    assert agent.reminders.look() is None
    found = agent.schedule.look()
    assert found is not None
    assert found.content is not None
    assert found.content.message == "By hand"
    assert agent.schedule.look() is None


def test_what_is_done_to_another_agent_is_no_change(agent: StoredAgent, path: Path) -> None:
    """16.2: a revision for each agent."""
    agent.load()
    agent.save(SCHEDULE, TEA)
    sql(path, "INSERT INTO heartbeat_agents (agent, message) VALUES ('other', 'x')")
    sql(path, "UPDATE heartbeat_agents SET message = 'y' WHERE agent = 'other'")
    sql(path, "INSERT INTO heartbeat_reminders (agent, id) VALUES ('other', 'x')")
    assert (agent.schedule.look(), agent.reminders.look()) == (None, None)


def test_rows_that_were_removed_and_made_anew_are_a_change(agent: StoredAgent, path: Path) -> None:
    """8.8: a count that began anew could come back to a number that is known."""
    agent.load()
    agent.save(SCHEDULE, TEA)
    for column in ("message = 'again'", "message = 'and again'"):
        sql(path, "DELETE FROM heartbeat_agents")
        sql(path, "INSERT INTO heartbeat_agents (agent) VALUES ('default')")
        sql(path, f"UPDATE heartbeat_agents SET {column}")
        assert agent.schedule.look() is not None


def test_a_database_file_that_was_removed_is_made_anew_from_memory(agent: StoredAgent, path: Path) -> None:
    """8.8: an open file that has no name any more would take every save, and keep none."""
    agent.load()
    agent.save(SCHEDULE, TEA)
    for name in (path, *path.parent.glob("agents.db-*")):
        name.unlink()
    assert (agent.schedule.look(), agent.reminders.look()) == (Found(), Found())
    agent.save(SCHEDULE, CAT)
    agent.close()
    assert agent.load()[1] == ["rem_tea", "rem_cat"]


def test_a_save_into_a_removed_file_is_not_taken_for_saved(agent: StoredAgent, path: Path) -> None:
    """8.8"""
    agent.load()
    agent.save(SCHEDULE, TEA)
    for name in (path, *path.parent.glob("agents.db-*")):
        name.unlink()
    assert agent.reminders.save([CAT], []) is not None
    assert agent.reminders.look() == Found()
    assert agent.reminders.save([CAT], []) is None
    assert sql(path, "SELECT id FROM heartbeat_reminders ORDER BY place") == [("rem_tea",), ("rem_cat",)]
