"""What stands in the tables, and what of it can be used: 16.2, and 8.5 for rows."""

from __future__ import annotations

import json
import os
import stat
from dataclasses import replace
from pathlib import Path

import pytest
from database_worlds import CAT, NOON, SCHEDULE, TEA, StoredAgent, ids, sql

from heartbeat_adapters.database.agent_stores import DatabaseReminderStore
from heartbeat_core.ports import TroubleKind
from heartbeat_core.schedule.ambient_schedule import DEFAULT_SCHEDULE
from heartbeat_core.times.moments import to_epoch_ms


def test_columns_are_named_as_the_members_of_the_files(agent: StoredAgent, path: Path) -> None:
    """16.2: times in epoch milliseconds."""
    agent.load()
    agent.save(SCHEDULE, CAT)
    noon = to_epoch_ms(NOON)
    assert sql(
        path,
        'SELECT agent, "intervalSeconds", paused, message, "deliveryMode", "nextFireAt", more '
        "FROM heartbeat_agents",
    ) == [("default", 3600, 0, "Hello", "silent", noon, None)]
    assert sql(
        path,
        'SELECT agent, id, message, "createdAt", "fireAt", "everySeconds", more FROM heartbeat_reminders',
    ) == [("default", "rem_cat", "Cat", noon, noon + 86_400_000, 90.5, None)]


def test_a_new_database_is_readable_by_its_owner_only(agent: StoredAgent, path: Path) -> None:
    """8.3"""
    agent.load()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_database_in_a_folder_that_is_not_there_makes_the_folder(tmp_path: Path) -> None:
    """8.3"""
    agent = StoredAgent(tmp_path / "new" / "agents.db")
    assert agent.load()[0].trouble is None
    agent.save(SCHEDULE, TEA)
    agent.close()


def test_members_that_nobody_knows_are_kept(agent: StoredAgent, path: Path) -> None:
    """8.5"""
    agent.load()
    agent.save(SCHEDULE, TEA)
    sql(path, "UPDATE heartbeat_agents SET more = ?", '{"colour": "red", "nothing": null}')
    sql(path, "UPDATE heartbeat_reminders SET more = ?", '{"tags": ["a", "b"]}')
    assert agent.schedule.look() is not None
    assert ids(agent.reminders.look()) == [TEA.id]
    agent.save(replace(SCHEDULE, paused=True, next_beat=None), replace(TEA, message="More tea"))
    [(more,)] = sql(path, "SELECT more FROM heartbeat_agents")
    assert json.loads(str(more)) == {"colour": "red", "nothing": None}
    assert sql(path, "SELECT message, more FROM heartbeat_reminders") == [
        ("More tea", '{"tags": ["a", "b"]}')
    ]


@pytest.mark.parametrize("text", ["a\0b", "half \ud83c of a pair", "", "Zeile\nzwei \u2028"])
def test_any_text_comes_back_as_it_was(text: str, agent: StoredAgent) -> None:
    """16.2: what a column cannot hold stands in `more`."""
    agent.load()
    agent.save(replace(SCHEDULE, message=f"{text}."), replace(TEA, message=text))
    agent.close()
    assert agent.schedule.load().content == replace(SCHEDULE, message=f"{text}.")
    assert agent.reminders.load().content == [replace(TEA, message=text)]


def test_a_text_that_somebody_writes_into_its_column_counts_for_more(agent: StoredAgent, path: Path) -> None:
    """16.2, 8.8"""
    agent.load()
    agent.save(SCHEDULE, replace(TEA, message="a\0b"))
    sql(path, "UPDATE heartbeat_reminders SET message = 'mine'")
    found = agent.reminders.look()
    assert found is not None
    assert found.content == [replace(TEA, message="mine")]


@pytest.mark.parametrize(
    "change",
    [
        '"fireAt" = 9e99',
        '"fireAt" = NULL',
        "\"createdAt\" = 'soon'",
        '"everySeconds" = 0.5',
        "id = ''",
        "more = '['",
        "more = '7'",
        "message = x'00'",
    ],
)
def test_a_reminder_that_cannot_be_used_stays_as_it_is_and_is_said(
    change: str, agent: StoredAgent, path: Path
) -> None:
    """16.2, 8.7"""
    agent.load()
    agent.save(SCHEDULE, TEA, CAT)
    sql(path, f"UPDATE heartbeat_reminders SET {change} WHERE id = 'rem_tea'")
    before = sql(path, "SELECT * FROM heartbeat_reminders WHERE id <> 'rem_cat'")
    found = agent.reminders.look()
    assert ids(found) == ["rem_cat"]
    assert found is not None
    assert found.trouble is not None
    assert found.trouble.kind is TroubleKind.DAMAGED
    assert "place 1: " in found.trouble.text
    assert "Tea" not in found.trouble.text
    assert agent.reminders.save([replace(CAT, message="Two cats")], []) is None
    assert sql(path, "SELECT * FROM heartbeat_reminders WHERE id <> 'rem_cat'") == before


