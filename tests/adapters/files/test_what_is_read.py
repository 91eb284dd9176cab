"""What of a file can be used, and what is said of the rest: 8.1, 8.5."""

from __future__ import annotations

import json
import os
import stat
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from file_worlds import (
    CONFIG_FILE,
    DEFAULTS,
    NOON,
    SCHEDULE,
    TEA,
    TEA_FILE,
    TEA_ROW,
    ZONE,
    Lines,
    copy_of,
    ids,
    names,
    row,
    undated,
)

from heartbeat_adapters.files.json_stores import JsonReminderStore, JsonScheduleStore
from heartbeat_adapters.files.system_calls import SystemCalls
from heartbeat_core.ports import Found
from heartbeat_core.reminders.recurrence import Interval
from heartbeat_core.reminders.reminder import Reminder
from heartbeat_core.schedule.ambient_schedule import DeliveryMode, Schedule


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
                Interval(timedelta(seconds=5.25)),
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
        f"{rows} is not what a heartbeat writes (it is not a JSON array); it was copied to "
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
