"""The two files as users meet them: what is read, copied aside, kept, locked and noticed (section 8)."""

from __future__ import annotations

import errno
import hashlib
import json
import multiprocessing
import os
import signal
import socket
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from multiprocessing.connection import Connection
from pathlib import Path
from types import FrameType
from typing import TypeVar

import pytest
from hypothesis import given
from hypothesis import strategies as st
from other_users import as_nobody, nobodys_folder

from heartbeat_adapters.files.json_stores import JsonReminderStore, JsonScheduleStore
from heartbeat_adapters.files.system_calls import SystemCalls
from heartbeat_core.ports import Found, Trouble
from heartbeat_core.reminders.reminder import Reminder
from heartbeat_core.schedule.ambient_schedule import DeliveryMode, Schedule
from heartbeat_core.times.moments import AgentZone

T = TypeVar("T")

ZONE = AgentZone("UTC", UTC)
NOON = datetime(2026, 10, 10, 12, tzinfo=UTC)
DEFAULTS = Schedule(timedelta(hours=4), False, "Look around", DeliveryMode.MESSAGE)
SCHEDULE = Schedule(timedelta(hours=1), False, "Hello", DeliveryMode.SILENT, NOON)
TEA = Reminder("rem_tea", "Tea 🍵", NOON, NOON + timedelta(hours=1))
CAT = Reminder("rem_cat", "Cat", NOON, NOON + timedelta(days=1), timedelta(seconds=90.5))

TEA_ROW = b"""{
    "id": "rem_tea",
    "message": "Tea \xf0\x9f\x8d\xb5",
    "createdAt": 1791633600000,
    "fireAt": 1791637200000,
    "everySeconds": null
  }"""
TEA_FILE = b"[\n  " + TEA_ROW + b"\n]\n"
CONFIG_FILE = b"""{
  "intervalSeconds": 3600,
  "paused": false,
  "message": "Hello",
  "deliveryMode": "silent",
  "nextFireAt": 1791633600000
}
"""


@dataclass
class Lines:
    """A log that can be looked at."""

    warnings: list[str] = field(default_factory=list)
    infos: list[str] = field(default_factory=list)

    def info(self, msg: str, /) -> None:
        self.infos.append(msg)

    def warning(self, msg: str, /) -> None:
        self.warnings.append(msg)

    def exception(self, msg: str, /) -> None:
        raise AssertionError(msg)


@contextmanager
def bounded(seconds: float) -> Iterator[None]:
    """Fail instead of hanging."""

    def give_up(_number: int, _frame: FrameType | None) -> None:
        raise TimeoutError(f"still not done after {seconds} s")

    before = signal.signal(signal.SIGALRM, give_up)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@pytest.fixture
def log() -> Lines:
    return Lines()


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    return tmp_path / "reminders.json"


@pytest.fixture
def config(tmp_path: Path) -> Path:
    return tmp_path / "config.json"


@pytest.fixture
def store(rows: Path, log: Lines) -> Iterator[JsonReminderStore]:
    reminders = JsonReminderStore(str(rows), ZONE, log)
    yield reminders
    reminders.close()


@pytest.fixture
def schedules(config: Path, log: Lines) -> Iterator[JsonScheduleStore]:
    schedule = JsonScheduleStore(str(config), DEFAULTS, ZONE, log)
    yield schedule
    schedule.close()


def names(folder: Path) -> set[str]:
    """What is in a folder, locks of running servers apart."""
    return {entry.name for entry in folder.iterdir() if not entry.name.endswith(".lock")}


def copy_of(path: Path, data: bytes) -> Path:
    return path.with_name(f"{path.name}.unreadable-{hashlib.sha256(data).hexdigest()[:12]}")


def ids(found: Found[object] | None) -> list[str]:
    assert found is not None
    assert isinstance(found.content, list)
    return [reminder.id for reminder in found.content]


def undated(found: Found[T] | None) -> Found[T] | None:
    """What was found, whenever it was written."""
    return found and replace(found, saved_at=None)


def row(**members: object) -> str:
    return json.dumps(
        {"id": "rem_x", "message": "x", "createdAt": 1, "fireAt": 2, "everySeconds": None} | members
    )


