"""What the two files hold after a save: 8.1, 8.3."""

from __future__ import annotations

import errno
import json
import os
import stat
import tempfile
from datetime import timedelta
from pathlib import Path

import pytest
from file_worlds import CAT, CONFIG_FILE, NOON, SCHEDULE, TEA, TEA_FILE, ZONE, Lines, copy_of, names, undated
from hypothesis import given
from hypothesis import strategies as st

from heartbeat_adapters.files.json_stores import JsonReminderStore, JsonScheduleStore
from heartbeat_adapters.files.system_calls import SystemCalls
from heartbeat_core.ports import Found
from heartbeat_core.reminders.reminder import Reminder


def test_both_files_are_indented_for_people(
    config: Path, rows: Path, schedules: JsonScheduleStore, store: JsonReminderStore
) -> None:
    """8.1"""
    schedules.load()
    store.load()
    assert (schedules.save(SCHEDULE), store.save([TEA], [])) == (None, None)
    assert config.read_bytes() == CONFIG_FILE
    assert rows.read_bytes() == TEA_FILE
    assert store.save([CAT], [TEA.id]) is None
    assert store.save([TEA], [CAT.id]) is None
    assert rows.read_bytes() == TEA_FILE
    assert store.save([], [TEA.id]) is None
    assert rows.read_bytes() == b"[]\n"


def test_a_large_file_is_what_json_itself_would_write(rows: Path, store: JsonReminderStore) -> None:
    """8.1: across the blocks in which rows are kept, after additions, changes and removals."""
    store.load()
    many = [Reminder(f"rem_{n}", f"No. {n}", NOON, NOON + timedelta(seconds=n)) for n in range(1500)]
    assert store.save(many, []) is None
    assert store.save([TEA], [reminder.id for reminder in many[200:900]]) is None
    left = [*many[:200], *many[900:], TEA]
    wanted = [
        {
            "id": reminder.id,
            "message": reminder.message,
            "createdAt": 1791633600000,
            "fireAt": int(reminder.due.timestamp() * 1000),
            "everySeconds": None,
        }
        for reminder in left
    ]
    assert rows.read_text("utf-8") == json.dumps(wanted, indent=2, ensure_ascii=False) + "\n"


@given(st.text(), st.text(min_size=1))
def test_any_text_comes_back_from_the_file(message: str, name: str) -> None:
    """8.1: half a surrogate pair, which no file can hold, comes back as U+FFFD."""
    reminder = Reminder("rem_" + name, message, NOON, NOON)
    with tempfile.TemporaryDirectory() as folder:
        for step in ("write", "read"):
            store = JsonReminderStore(f"{folder}/r.json", ZONE)
            found = store.load()
            if step == "write":
                assert store.save([reminder], []) is None
            store.close()
        assert found.content == [reminder]
        assert found.trouble is None
        assert os.listdir(folder) == ["r.json"]


def test_half_a_surrogate_pair_does_not_break_a_save(rows: Path, store: JsonReminderStore) -> None:
    """8.1"""
    store.load()
    assert store.save([Reminder("rem_half", "a\ud800b", NOON, NOON)], []) is None
    assert b'"a\\ud800b"' in rows.read_bytes()
    store.close()
    found = JsonReminderStore(str(rows), ZONE).load()
    assert found.trouble is None
    assert found.content is not None
    assert found.content[0].message == "a\ufffdb"


def test_a_new_file_is_for_its_owner_only_and_missing_folders_are_made(tmp_path: Path) -> None:
    """8.3"""
    path = tmp_path / "some" / "where" / "r.json"
    store = JsonReminderStore(str(path), ZONE, log := Lines())
    assert undated(store.load()) == Found()
    assert store.save([TEA], []) is None
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert JsonReminderStore(str(path), ZONE).load().in_use
    store.close()
    assert names(path.parent) == {"r.json"}
    assert log.warnings == []


