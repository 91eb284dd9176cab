"""Files read whole and replaced whole, as bytes: durable, atomic, regular files only (8.3, 8.9).

These are single steps that raise OSError; `watched_file` knows which file may be touched when.
"""

from __future__ import annotations

import errno
import os
import re
import stat
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass

from heartbeat_adapters.files.system_calls import SystemCalls

Signature = tuple[int, int, int, int, int]

_READ = os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_CHUNK = 1 << 20
_MOST_PIECES = 1024  # as many as every system takes in one call
_STEADY_TRIES = 3
_KINDS = (
    (stat.S_ISFIFO, "it is a named pipe"),
    (stat.S_ISSOCK, "it is a socket"),
    (stat.S_ISCHR, "it is a device"),
    (stat.S_ISBLK, "it is a device"),
)
# What a filesystem answers that has no such thing as flushing a folder, or mode bits: nothing is lost.
_NOT_HERE = {errno.EINVAL, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS}


@dataclass(frozen=True, slots=True)
class FileSnapshot:
    """What a file held, and the signature by which the same content can be known again cheaply."""

    data: bytes
    signature: Signature


def signature_of(status: os.stat_result) -> Signature:
    """What changes when a file is written to or replaced."""
    return (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)


def check_regular(status: os.stat_result) -> None:
    """Raise OSError for what is no regular file: the others block, have effects, or have no content."""
    if stat.S_ISDIR(status.st_mode):
        raise OSError(errno.EISDIR, "it is a folder")
    for is_kind, what in _KINDS:
        if is_kind(status.st_mode):
            raise OSError(errno.EINVAL, what)


def read_whole(calls: SystemCalls, path: str) -> FileSnapshot:
    """Read a regular file. One that changes while it is read is read again, a few times."""
    for _ in range(_STEADY_TRIES):
        # Asked before it is opened, since opening a device can do things; and after, to be sure.
        check_regular(calls.stat(path))
        fd = calls.open(path, _READ)
        try:
            before = calls.fstat(fd)
            check_regular(before)
            data = _read_to_the_end(calls, fd)
            after = signature_of(calls.fstat(fd))
        finally:
            close_quietly(calls, fd)
        if after == signature_of(before):
            break
    return FileSnapshot(data, after)


def _read_to_the_end(calls: SystemCalls, fd: int) -> bytes:
    chunks = []
    while chunk := calls.read(fd, _CHUNK):
        chunks.append(chunk)
    return b"".join(chunks)


def _nothing(*_: object) -> None:
    pass


def replace_whole(
    calls: SystemCalls,
    path: str,
    pieces: Sequence[bytes],
    like: os.stat_result | None,
    last_look: Callable[[], None] = _nothing,
    last_hold: Callable[[int], None] = _nothing,
) -> Signature | None:
    """Put the pieces in the place of the file at `path`, with the mode and owner of `like`.

    `last_hold` is called with the new file, open, and `last_look` just before that gets its name; either
    may raise to prevent it. Gives the signature of what is there
    now, or None where that is uncertain. Raises OSError with the old content still there and nothing
    else left; the one exception is `NotFlushed`.
    """
    temporary = temporary_name(path, calls.token(4).hex())
    fd = calls.open(temporary, _CREATE, 0o600)
    try:
        written = _fill(calls, fd, pieces, like, last_hold)
        last_look()
        calls.rename(temporary, path)
    except BaseException:
        with suppress(OSError):
            calls.unlink(temporary)
        raise
    try:
        flush_folder(calls, os.path.dirname(path))
    except OSError as why:
        raise NotFlushed(why.errno, why.strerror) from why
    return _signature_if_still(calls, path, written)


def _fill(
    calls: SystemCalls,
    fd: int,
    pieces: Sequence[bytes],
    like: os.stat_result | None,
    last_hold: Callable[[int], None],
) -> os.stat_result:
    try:
        if like is not None:
            _keep_owner_and_mode(calls, fd, like)
        _write_all(calls, fd, pieces)
        _make_unmistakable(calls, fd)
        calls.fsync(fd)
        written = calls.fstat(fd)
        last_hold(fd)
    except BaseException:
        close_quietly(calls, fd)
        raise
    # Not quietly: network filesystems say only here that there was no room.
    calls.close(fd)
    return written