# What is written.


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


# What is read.


@pytest.mark.parametrize(
    "data",
    [
        b"\xef\xbb\xbf" + TEA_FILE,
        TEA_FILE.replace(b"\n", b"\r\n"),
        b"\xef\xbb\xbf" + TEA_FILE.replace(b"\n", b"\r\n"),
        json.dumps(json.loads(TEA_FILE)).encode(),
        b"\n\n  " + TEA_FILE + b"\t\n",
    ],
    ids=["BOM", "CRLF", "both", "one line of ASCII", "space around"],
)
def test_a_file_in_another_dress_loads_without_a_word(
    data: bytes, rows: Path, store: JsonReminderStore
) -> None:
    """8.5: a byte-order mark is no damage."""
    rows.write_bytes(data)
    assert undated(store.load()) == Found([TEA])
    assert names(rows.parent) == {"reminders.json"}
    assert store.save([], []) is None
    assert rows.read_bytes() == TEA_FILE


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b" \n",
        b"\xef\xbb\xbf",
        b"\0" * 4096,
        TEA_FILE[:-4],
        TEA_FILE[: len(TEA_FILE) // 2],
        TEA_FILE + b"]",
        b"\xff\xfe" + TEA_FILE.decode().encode("utf-16-le"),
        TEA_FILE.decode().encode("utf-16-be"),
        b"{}",
        b"null",
        b'"rem_tea"',
        b"12",
        b"[" * 200_000,
        b"[" * 200_000 + b"]" * 200_000,
        b'{"a":' * 200_000,
        b"\x80" * 100,
        b"[1,]",
        b"// mine\n[]",
    ],
    ids=lambda data: repr(data[:12]) + str(len(data)),
)
def test_a_file_that_is_not_ours_is_copied_aside_and_the_server_starts_without_it(
    data: bytes, rows: Path, store: JsonReminderStore, log: Lines
) -> None:
    """8.5"""
    rows.write_bytes(data)
    rows.chmod(0o640)
    found = store.load()
    copy = copy_of(rows, data)
    assert found.content is None
    assert found.trouble is not None
    assert str(rows) in found.trouble.text
    assert str(copy) in found.trouble.text
    assert "\n" not in found.trouble.text
    assert copy.read_bytes() == rows.read_bytes() == data
    assert stat.S_IMODE(copy.stat().st_mode) == 0o640
    assert store.look() is None
    assert store.save([TEA], []) is None
    assert rows.read_bytes() == TEA_FILE
    assert names(rows.parent) == {"reminders.json", copy.name}
    assert log.warnings == []


@pytest.mark.parametrize(
    "data", [b"", b"[]", b'{"paused": tru', b"3", b"\0\0", b"[" * 200_000], ids=lambda d: repr(d[:9])
)
def test_a_config_file_that_is_not_ours_is_copied_aside_too(
    data: bytes, config: Path, schedules: JsonScheduleStore
) -> None:
    """8.5"""
    config.write_bytes(data)
    found = schedules.load()
    assert found.content is None
    assert str(copy_of(config, data)) in str(found.trouble)
    assert schedules.save(SCHEDULE) is None
    assert copy_of(config, data).read_bytes() == data
    assert config.read_bytes() == CONFIG_FILE


def test_rows_that_load_are_used_and_the_others_are_counted_and_kept_in_the_copy(
    rows: Path, store: JsonReminderStore
) -> None:
    """8.5"""
    bad = [row(id=""), row(message=1), row(createdAt="1"), row(everySeconds=4), "7", "[]", row(), row()]
    data = f"[{row(id='a')}, {', '.join(bad)}, {row(id='z')}]".encode()
    rows.write_bytes(data)
    found = store.load()
    assert ids(found) == ["a", "rem_x", "z"]
    assert "row 2: id is not a text" in str(found.trouble)
    assert "and 4 more" in str(found.trouble)
    assert copy_of(rows, data).read_bytes() == data
    assert rows.read_bytes() == data
    assert store.save([TEA], []) is None
    store.close()
    again = JsonReminderStore(str(rows), ZONE).load()
    assert (ids(again), again.trouble) == (["a", "rem_x", "z", "rem_tea"], None)


