"""One file that a server keeps: locked, read, copied aside, replaced, watched for strangers (section 8).

The stores in `json_stores` call it, and tell it when a copy is due. What went wrong is put into words here.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from heartbeat_adapters.files.file_lock import FileLock, Grip
from heartbeat_adapters.files.system_calls import SystemCalls
from heartbeat_adapters.files.whole_files import (
    NotFlushed,
    Signature,
    make_folder,
    read_whole,
    replace_whole,
    signature_of,
    sweep,
)
from heartbeat_core.ports import Log, Trouble, TroubleKind

# Two writes of a stranger within one tick of a filesystem's clock can leave the same signature, so one
# that is younger than the coarsest such tick (FAT: 2 s) proves nothing.
_SETTLED_NS = 2_000_000_000
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_WHAT_TO_DO = {
    errno.EBUSY: "it is mounted by itself and so cannot be replaced; mount its folder instead",
    errno.ENOSPC: "make room on its disk",
    errno.EDQUOT: "make room, since the quota is used up",
    errno.EROFS: "make its folder writable",
    errno.EACCES: "let this user write to its folder",
    errno.EPERM: "let this user write to its folder",
}


@dataclass(frozen=True, slots=True)
class Content:
    """What the file holds, None where there is none, and when that was written."""

    data: bytes | None
    saved_at: datetime | None = None


class _ChangedUnseen(OSError):
    """Something else changed the file after the last look."""


class WatchedFile:
    """One file and what this server knows of it. Nothing here raises for what a disk does."""

    def __init__(self, path: str, calls: SystemCalls, log: Log | None) -> None:
        self.path = path
        self._calls = calls
        self._log = log
        self._target = path
        self._lock: FileLock | None = None
        self._held = False
        self._unprotected: str | None = None
        self._refusal: Trouble | None = None
        self._lost: Trouble | None = None
        """Why a save found the file in use, until the next look has said so."""
        self._seen: Sequence[bytes] | None = None
        self._signature: Signature | None = None
        self._settled = False

    def load(self) -> Content | Trouble:
        """Take the file and read it."""
        with suppress(OSError):  # saving says it
            self._make_folder(os.path.realpath(self.path))
        return self._hold() or self._read()

    def look(self) -> Content | Trouble | None:
        """Read the file anew if something else changed it, or gave it free; None if it is as it was."""
        if self._refusal is None:
            return None if self._looks_unchanged() else self._read_changed()
        lost, self._lost = self._lost, None
        if lost is not None and self._refusal is lost:
            return lost
        if self._refusal.kind is TroubleKind.IN_USE and self._hold() is None:
            return self._read()
        return None

    def copy_aside(self, data: bytes) -> str | Trouble:
        """Keep bytes that the next save would destroy; gives the path of the copy (8.5)."""
        copy = f"{self.path}.unreadable-{_digest(data)[:12]}"
        try:
            if not self._is_there(copy, data):
                like = self._calls.stat(self.path)
                replace_whole(self._calls, copy, [data], like)
        except OSError as why:
            return self._refuse(
                f"{self.path} is not what a heartbeat writes and could not be copied to {copy} "
                f"({_words(why)}), so it stays untouched and no save goes there: make that copy "
                "possible or move the file away, then restart"
            )
        return copy

    def save(self, pieces: Sequence[bytes]) -> Trouble | None:
        """Replace the content; None once it is durable, else why it is not."""
        if self._refusal is not None:
            return self._refusal
        try:
            return self._replace(pieces)
        except NotFlushed as why:
            self._remember(pieces, None)
            return _not_saved(f"{self.path} was written, but may be lost in a power cut: {_words(why)}")
        except _ChangedUnseen:
            return _not_saved(
                f"{self.path} was changed by something else at the same moment, and was left as it is now"
            )
        except OSError as why:
            to_do = f": {_WHAT_TO_DO[why.errno]}" if why.errno in _WHAT_TO_DO else ""
            return _not_saved(
                f"{self.path} could not be written ({_words(why)}) and holds what it held before{to_do}"
            )

    def close(self) -> None:
        """Let another server have the file. May be called twice."""
        self._refuse(f"{self.path} was let go of, since this heartbeat is stopping")
        if self._lock is not None:
            self._lock.release()
            self._lock = None

    def _replace(self, pieces: Sequence[bytes]) -> Trouble | None:
        target = os.path.realpath(self.path) if self._signature is None else self._target
        self._make_folder(target)
        if (taken := self._hold(target)) is not None:
            self._lost = taken
            return taken
        like, lock = self._status(target), self._lock
        assert lock is not None
        try:
            signature = replace_whole(
                self._calls, target, pieces, like, self._check_unchanged, lock.carry_over
            )
        finally:
            lock.settle()
        self._remember(pieces, signature)
        self._settled = signature is not None
        return None

    def _make_folder(self, target: str) -> None:
        folder = os.path.dirname(target)
        if self._status(folder) is None:
            make_folder(self._calls, folder)
            self._say_made(folder)

    def _say_made(self, folder: str) -> None:
        if self._log is not None:
            self._log.info(
                f"the folder {folder} was not there and was made: if it is not what you meant, correct the "
                f"path of {os.path.basename(self.path)}"
            )

    def _hold(self, target: str | None = None) -> Trouble | None:
        """Hold the lock of what the path leads to; None if it is held, or if there can be none."""
        self._target = target or os.path.realpath(self.path)
        if self._lock is None or self._lock.path != self._target:
            if self._lock is not None:
                self._lock.release()
            self._lock = FileLock(self._calls, self._target)
        match self._lock.take():
            case Grip.HELD:
                self._held = True
                return None
            case Grip.NONE:
                self._held = False
                self._say_once_unprotected(self._lock.why)
                return None
            case Grip.ELSEWHERE:
                return self._refuse(
                    f"{self.path} is {self._lock.why}, so nothing is read from it or saved to it until it is "
                    "free; then it is taken over, with what was changed here meanwhile on top: stop the "
                    "other one, or give each a file of its own",
                    TroubleKind.IN_USE,
                )

    def _say_once_unprotected(self, why: str | None) -> None:
        if why is not None and self._unprotected != why:
            self._warn(f"{self.path} cannot be locked ({why}): let nobody else use it")
        self._unprotected = why

    def _read(self) -> Content | Trouble:
        self._refusal = None
        if self._held:
            for path in {self._target, self.path}:
                sweep(self._calls, path)
        try:
            found = read_whole(self._calls, self._target)
        except FileNotFoundError:
            self._remember(None, None)
            return Content(None)
        except (OSError, MemoryError) as why:
            return self._refuse(
                f"{self.path} cannot be read ({_words(why)}), so it stays untouched and no save goes "
                "to it: mend that, then restart"
            )
        self._remember([found.data], found.signature)
        return Content(found.data, _moment(found.signature))

    def _read_changed(self) -> Content | Trouble | None:
        before = self._seen
        # The path may be a link that leads elsewhere by now, and what it leads to may be in use there.
        found = self._hold() or self._read()
        if isinstance(found, Trouble):
            return found
        if found.data is None:
            return None if before is None else found
        return None if before is not None and _same(before, found.data) else found

    def _looks_unchanged(self) -> bool:
        try:
            status = self._status(self.path)
        except OSError:
            return False  # reading it will say what it is
        if status is None:
            return self._seen is None
        return self._settled and signature_of(status) == self._signature

    def _check_unchanged(self) -> None:
        """The last thing before a rename: what it destroys must be what was seen (8.8)."""
        status = self._status(self.path)
        if status is None or signature_of(status) == self._signature:
            return
        if self._seen is None or not _same(self._seen, read_whole(self._calls, self.path).data):
            raise _ChangedUnseen

    def _is_there(self, copy: str, data: bytes) -> bool:
        try:
            status = self._calls.stat(copy, follow_symlinks=False)
        except FileNotFoundError:
            return False
        if stat.S_ISREG(status.st_mode) and read_whole(self._calls, copy).data == data:
            return True
        raise FileExistsError(errno.EEXIST, "something else has that name")

    def _status(self, path: str) -> os.stat_result | None:
        try:
            return self._calls.stat(path)
        except FileNotFoundError:
            return None

    def _remember(self, data: Sequence[bytes] | None, signature: Signature | None) -> None:
        self._seen = data
        self._signature = signature
        now = self._calls.wall_clock_ns()
        self._settled = signature is not None and now - max(signature[3:]) > _SETTLED_NS

    def _refuse(self, why: str, kind: TroubleKind = TroubleKind.REFUSED) -> Trouble:
        self._refusal = Trouble(kind, why)
        return self._refusal

    def _warn(self, text: str) -> None:
        if self._log is not None:
            self._log.warning(text)


def _not_saved(why: str) -> Trouble:
    return Trouble(TroubleKind.NOT_SAVED, why)


def _same(pieces: Sequence[bytes], data: bytes) -> bool:
    return b"".join(pieces) == data


def _moment(signature: Signature) -> datetime | None:
    try:
        return _EPOCH + timedelta(microseconds=signature[3] // 1000)
    except OverflowError:  # a disk can hold times that no calendar has
        return None


def _digest(data: bytes) -> str:
    import hashlib  # only here: loading OpenSSL would cost every start time and memory, and few need it

    return hashlib.sha256(data).hexdigest()


def _words(why: OSError | MemoryError) -> str:
    if isinstance(why, OSError):
        return why.strerror or str(why)
    return "there is not enough memory"
