"""The log on stderr: one line an entry, and nothing that happens to stderr stops the server."""

from __future__ import annotations

import os
import pty
import resource
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from heartbeat_adapters.stdio.stderr_log import StderrLog

pytestmark = pytest.mark.timeout(60)  # a log that waits for its reader would wait for ever


@pytest.fixture
def pipe() -> Iterator[tuple[int, int]]:
    reading, writing = os.pipe()
    os.set_blocking(reading, False)
    yield reading, writing
    for fd in (reading, writing):
        try:
            os.close(fd)
        except OSError:
            continue


def everything(fd: int) -> str:
    """What a pipe or terminal holds, without waiting for more."""
    read = b""
    while True:
        try:
            chunk = os.read(fd, 65536)
        except BlockingIOError:
            return read.decode()
        if not chunk:
            return read.decode()
        read += chunk


def written(*entries: str) -> str:
    reading, writing = os.pipe()
    log = StderrLog(fd=writing)
    for entry in entries:
        log.info(entry)
    os.close(writing)
    log.close()
    os.set_blocking(reading, False)
    read = everything(reading)
    os.close(reading)
    return read


def test_an_entry_is_a_line_that_says_whose_it_is(pipe: tuple[int, int]) -> None:
    """1.3"""
    log = StderrLog(fd=pipe[1])
    log.info("started")
    log.warning("stopped")
    log.debug("not asked for")
    assert everything(pipe[0]) == "[heartbeat-mcpl] started\n[heartbeat-mcpl] WARNING: stopped\n"


def test_debug_entries_are_there_when_asked_for(pipe: tuple[int, int]) -> None:
    """1.3"""
    StderrLog(fd=pipe[1], verbose=True).debug("more")
    assert everything(pipe[0]) == "[heartbeat-mcpl] more\n"


def test_what_would_break_a_line_is_escaped() -> None:
    """1.3"""
    assert written("a\nb\r\t\x00\x1b[2J\x85\u2028\u2029é😀\xa0") == (
        "[heartbeat-mcpl] a\\nb\\r\\t\\u0000\\u001b[2J\\u0085\\u2028\\u2029é😀\xa0\n"
    )


@given(st.text(st.characters() | st.sampled_from("\ud800\n\x85\u2028")))
def test_any_text_is_one_line(text: str) -> None:
    """1.3: for readers that split as Python does, which is at more than newlines."""
    assert len(written(text).splitlines()) == 1


def test_a_stderr_that_nobody_reads_does_not_hold_anything_up(pipe: tuple[int, int]) -> None:
    """1.3: entries are lost rather than waited for, and the log says how many when it can again."""
    log = StderrLog(fd=pipe[1])
    for n in range(20_000):
        log.info(f"entry {n}")
    first = everything(pipe[0]).splitlines()
    log.info("back")
    lost, back = everything(pipe[0]).splitlines()
    assert first == [f"[heartbeat-mcpl] entry {n}" for n in range(len(first))]
    assert lost == (
        f"[heartbeat-mcpl] WARNING: {20_000 - len(first)} line(s) of this log were lost here: stderr was full"
    )
    assert back == "[heartbeat-mcpl] back"


def test_an_entry_that_was_cut_short_is_ended_before_the_next(pipe: tuple[int, int]) -> None:
    """1.3"""
    log = StderrLog(fd=pipe[1])
    log.info("x" * 1_000_000)
    cut = everything(pipe[0])
    log.info("next")
    lost, last = everything(pipe[0]).removeprefix("\n").splitlines()
    assert cut.startswith("[heartbeat-mcpl] xxx")
    assert "1 line(s)" in lost
    assert last == "[heartbeat-mcpl] next"


def test_a_pipe_that_others_share_stays_blocking(pipe: tuple[int, int]) -> None:
    """1.3"""
    StderrLog(fd=pipe[1]).info("x")
    assert os.get_blocking(pipe[1])


def test_a_closed_stderr_is_survived() -> None:
    """1.3"""
    reading, writing = os.pipe()
    os.close(reading)
    os.close(writing)
    log = StderrLog(fd=writing)
    log.info("nobody hears")
    log.info("nobody hears")


def test_a_stderr_whose_reader_has_gone_is_survived() -> None:
    """1.3"""
    reading, writing = os.pipe()
    log = StderrLog(fd=writing)
    os.close(reading)
    log.info("nobody hears")
    os.close(writing)
    log.close()


def test_a_full_disk_is_survived(tmp_path: Path) -> None:
    """1.3: entries fit again once there is space."""
    path = tmp_path / "log"
    fd = os.open(path, os.O_CREAT | os.O_WRONLY | os.O_APPEND)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    before = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    log = StderrLog(fd=fd)
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (30, limits[1]))
        log.info("first of all entries")
        log.info("second")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, before)
    log.info("third")
    os.close(fd)
    cut, lost, third = path.read_text().splitlines()
    assert cut == "[heartbeat-mcpl] first of all "[:30].rstrip("\n")
    assert "2 line(s)" in lost
    assert third == "[heartbeat-mcpl] third"


def test_a_terminal_that_takes_nothing_does_not_hold_anything_up() -> None:
    """1.3"""
    master, terminal = pty.openpty()
    log = StderrLog(fd=terminal)
    for n in range(20_000):
        log.info(f"entry {n}")
    log.close()
    os.close(terminal)
    os.close(master)