def test_members_that_load_are_used_and_the_others_are_named(
    config: Path, schedules: JsonScheduleStore
) -> None:
    """8.5"""
    data = b'{"intervalSeconds": 5, "paused": "no", "message": "Hi", "nextFireAt": 1791633600000.75}'
    config.write_bytes(data)
    found = schedules.load()
    assert found.content == Schedule(DEFAULTS.interval, False, "Hi", DeliveryMode.MESSAGE, NOON)
    assert "intervalSeconds is " in str(found.trouble)
    assert "paused is " in str(found.trouble)
    assert copy_of(config, data).read_bytes() == data


@pytest.mark.parametrize(
    "number", ["1e999", "-1e999", "NaN", "Infinity", "-Infinity", "9" * 6000, "-" + "9" * 6000]
)
@pytest.mark.parametrize("member", ["createdAt", "fireAt", "everySeconds", "id", "message"])
def test_a_number_that_no_clock_can_show_costs_only_its_own_row(
    number: str, member: str, rows: Path, store: JsonReminderStore
) -> None:
    """8.5"""
    broken = row(**{member: "N"}).replace('"N"', number)
    data = f"[{row(id='a')}, {broken}]"
    rows.write_text(data)
    found = store.load()
    assert ids(found) == ["a"]
    assert f"row 2: {member} is" in str(found.trouble)
    assert copy_of(rows, data.encode()).read_text() == data
    assert store.save([], []) is None
    assert json.loads(rows.read_text()) == [json.loads(row(id="a"))]


def test_bytes_that_are_not_utf8_are_read_as_replacement_characters_and_kept_in_the_copy(
    rows: Path, config: Path, store: JsonReminderStore, schedules: JsonScheduleStore
) -> None:
    """8.5: such as a file that was edited in Latin-1."""
    data = (
        f"[{row(message='Grüße')}]".encode("latin-1")
        .replace(b"\\u00fc", b"\xfc")
        .replace(b"\\u00df", b"\xdf")
    )
    rows.write_bytes(data)
    found = store.load()
    assert found.content is not None
    assert found.content[0].message == "Gr\ufffd\ufffde"
    assert "not UTF-8" in str(found.trouble)
    assert copy_of(rows, data).read_bytes() == data
    config.write_bytes(CONFIG_FILE.replace(b"Hello", b"Gr\xfc\xdfe"))
    schedule = schedules.load()
    assert schedule.content is not None
    assert schedule.content.message == "Gr\ufffd\ufffde"
    assert "not UTF-8" in str(schedule.trouble)


def test_escapes_of_half_a_surrogate_pair_are_read_as_replacement_characters_without_a_word(
    rows: Path, store: JsonReminderStore
) -> None:
    """8.1: JavaScript writes them. A whole pair is one character, and a backslash escaped is none."""
    rows.write_text(
        f"[{row(message='M')}]".replace('"M"', r'"\uDEAD \ud83c\udf75 \ud800\ud83c\udf75 \\ud800"')
    )
    found = store.load()
    assert found.content is not None
    assert found.content[0].message == "\ufffd 🍵 \ufffd🍵 \\ud800"
    assert found.trouble is None


def test_what_others_keep_in_the_files_is_written_back(
    rows: Path, config: Path, store: JsonReminderStore, schedules: JsonScheduleStore
) -> None:
    """8.5"""
    extra = {"tags": ["a", {"deep": [1.5, None, True]}], "ünknown": "\u2028"}
    rows.write_text(f"[{row(id='rem_tea', **extra)}, {row(id='rem_b')}]")
    config.write_text(json.dumps({"theirs": extra, "intervalSeconds": 60, "mine": 1}))
    assert store.load().trouble is None
    assert schedules.load().trouble is None
    assert (store.save([TEA], []), schedules.save(SCHEDULE)) == (None, None)
    first, second = json.loads(rows.read_text("utf-8"))
    assert first == json.loads(TEA_ROW) | extra
    assert second == json.loads(row(id="rem_b"))
    assert json.loads(config.read_text("utf-8")) == json.loads(CONFIG_FILE) | {"theirs": extra, "mine": 1}
    assert store.save([], ["rem_tea"]) is None
    assert store.save([TEA], []) is None
    assert json.loads(rows.read_text("utf-8"))[1] == json.loads(TEA_ROW)