def _make_unmistakable(calls: SystemCalls, fd: int) -> None:
    """Set the time of writing back by as little as the filesystem can.

    Its clock ticks in steps of some milliseconds: a stranger who writes within the same one would leave
    the very time that we left, and with as many bytes, the same signature.
    """
    with suppress(PermissionError):  # then the time stays what it is; some network filesystems say so
        status = calls.fstat(fd)
        calls.utime(fd, ns=(status.st_atime_ns, status.st_mtime_ns - 1))


def _signature_if_still(calls: SystemCalls, path: str, written: os.stat_result) -> Signature | None:
    # Asked again, since renaming changes the time of change. All else must be what was written.
    try:
        signature = signature_of(calls.stat(path))
    except OSError:
        return None
    return signature if signature[:4] == signature_of(written)[:4] else None


class NotFlushed(OSError):
    """The new content is in place, but a power cut may bring the old one back."""


def _write_all(calls: SystemCalls, fd: int, pieces: Sequence[bytes]) -> None:
    for start in range(0, len(pieces), _MOST_PIECES):
        batch = pieces[start : start + _MOST_PIECES]
        written, wanted = calls.writev(fd, batch), sum(map(len, batch))
        if written < wanted:
            rest = memoryview(b"".join(batch))[written:]
            while rest:
                rest = rest[calls.writev(fd, [rest]) :]


def _keep_owner_and_mode(calls: SystemCalls, fd: int, like: os.stat_result) -> None:
    mine = calls.fstat(fd)
    if (mine.st_uid, mine.st_gid) != (like.st_uid, like.st_gid):
        # Only root may give a file away; others may at best keep the group.
        try:
            calls.fchown(fd, like.st_uid, like.st_gid)
        except PermissionError:
            with suppress(PermissionError):
                calls.fchown(fd, -1, like.st_gid)
    # After the owner: a change of owner clears some of the bits.
    mode = stat.S_IMODE(like.st_mode)
    if stat.S_IMODE(mine.st_mode) != mode:
        with suppress(PermissionError):  # as FAT answers, which has no such bits
            calls.fchmod(fd, mode)


def flush_folder(calls: SystemCalls, folder: str) -> None:
    """Make sure that the names in a folder survive a power cut."""
    fd = calls.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        calls.fsync(fd)
    except OSError as why:
        if why.errno not in _NOT_HERE:
            raise
    finally:
        close_quietly(calls, fd)


def make_folder(calls: SystemCalls, folder: str) -> None:
    """Make a folder and those above it, for the owner only, where they are missing; durably."""
    try:
        calls.stat(folder)
        return
    except FileNotFoundError:
        above = os.path.dirname(folder)
    make_folder(calls, above)
    try:
        calls.mkdir(folder, 0o700)
    except FileExistsError:
        return  # somebody else made it meanwhile
    try:
        flush_folder(calls, above)
    except OSError:
        # Not left behind: the next try would find it, and flush nothing.
        with suppress(OSError):
            calls.rmdir(folder)
        raise


def temporary_name(path: str, token: str) -> str:
    """Name a file that lives next to `path` only while that is being replaced."""
    folder, name = os.path.split(path)
    return os.path.join(folder, f".{name}.{token}.tmp")


def sweep(calls: SystemCalls, path: str) -> None:
    """Remove what killed servers left of replacing `path`, or copying it. Only whoever has it may."""
    folder, name = os.path.split(path)
    ours = re.compile(rf"\.{re.escape(name)}(\.unreadable-[0-9a-f]{{12}})?\.[0-9a-f]{{8}}\.tmp")
    with suppress(OSError):
        for entry in filter(ours.fullmatch, calls.listdir(folder)):
            with suppress(OSError):
                calls.unlink(os.path.join(folder, entry))


def close_quietly(calls: SystemCalls, fd: int) -> None:
    """Close what was only read, or failed already: no error of closing can lose anything then."""
    with suppress(OSError):
        calls.close(fd)
