"""What somebody else does to a file while the server runs: 8.8."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from file_worlds import CAT, TEA, TEA_FILE, ZONE, Lines, copy_of, ids, row, undated

from heartbeat_adapters.files.json_stores import JsonReminderStore
from heartbeat_adapters.files.system_calls import SystemCalls
from heartbeat_core.ports import Found


def test_the_same_bytes_written_again_are_no_change(rows: Path, store: JsonReminderStore) -> None:
    """8.8"""
    store.load()
    store.save([TEA], [])
    rows.write_bytes(TEA_FILE)
    assert store.look() is None
    rows.unlink()
    rows.write_bytes(TEA_FILE)
    assert store.look() is None
    os.utime(rows, (0, 0))
    assert store.look() is None
    assert store.save([CAT], []) is None


def test_an_edit_of_equal_length_in_the_same_instant_is_seen(rows: Path, store: JsonReminderStore) -> None:
    """8.8: the same inode, as many bytes, and within one tick of the filesystem's clock."""
    rows.write_bytes(TEA_FILE)
    assert undated(store.load()) == Found([TEA])
    for before, after in ((b"rem_tea", b"rem_ten"), (b"rem_ten", b"rem_tex")):
        rows.write_bytes(rows.read_bytes().replace(before, after))
        assert ids(store.look()) == [after.decode()]
        assert store.save([], []) is None


@pytest.mark.parametrize(
    ("age", "asked_for"), [(1_000_000_000, "read"), (3_000_000_000, "stat"), (-1, "read")]
)
def test_a_file_written_just_before_it_was_read_is_compared_by_content(
    age: int, asked_for: str, rows: Path
) -> None:
    """8.8: within one tick of the filesystem's clock, another write leaves no trace in the times."""
    rows.write_bytes(TEA_FILE)
    asked: list[str] = []

    class Later(SystemCalls):
        def __getattribute__(self, name: str) -> object:
            asked.append(name)
            return self.later if name == "wall_clock_ns" else super().__getattribute__(name)

        def later(self) -> int:
            return rows.stat().st_mtime_ns + age

    store = JsonReminderStore(str(rows), ZONE, calls=Later())
    store.load()
    asked.clear()
    assert store.look() is None
    assert asked_for in asked
    assert ("read" in asked) == (asked_for == "read")
    store.close()


def test_our_own_writing_carries_a_time_that_no_other_writing_can_have(rows: Path) -> None:
    """8.8: so that the look before the next save need not read all that the last one wrote."""
    before: list[int] = []

    class Watched(SystemCalls):
        def __getattribute__(self, name: str) -> object:
            return self.note if name == "utime" else super().__getattribute__(name)

        def note(self, fd: int, ns: tuple[int, int]) -> None:
            before.append(os.fstat(fd).st_mtime_ns)
            os.utime(fd, ns=ns)

    store = JsonReminderStore(str(rows), ZONE, calls=Watched())
    store.load()
    store.save([TEA], [])
    assert rows.stat().st_mtime_ns < before[0]
    store.close()


def test_an_unchanged_file_costs_one_question(rows: Path) -> None:
    """8.8: before each change and each beat; so it must be cheap."""
    asked: list[str] = []

    class Counted(SystemCalls):
        def __getattribute__(self, name: str) -> object:
            asked.append(name)
            return super().__getattribute__(name)

    store = JsonReminderStore(str(rows), ZONE, calls=Counted())
    store.load()
    store.save([TEA], [])
    asked.clear()
    assert store.look() is None
    assert asked == ["stat"]
    store.close()


def test_a_file_that_vanished_is_written_anew_from_memory(
    rows: Path, store: JsonReminderStore, log: Lines
) -> None:
    """8.8"""
    store.load()
    store.save([TEA], [])
    rows.unlink()
    assert store.look() == Found()
    assert store.look() is None
    assert log.warnings == []
    assert store.save([CAT], []) is None
    store.close()
    assert ids(JsonReminderStore(str(rows), ZONE).load()) == ["rem_tea", "rem_cat"]