@pytest.mark.parametrize("value", ["NaN", "1e999", "9" * 6000, "[" * 900 + "]" * 900])
def test_what_others_keep_and_no_file_can_hold_is_kept_in_the_copy_at_least(
    value: str, rows: Path, config: Path, store: JsonReminderStore, schedules: JsonScheduleStore
) -> None:
    """8.5: whatever Python reads of it, the file that we write is JSON, and nothing is lost unsaid."""
    rows.write_text(f"[{row(id='rem_b', note=0).replace('0}', value + '}')}]")
    config.write_text(f'{{"message": "Hi", "note": {value}}}')
    for found, path in ((store.load(), rows), (schedules.load(), config)):
        if found.trouble is None:
            continue
        assert copy_of(path, path.read_bytes()).read_bytes() == path.read_bytes()
        assert found.content is None or "written back" in found.trouble.text
    assert (store.save([TEA], []), schedules.save(SCHEDULE)) == (None, None)
    for path in (rows, config):
        json.loads(path.read_text(), parse_constant=pytest.fail)


def test_a_file_of_the_other_implementation_loads_unchanged_and_is_not_touched(
    rows: Path, config: Path, store: JsonReminderStore, schedules: JsonScheduleStore
) -> None:
    """8.1"""
    data = json.dumps(
        [{"id": "rem_m1_ab", "message": "x", "createdAt": 1.0, "fireAt": 2, "everySeconds": 5.25}]
    )
    rows.write_text(data)
    config.write_text('{"intervalSeconds":14400,"paused":true,"message":"Check in."}')
    assert undated(store.load()) == Found(
        [
            Reminder(
                "rem_m1_ab",
                "x",
                datetime(1970, 1, 1, 0, 0, 0, 1000, tzinfo=UTC),
                datetime(1970, 1, 1, 0, 0, 0, 2000, tzinfo=UTC),
                timedelta(seconds=5.25),
            )
        ]
    )
    assert undated(schedules.load()) == Found(
        Schedule(timedelta(hours=4), True, "Check in.", DeliveryMode.MESSAGE)
    )
    assert rows.read_text() == data
    assert (store.look(), schedules.look()) == (None, None)


def test_of_a_file_of_which_nothing_can_be_used_it_is_said_that_nothing_is(
    rows: Path, store: JsonReminderStore
) -> None:
    """8.5"""
    rows.write_bytes(b"{}")
    assert str(store.load().trouble) == (
        f"{rows} is not what this server writes (it is not a JSON array); it was copied to "
        f"{copy_of(rows, b'{}')}, and nothing in it is used"
    )


def test_of_a_file_that_can_be_used_in_part_it_is_said_that_the_rest_is_used(
    rows: Path, store: JsonReminderStore
) -> None:
    """8.5"""
    data = f"[{row()}, 7]".encode()
    rows.write_bytes(data)
    assert str(store.load().trouble) == (
        f"{rows} could be used only in part (row 2: is not an object); it was copied to "
        f"{copy_of(rows, data)}, and the rest of it is used"
    )


def test_a_file_that_was_read_tells_when_it_was_written(
    rows: Path, config: Path, store: JsonReminderStore, schedules: JsonScheduleStore
) -> None:
    """5.2: so that a clock that was set back since can be noticed."""
    for path, data in ((rows, TEA_FILE), (config, CONFIG_FILE)):
        path.write_bytes(data)
        os.utime(path, ns=(0, 1791633600_123456_789))
    written = datetime(2026, 10, 10, 12, 0, 0, 123456, tzinfo=UTC)
    assert store.load().saved_at == schedules.load().saved_at == written


def test_a_file_that_is_not_there_tells_no_time(store: JsonReminderStore) -> None:
    """5.2"""
    assert store.load().saved_at is None