@pytest.mark.parametrize("change", ['"intervalSeconds" = 5', "paused = 7", "message = ' '", "more = 'no'"])
def test_a_schedule_that_cannot_be_used_stays_as_it_is_until_it_is_mended(
    change: str, agent: StoredAgent, path: Path
) -> None:
    """16.2, 8.7, 8.8"""
    agent.load()
    agent.save(SCHEDULE)
    sql(path, f"UPDATE heartbeat_agents SET {change}")
    before = sql(path, "SELECT * FROM heartbeat_agents")
    found = agent.schedule.look()
    assert found is not None
    assert found.trouble is not None
    assert agent.schedule.save(SCHEDULE) == found.trouble
    assert sql(path, "SELECT * FROM heartbeat_agents") == before
    sql(path, "UPDATE heartbeat_agents SET \"intervalSeconds\" = 60, paused = 0, message = 'x', more = NULL")
    mended = agent.schedule.look()
    assert mended is not None
    assert mended.trouble is None
    assert agent.schedule.save(SCHEDULE) is None


def test_members_that_a_row_does_not_have_are_at_their_defaults(agent: StoredAgent, path: Path) -> None:
    """8.1"""
    agent.load()
    sql(path, "INSERT INTO heartbeat_agents (agent, message) VALUES ('default', 'By hand')")
    agent.close()
    found, _ = agent.load()
    assert (found.content, found.trouble) == (replace(DEFAULT_SCHEDULE, message="By hand"), None)


def test_two_agents_of_a_database_do_not_know_of_each_other(agent: StoredAgent, path: Path) -> None:
    """16.1, 9.2"""
    other = StoredAgent(path, "öther/.. one")
    agent.load()
    assert other.load()[0].trouble is None
    agent.save(SCHEDULE, TEA)
    other.save(replace(SCHEDULE, message="Theirs"), replace(TEA, message="Theirs"), CAT)
    assert (agent.schedule.look(), agent.reminders.look()) == (None, None)
    assert other.reminders.save([], [TEA.id]) is None
    agent.close()
    other.close()
    assert agent.load()[1] == ["rem_tea"]
    assert other.load()[1] == ["rem_cat"]
    other.close()


def test_a_change_writes_the_row_and_its_revision_and_nothing_else(
    agent: StoredAgent, monkeypatch: pytest.MonkeyPatch
) -> None:
    """16.5: also beside 5,000 other reminders."""
    agent.load()
    agent.save(SCHEDULE, *(replace(TEA, id=f"rem_{n}") for n in range(5000)))
    written: list[int] = []
    counted = agent.served.session.write

    def count(work):  # type: ignore[no-untyped-def]
        def counting(rows):  # type: ignore[no-untyped-def]
            before = rows.all("SELECT total_changes()")[0][0]
            result = work(rows)
            written.append(rows.all("SELECT total_changes()")[0][0] - before)
            return result

        return counted(counting)

    monkeypatch.setattr(agent.served.session, "write", count)
    assert agent.reminders.save([CAT], []) is None
    assert agent.reminders.save([replace(CAT, message="!")], []) is None
    assert agent.reminders.save([], [CAT.id]) is None
    assert agent.schedule.save(replace(SCHEDULE, message="!")) is None
    assert written == [2, 2, 2, 2]


def test_all_is_let_go_of_once_both_stores_are_closed(agent: StoredAgent, path: Path) -> None:
    """8.6, 16.3"""
    agent.load()
    agent.save(SCHEDULE)
    agent.schedule.close()
    agent.schedule.close()
    second = StoredAgent(path)
    assert second.schedule.load().in_use
    agent.reminders.close()
    assert second.schedule.look() is not None
    second.close()
    assert sorted(os.listdir(path.parent)) == ["agents.db"]


def test_reminders_alone_can_be_kept(path: Path) -> None:
    """9.6"""
    agent = StoredAgent(path)
    store = DatabaseReminderStore(agent.served, agent.reminders._zone)
    store.load()
    assert store.save([TEA], []) is None
    store.close()
    assert ids(store.load()) == ["rem_tea"]
    store.close()