@pytest.mark.parametrize("path", ["typo/r.json", "two/typos/r.json"])
def test_a_folder_that_had_to_be_made_is_said_at_the_start(path: str, tmp_path: Path, log: Lines) -> None:
    """8.3: a path may be mistyped."""
    store = JsonReminderStore(str(tmp_path / path), ZONE, log)
    store.load()
    (line,) = log.infos
    assert str((tmp_path / path).parent) in line
    assert "r.json" in line
    assert (tmp_path / path).parent.is_dir()
    store.close()


def test_a_folder_that_is_there_is_not_worth_a_word(store: JsonReminderStore, log: Lines) -> None:
    """8.3"""
    store.load()
    store.save([TEA], [])
    assert log.infos == []


def test_a_folder_that_cannot_be_made_is_said_by_each_save(tmp_path: Path, log: Lines) -> None:
    """8.3, 8.7"""

    class ReadOnly(SystemCalls):
        def __getattribute__(self, name: str) -> object:
            return self.refuse if name == "mkdir" else super().__getattribute__(name)

        def refuse(self, _path: str, _mode: int) -> None:
            raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    store = JsonReminderStore(str(tmp_path / "a" / "r.json"), ZONE, log, ReadOnly())
    assert undated(store.load()) == Found()
    assert os.strerror(errno.EROFS) in str(store.save([TEA], []))
    assert log.infos == []
    store.close()


def test_mode_bits_are_kept(rows: Path, store: JsonReminderStore) -> None:
    """8.3"""
    rows.write_bytes(TEA_FILE)
    rows.chmod(0o664)
    store.load()
    assert store.save([CAT], []) is None
    assert stat.S_IMODE(rows.stat().st_mode) == 0o664
    rows.chmod(0o640)
    assert store.look() is None
    assert store.save([CAT], []) is None
    assert stat.S_IMODE(rows.stat().st_mode) == 0o640


@pytest.mark.skipif(os.getuid() != 0, reason="only root may give files away")
def test_the_owner_is_kept_where_we_may(rows: Path, store: JsonReminderStore) -> None:
    """8.3"""
    rows.write_bytes(b"[")
    os.chown(rows, 65534, 65533)
    rows.chmod(0o4640)
    store.load()
    assert store.save([CAT], []) is None
    for path in (rows, copy_of(rows, b"[")):
        status = path.stat()
        assert (status.st_uid, status.st_gid, stat.S_IMODE(status.st_mode)) == (65534, 65533, 0o4640)


def test_a_symbolic_link_stays_one_also_across_folders(tmp_path: Path) -> None:
    """8.3"""
    target = tmp_path / "real" / "r.json"
    link = tmp_path / "links" / "mine.json"
    target.parent.mkdir()
    link.parent.mkdir()
    link.symlink_to("../real/r.json")
    store = JsonReminderStore(str(link), ZONE)
    assert undated(store.load()) == Found()
    assert store.save([TEA], []) is None
    assert link.is_symlink()
    assert target.read_bytes() == TEA_FILE
    assert JsonReminderStore(str(target), ZONE).load().in_use
    store.close()
    assert (names(target.parent), names(link.parent)) == ({"r.json"}, {"mine.json"})


def test_a_link_whose_folder_vanished_is_written_through_all_the_same(tmp_path: Path) -> None:
    """8.3"""
    link = tmp_path / "r.json"
    link.symlink_to(tmp_path / "not" / "yet" / "r.json")
    store = JsonReminderStore(str(link), ZONE)
    assert undated(store.load()) == Found()
    assert store.save([TEA], []) is None
    assert link.is_symlink()
    assert link.read_bytes() == TEA_FILE
    store.close()


def test_the_system_is_asked_in_the_order_that_survives_a_power_cut(rows: Path) -> None:
    """8.3, 8.9: content flushed before it gets its name, the name flushed before the reply."""
    asked: list[str] = []

    class Traced(SystemCalls):
        def __getattribute__(self, name: str) -> object:
            asked.append(name)
            return super().__getattribute__(name)

    store = JsonReminderStore(str(rows), ZONE, calls=Traced())
    store.load()
    asked.clear()
    store.save([TEA], [])
    durable = [name for name in asked if name in {"writev", "fsync", "rename", "close"}]
    assert durable == ["writev", "fsync", "close", "rename", "fsync", "close"]
    store.close()