def test_a_file_of_a_time_that_no_calendar_has_tells_none(rows: Path) -> None:
    """5.2: some disks hold such times."""

    class Late(SystemCalls):
        def __getattribute__(self, name: str) -> object:
            return self.late if name == "fstat" else super().__getattribute__(name)

        def late(self, fd: int) -> os.stat_result:
            status = os.fstat(fd)
            later = {"st_mtime_ns": 10**21, "st_ctime_ns": status.st_ctime_ns}
            return os.stat_result(tuple(status), later)

    rows.write_bytes(TEA_FILE)
    store = JsonReminderStore(str(rows), ZONE, calls=Late())
    assert store.load() == Found([TEA])
    store.close()


# What is left alone.


def refuses(path: Path, what: str, log: Lines) -> None:
    """Both kinds of store leave alone what is at `path`, and say so at each save."""
    before = os.lstat(path)
    store = JsonReminderStore(str(path), ZONE, log)
    with bounded(10):
        found = store.load()
        assert found.content is None
        assert not found.in_use
        assert what in str(found.trouble)
        assert str(path) in str(found.trouble)
        assert store.save([TEA], []) == found.trouble
        assert store.look() is None
        assert store.save([TEA], []) == found.trouble
        store.close()
    assert os.lstat(path).st_ino == before.st_ino
    assert os.lstat(path).st_mode == before.st_mode


def test_a_folder_in_its_place_is_left_alone(rows: Path, log: Lines) -> None:
    """8.4"""
    rows.mkdir()
    refuses(rows, "it is a folder", log)
    assert names(rows.parent) == {"reminders.json"}


def test_a_named_pipe_in_its_place_blocks_nothing_and_is_left_alone(rows: Path, log: Lines) -> None:
    """8.4"""
    os.mkfifo(rows)
    refuses(rows, "named pipe", log)


def test_a_socket_in_its_place_is_left_alone(log: Lines) -> None:
    """8.4"""
    with socket.socket(socket.AF_UNIX) as listener, tempfile.TemporaryDirectory() as short:
        path = Path(short, "r.json")
        listener.bind(str(path))
        refuses(path, "socket", log)


@pytest.mark.parametrize("device", ["/dev/full", "/dev/null", "/dev/zero"])
def test_a_device_is_left_alone_even_by_root(device: str, rows: Path, log: Lines) -> None:
    """8.4: root could rename a file over it."""
    refuses(Path(device), "device", log)
    rows.symlink_to(device)
    refuses(rows, "device", log)
    assert stat.S_ISCHR(os.stat(device).st_mode)


def test_a_circle_of_links_is_left_alone(rows: Path, log: Lines) -> None:
    """8.4"""
    rows.symlink_to(rows.with_name("other"))
    rows.with_name("other").symlink_to(rows)
    refuses(rows, os.strerror(errno.ELOOP), log)


@pytest.fixture
def open_folder() -> Iterator[Path]:
    with nobodys_folder() as folder:
        yield folder


def test_a_file_without_permission_is_left_alone(open_folder: Path) -> None:
    """8.4"""
    path = open_folder / "r.json"
    path.write_bytes(TEA_FILE)
    path.chmod(0)

    def attempt() -> tuple[object, str, str]:
        store = JsonReminderStore(str(path), ZONE)
        found, why_not = store.load(), store.save([CAT], [])
        store.close()
        return found.content, str(found.trouble), str(why_not)

    content, notice, why_not = as_nobody(attempt)
    assert content is None
    assert os.strerror(errno.EACCES) in notice
    assert why_not == notice
    path.chmod(0o600)
    assert path.read_bytes() == TEA_FILE


def test_in_a_read_only_folder_the_file_is_served_and_each_save_says_why_it_fails(open_folder: Path) -> None:
    """8.3, 8.6"""
    path = open_folder / "r.json"
    path.write_bytes(TEA_FILE)
    path.chmod(0o644)
    open_folder.chmod(0o555)

    def attempt() -> tuple[object, Trouble | None, str, str, list[str]]:
        store = JsonReminderStore(str(path), ZONE, log := Lines())
        found, why_not, again = store.load(), store.save([CAT], []), store.save([CAT], [])
        store.close()
        return found.content, found.trouble, str(why_not), str(again), log.warnings

    content, notice, why_not, again, warnings = as_nobody(attempt)
    open_folder.chmod(0o755)
    assert (content, notice) == ([TEA], None)
    assert os.strerror(errno.EACCES) in why_not
    assert why_not == again
    assert warnings == []