def test_a_folder_that_vanished_is_made_anew(tmp_path: Path) -> None:
    """8.3"""
    path = tmp_path / "data" / "r.json"
    store = JsonReminderStore(str(path), ZONE, Lines())
    store.load()
    store.save([TEA], [])
    path.parent.rename(tmp_path / "old")
    assert store.look() == Found()
    assert store.save([CAT], []) is None
    assert ids(JsonReminderStore(str(tmp_path / "old" / "r.json"), ZONE).load()) == ["rem_tea"]
    assert JsonReminderStore(str(path), ZONE).load().in_use
    store.close()
    assert ids(JsonReminderStore(str(path), ZONE).load()) == ["rem_tea", "rem_cat"]


def test_a_changed_file_of_which_a_part_can_be_used_is_copied_first(
    rows: Path, store: JsonReminderStore
) -> None:
    """8.8"""
    store.load()
    store.save([TEA, CAT], [])
    data = f"[{row(id='a')}, 7]".encode()
    rows.write_bytes(data)
    found = store.look()
    assert ids(found) == ["a"]
    assert found is not None
    assert str(copy_of(rows, data)) in str(found.trouble)
    assert copy_of(rows, data).read_bytes() == data
    assert store.look() is None
    assert store.save([TEA], []) is None
    store.close()
    assert ids(JsonReminderStore(str(rows), ZONE).load()) == ["a", "rem_tea"]


def test_a_changed_file_that_cannot_be_read_is_left_alone_until_a_restart(
    rows: Path, store: JsonReminderStore
) -> None:
    """8.8, 8.4"""
    store.load()
    store.save([TEA], [])
    rows.unlink()
    rows.mkdir()
    found = store.look()
    assert found is not None
    assert found.content is None
    assert "it is a folder" in str(found.trouble)
    rows.rmdir()
    assert store.save([CAT], []) == found.trouble
    store.close()
    assert undated(JsonReminderStore(str(rows), ZONE).load()) == Found()


def test_a_changed_file_that_cannot_be_copied_aside_is_left_alone(
    rows: Path, store: JsonReminderStore
) -> None:
    """8.8, 8.4"""
    store.load()
    store.save([TEA], [])
    rows.write_bytes(b"torn")
    copy_of(rows, b"torn").mkdir()
    found = store.look()
    assert found is not None
    assert found.content is None
    assert store.save([CAT], []) == found.trouble
    assert rows.read_bytes() == b"torn"


def test_a_link_that_was_led_elsewhere_is_a_change_and_the_lock_follows(tmp_path: Path) -> None:
    """8.8, 8.6"""
    one, two, link = tmp_path / "one.json", tmp_path / "two.json", tmp_path / "link.json"
    two.write_bytes(TEA_FILE)
    link.symlink_to(one)
    store = JsonReminderStore(str(link), ZONE)
    store.load()
    store.save([CAT], [])
    link.unlink()
    link.symlink_to(two)
    assert undated(store.look()) == Found([TEA])
    assert not JsonReminderStore(str(one), ZONE).load().in_use
    assert JsonReminderStore(str(two), ZONE).load().in_use
    assert store.save([], [TEA.id]) is None
    assert two.read_bytes() == b"[]\n"
    store.close()


def test_a_link_that_was_led_to_another_servers_file_is_in_use(tmp_path: Path) -> None:
    """8.8, 8.6"""
    link, theirs = tmp_path / "link.json", JsonReminderStore(str(tmp_path / "two.json"), ZONE)
    theirs.load()
    theirs.save([TEA], [])
    link.symlink_to("one.json")
    store = JsonReminderStore(str(link), ZONE)
    store.load()
    store.save([CAT], [])
    link.unlink()
    link.symlink_to("two.json")
    found = store.look()
    assert found is not None
    assert found.in_use
    assert store.save([CAT], []) == found.trouble
    theirs.close()
    assert undated(store.look()) == Found([TEA])
    store.close()
