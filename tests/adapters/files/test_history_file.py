"""The history as a file: appended whole, begun anew when full, read from its end, in nobody's way (14.2)."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from heartbeat_adapters.files import history_file
from heartbeat_adapters.files.history_file import JsonLinesHistory
from heartbeat_adapters.files.lines_backwards import BLOCK, LONGEST_LINE
from heartbeat_adapters.files.system_calls import SystemCalls
from heartbeat_core.history import Ending, HistoryLine, WakeKind
from heartbeat_core.ports import TroubleKind

NOON = datetime(2026, 10, 10, 12, tzinfo=UTC)


def beat(number: int, reason: str | None = None) -> HistoryLine:
    due = NOON + timedelta(seconds=number)
    return HistoryLine(due, due, WakeKind.BEAT, Ending.DROPPED, reason=reason)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "heartbeat-history.jsonl"


@pytest.fixture
def history(path: Path) -> Iterator[JsonLinesHistory]:
    history = JsonLinesHistory(str(path))
    yield history
    history.close()


def reasons(history: JsonLinesHistory) -> list[str | None]:
    return [line.reason for line in history.newest_first()]


def test_a_line_has_the_members_of_the_contract_and_reads_back_as_it_was(
    history: JsonLinesHistory, path: Path
) -> None:
    """14.1"""
    line = HistoryLine(
        at=NOON + timedelta(milliseconds=1500),
        due=NOON,
        kind=WakeKind.REMINDER,
        ending=Ending.REFUSED,
        reminder_id="rem_a",
        sent=NOON,
        event_id="rem_a@1",
        attempt=2,
        reason="not now\n",
        missed=3,
        to=NOON,
        inference_id="i",
    )
    assert history.append([line]) is None
    assert path.read_text() == (
        '{"at":"2026-10-10T12:00:01.500Z","due":"2026-10-10T12:00:00.000Z","sent":"2026-10-10T12:00:00.000Z",'
        '"kind":"reminder","id":"rem_a","eventId":"rem_a@1","attempt":2,"outcome":"refused",'
        '"reason":"not now\\n","missed":3,"to":"2026-10-10T12:00:00.000Z","inferenceId":"i"}\n'
    )
    assert list(history.newest_first()) == [line]


def test_a_line_has_only_the_members_that_apply(history: JsonLinesHistory, path: Path) -> None:
    """14.1"""
    history.append([beat(0)])
    assert path.read_text() == (
        '{"at":"2026-10-10T12:00:00.000Z","due":"2026-10-10T12:00:00.000Z","kind":"beat","outcome":"dropped"}\n'
    )


def test_there_is_no_file_before_the_first_line_and_only_its_owner_may_read_it(
    history: JsonLinesHistory, path: Path
) -> None:
    """14.2"""
    assert list(history.newest_first()) == []
    assert os.listdir(path.parent) == []
    history.append([beat(0)])
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_file_and_a_folder_that_are_gone_are_made_anew(tmp_path: Path) -> None:
    """14.2"""
    path = tmp_path / "data" / "h.jsonl"
    history = JsonLinesHistory(str(path))
    history.append([beat(0, "a")])
    path.unlink()
    assert history.append([beat(0, "b")]) is None
    history.close()
    path.unlink()
    path.parent.rmdir()
    assert history.append([beat(0, "c")]) is None
    assert reasons(history) == ["c"]
    history.close()


def test_lines_are_read_newest_first_over_both_files(history: JsonLinesHistory, path: Path) -> None:
    """14.2"""
    history.append([beat(0, "a"), beat(1, "b")])
    path.rename(f"{path}.1")
    history.append([beat(2, "c")])
    assert reasons(history) == ["c", "b", "a"]


def test_a_full_file_is_renamed_over_the_one_before_it(
    history: JsonLinesHistory, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """14.2"""
    monkeypatch.setattr(history_file, "FULL", 250)
    for number in range(7):  # of 100 bytes and more each: three fill a file
        history.append([beat(number, f"{number}")])
    assert sorted(os.listdir(path.parent)) == [f".{path.name}.lock", path.name, f"{path.name}.1"]
    assert reasons(history) == ["6", "5", "4", "3"]


def test_a_file_is_full_at_one_mebibyte(history: JsonLinesHistory, path: Path) -> None:
    """14.2"""
    path.write_bytes(b"x" * ((1 << 20) - 2) + b"\n")
    history.append([beat(0)])
    assert not Path(f"{path}.1").exists()
    history.append([beat(1)])
    assert Path(f"{path}.1").exists()


@pytest.mark.parametrize("left", [b'{"at":"2026', b"\xff\xfe", b'{"at":"2026-10-10T12:00:00.000Z"}'], ids=str)
def test_half_a_line_is_ended_by_the_next_and_passed_over(
    history: JsonLinesHistory, path: Path, left: bytes
) -> None:
    """14.2"""
    history.append([beat(0, "a")])
    with path.open("ab") as file:
        file.write(left)
    assert reasons(history) == ["a"]
    history.append([beat(1, "b")])
    assert reasons(history) == ["b", "a"]
    assert path.read_bytes().count(b"\n") == 3


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"null",
        b"[]",
        b"\x00" * 100,
        b'{"at":"x","due":"x","kind":"beat","outcome":"taken"}',
        b'{"at":"2026-10-10T12:00:00","due":"2026-10-10T12:00:00Z","kind":"beat","outcome":"taken"}',
        b'{"at":"9999-12-31T23:59:59-12:00","due":"2026-10-10T12:00:00Z","kind":"beat","outcome":"taken"}',
        b'{"at":"2026-10-10T12:00:00Z","due":"2026-10-10T12:00:00Z","kind":"beat","outcome":"eaten"}',
        b"y" * LONGEST_LINE + b"y",
        b"y" * 10_000_000,
    ],
    ids=lambda line: f"{line[:40]!r}-{len(line)}",
)
def test_what_is_no_line_of_ours_is_passed_over(history: JsonLinesHistory, path: Path, line: bytes) -> None:
    """14.2"""
    history.append([beat(0, "a")])
    with path.open("ab") as file:
        file.write(line + b"\n")
    history.append([beat(1, "b")])
    assert reasons(history) == ["b", "a"]


def test_lines_of_every_length_are_read_whole_wherever_a_block_ends(
    history: JsonLinesHistory,
) -> None:
    """14.2"""
    sizes = [*range(1, 400, 7), BLOCK - 200, BLOCK, 2 * BLOCK + 1, 5, LONGEST_LINE - 400, 3]
    wanted = ["r" * size for size in sizes]
    history.append([beat(0, reason) for reason in wanted])
    assert reasons(history) == wanted[::-1]


class CountedCalls(SystemCalls):
    """Counts the bytes that are read."""

    def __init__(self) -> None:
        self.bytes_read = 0

    def pread(self, fd: int, size: int, offset: int) -> bytes:
        data = os.pread(fd, size, offset)
        self.bytes_read += len(data)
        return data


def test_twenty_lines_of_a_hundred_thousand_cost_one_block(history: JsonLinesHistory, path: Path) -> None:
    """14.2"""
    history.append([beat(number) for number in range(100_000)])
    calls = CountedCalls()
    lines = JsonLinesHistory(str(path), calls).newest_first()
    assert [next(lines).at for _ in range(20)] == [NOON + timedelta(seconds=99_999 - n) for n in range(20)]
    assert calls.bytes_read <= BLOCK


def test_the_second_of_two_servers_writes_none_and_goes_on_when_the_first_is_gone(path: Path) -> None:
    """14.2, 8.6"""
    first, second = JsonLinesHistory(str(path)), JsonLinesHistory(str(path))
    first.append([beat(0, "a")])
    trouble = second.append([beat(1, "b")])
    assert trouble is not None
    assert trouble.kind is TroubleKind.IN_USE
    assert reasons(second) == ["a"]
    first.close()
    assert second.append([beat(2, "c")]) is None
    assert reasons(second) == ["c", "a"]
    second.close()
    assert os.listdir(path.parent) == [path.name]


def test_a_link_stays_one_and_its_file_is_written(tmp_path: Path) -> None:
    """14.2, 8.3"""
    (tmp_path / "link").symlink_to(tmp_path / "real")
    history = JsonLinesHistory(str(tmp_path / "link"))
    assert history.append([beat(0, "a")]) is None
    assert (tmp_path / "link").is_symlink()
    assert reasons(history) == ["a"]
    history.close()


def in_the_place_of(path: Path, what: str) -> None:
    match what:
        case "folder":
            path.mkdir()
        case "fifo":
            os.mkfifo(path)
        case "device":
            path.symlink_to("/dev/full")
        case "no folder":
            path.parent.joinpath("file").touch()
            path.symlink_to(path.parent / "file" / "history")


@pytest.mark.parametrize("what", ["folder", "fifo", "device", "no folder"])
def test_what_is_no_file_is_left_alone_and_said_without_waiting(path: Path, what: str) -> None:
    """14.2"""
    in_the_place_of(path, what)
    history = JsonLinesHistory(str(path))
    trouble = history.append([beat(0)])
    assert trouble is not None
    assert str(path) in str(trouble)
    assert list(history.newest_first()) == []
    history.close()


def test_a_folder_in_the_place_of_the_full_file_is_said(history: JsonLinesHistory, path: Path) -> None:
    """14.2"""
    path.write_bytes(b"x" * (1 << 20))
    Path(f"{path}.1").mkdir()
    assert history.append([beat(0)]) is not None
    assert path.stat().st_size == 1 << 20


class FullDisk(SystemCalls):
    """A disk that takes `room` more bytes."""

    def __init__(self) -> None:
        self.room = 1 << 30

    def writev(self, fd: int, pieces: list[bytes]) -> int:  # type: ignore[override]
        if self.room == 0:
            raise OSError(errno.ENOSPC, "No space left on device")
        taken = os.write(fd, b"".join(pieces)[: self.room])
        self.room -= taken
        return taken


@pytest.mark.parametrize("room", [0, 1, 40])
def test_a_full_disk_is_said_and_what_it_took_of_a_line_spoils_no_other(path: Path, room: int) -> None:
    """14.2"""
    calls = FullDisk()
    history = JsonLinesHistory(str(path), calls)
    history.append([beat(0, "a")])
    calls.room = room
    assert "room" in str(history.append([beat(1, "b")])).lower() or room == 0
    calls.room = 1 << 30
    assert history.append([beat(2, "c")]) is None
    assert reasons(history) == ["c", "a"]
    history.close()


def test_reading_while_the_file_becomes_full_gives_no_line_twice(
    history: JsonLinesHistory, path: Path
) -> None:
    """14.2"""

    class Renames(SystemCalls):
        def __init__(self) -> None:
            self.opened = 0

        def open(self, path: str, flags: int, mode: int = 0o777) -> int:  # type: ignore[override]
            fd = os.open(path, flags, mode)
            self.opened += 1
            if self.opened == 1:
                os.rename(path, f"{path}.1")
            return fd

    history.append([beat(0, "a")])
    assert reasons(JsonLinesHistory(str(path), Renames())) == ["a"]