def test_in_a_read_only_folder_too_only_one_server_has_the_file(open_folder: Path) -> None:
    """8.6"""
    path = open_folder / "r.json"
    path.write_bytes(TEA_FILE)
    path.chmod(0o644)
    open_folder.chmod(0o555)

    def attempt() -> tuple[object, bool, object]:
        first, second = JsonReminderStore(str(path), ZONE), JsonReminderStore(str(path), ZONE)
        mine, theirs = first.load(), second.load()
        first.close()
        later = second.look()
        second.close()
        return mine.content, theirs.in_use, later and later.content

    content, in_use, later = as_nobody(attempt)
    open_folder.chmod(0o755)
    assert (content, in_use, later) == ([TEA], True, [TEA])
    assert path.read_bytes() == TEA_FILE


# The copy.


def test_a_copy_that_is_already_there_is_not_made_again(rows: Path) -> None:
    """8.5"""
    rows.write_bytes(b"[1]")
    copy = copy_of(rows, b"[1]")
    for _ in range(2):
        store = JsonReminderStore(str(rows), ZONE)
        assert str(copy) in str(store.load().trouble)
        inode = copy.stat().st_ino
        store.close()
    assert copy.stat().st_ino == inode
    assert names(rows.parent) == {"reminders.json", copy.name}


@pytest.mark.parametrize(
    "occupant", ["folder", "other bytes", "link to nowhere", "link to the file", "named pipe"]
)
def test_where_no_copy_can_be_made_the_file_is_left_alone(
    occupant: str, rows: Path, store: JsonReminderStore
) -> None:
    """8.5, 8.4"""
    data = f"[{row(id='a')}, 7]".encode()
    rows.write_bytes(data)
    copy = copy_of(rows, data)
    match occupant:
        case "folder":
            copy.mkdir()
        case "other bytes":
            copy.write_bytes(b"mine")
        case "link to nowhere":
            copy.symlink_to("nowhere")
        case "link to the file":
            copy.symlink_to(rows)
        case _:
            os.mkfifo(copy)
    before = os.lstat(copy)
    with bounded(10):
        found = store.load()
    assert found.content is None
    assert f"could not be copied to {copy}" in str(found.trouble)
    assert store.save([TEA], []) == found.trouble
    assert rows.read_bytes() == data
    assert os.lstat(copy) == before


# Two servers.


def test_two_stores_on_one_file_contend_also_within_one_process(rows: Path, store: JsonReminderStore) -> None:
    """8.6"""
    store.load()
    second = JsonReminderStore(str(rows), ZONE)
    found = second.load()
    assert found.in_use
    assert str(rows) in str(found.trouble)
    assert second.save([CAT], []) == found.trouble
    assert store.save([TEA], []) is None
    store.close()
    assert undated(second.look()) == Found([TEA])
    assert second.save([CAT], []) is None
    second.close()
    assert names(rows.parent) == {"reminders.json"}


def test_files_in_one_folder_do_not_contend(tmp_path: Path) -> None:
    """8.6"""
    stores = [JsonReminderStore(str(tmp_path / f"{n}.json"), ZONE) for n in range(3)]
    assert [store.load().in_use for store in stores] == [False] * 3
    for store in stores:
        store.close()
    assert os.listdir(tmp_path) == []


def test_a_path_through_a_link_is_the_same_file(tmp_path: Path, store: JsonReminderStore) -> None:
    """8.6"""
    store.load()
    (tmp_path / "folder").symlink_to(".")
    (tmp_path / "link.json").symlink_to("folder/reminders.json")
    for path in (tmp_path / "link.json", tmp_path / "folder" / "reminders.json"):
        assert JsonReminderStore(str(path), ZONE).load().in_use


def _hold(path: str, ready: Connection) -> None:
    store = JsonReminderStore(path, ZONE)
    found = store.load()
    ready.send((found.in_use, store.save([TEA], [])))
    ready.recv()  # never comes: it is killed here, or told to close by the end of the pipe


def test_a_server_that_is_killed_frees_the_file_for_its_successor(
    rows: Path, store: JsonReminderStore
) -> None:
    """8.6"""
    mine, theirs = multiprocessing.Pipe()
    holder = multiprocessing.get_context("fork").Process(target=_hold, args=(str(rows), theirs))
    holder.start()
    theirs.close()
    assert mine.poll(30)
    assert mine.recv() == (False, None)
    assert store.load().in_use
    assert store.look() is None
    assert store.save([CAT], []) is not None
    holder.kill()
    holder.join(30)
    holder.close()
    mine.close()
    assert undated(store.look()) == Found([TEA])
    assert store.save([CAT], []) is None
    store.close()
    assert os.listdir(rows.parent) == ["reminders.json"]


def test_a_lock_file_that_somebody_removed_lets_no_second_server_write(
    rows: Path, store: JsonReminderStore
) -> None:
    """8.6"""
    store.load()
    store.save([TEA], [])
    lock = rows.with_name(".reminders.json.lock")
    lock.unlink()
    assert store.save([TEA], []) is None
    assert lock.exists()
    lock.unlink()
    second = JsonReminderStore(str(rows), ZONE)
    assert ids(second.load()) == ["rem_tea"]
    assert "in use" in str(store.save([CAT], []))
    assert second.save([CAT], []) is None
    lost = store.look()
    assert lost is not None
    assert lost.in_use
    assert store.look() is None
    second.close()
    assert ids(store.look()) == ["rem_tea", "rem_cat"]


def test_a_lock_file_that_is_no_file_is_survived(rows: Path, store: JsonReminderStore, log: Lines) -> None:
    """8.6"""
    rows.with_name(".reminders.json.lock").mkdir()
    assert undated(store.load()) == Found()
    assert store.save([TEA], []) is None
    assert len(log.warnings) == 1


@pytest.mark.parametrize("number", [errno.ENOLCK, errno.EOPNOTSUPP, errno.ENOSYS])
def test_a_filesystem_without_locks_is_served_and_the_log_says_so_once(
    number: int, rows: Path, log: Lines
) -> None:
    """8.6"""

    class NoLocks(SystemCalls):
        def __getattribute__(self, name: str) -> object:
            return self.refuse if name == "flock" else super().__getattribute__(name)

        def refuse(self, _fd: int, _operation: int) -> None:
            raise OSError(number, os.strerror(number))

    in_flight = rows.with_name(".reminders.json.0a1b2c3d.tmp")
    in_flight.touch()
    store = JsonReminderStore(str(rows), ZONE, log, NoLocks())
    assert undated(store.load()) == Found()
    assert in_flight.exists()  # where nothing tells that nobody else is writing
    assert store.save([TEA], []) is None
    assert store.look() is None
    assert store.save([CAT], []) is None
    assert len(log.warnings) == 1
    assert os.strerror(number) in log.warnings[0]
    store.close()


# Strangers.


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


# What dead servers left.


def test_temporary_files_of_dead_servers_are_removed_at_the_next_start_and_nothing_else(rows: Path) -> None:
    """8.3"""
    ours = [".reminders.json.0a1b2c3d.tmp", ".reminders.json.unreadable-0123456789ab.0a1b2c3d.tmp"]
    others = [
        ".reminders.json.mine.tmp",
        ".other.json.0a1b2c3d.tmp",
        "reminders.json.0a1b2c3d.tmp",
        "note.txt",
    ]
    for name in (*ours, *others):
        rows.with_name(name).write_bytes(b"x")
    rows.with_name(".reminders.json.00000000.tmp").mkdir()
    store = JsonReminderStore(str(rows), ZONE)
    store.load()
    store.close()
    assert names(rows.parent) == {*others, ".reminders.json.00000000.tmp"}


def test_a_server_that_does_not_have_the_file_removes_nothing_of_the_one_that_has(
    rows: Path, store: JsonReminderStore
) -> None:
    """8.6"""
    store.load()
    rows.with_name(".reminders.json.0a1b2c3d.tmp").write_bytes(b"x")
    JsonReminderStore(str(rows), ZONE).load()
    assert rows.with_name(".reminders.json.0a1b2c3d.tmp").exists()
