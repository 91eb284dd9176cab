"""What commands print, where stdout is closed or stderr takes nothing; and the last words of any start.

It must be fast to import: every start does. The server has its own way (`descriptors`).
"""

from __future__ import annotations

import contextlib
import errno
import io
import os
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

EXIT_STOPPED = 1

_NO_MEMORY = b"[heartbeat-mcpl] stopped: no memory is left; allow it more\n"
"""Made beforehand, since making it would take some."""
_NO_MEMORY_TO_LOAD = ("failed to map", "cannot map", "cannot allocate memory", "out of memory")


def print_safely() -> None:
    """Have what is printed to a closed stdout go nowhere, and lose what stderr does not take.

    A stdout that is there and takes nothing still raises OSError: somebody waits for what is printed.
    """
    if getattr(sys, "stdout", None) is None:
        sys.stdout = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    encoding = getattr(sys.stderr, "encoding", None) or "utf-8"
    sys.stderr = io.TextIOWrapper(
        _NeverFails(2), encoding=encoding, errors="backslashreplace", line_buffering=True, write_through=True
    )


def last_words(why: OSError | MemoryError | ImportError) -> None:
    """Say in one line on stderr why this ends here, and what to do, if anybody hears."""
    with contextlib.suppress(OSError):
        os.write(2, _NO_MEMORY if isinstance(why, MemoryError) or _memory_is_missing(why) else _line(why))


def _memory_is_missing(why: OSError | ImportError) -> bool:
    """A folder that finds no memory is an OSError, a compiled module an ImportError in the loader's words."""
    if isinstance(why, ImportError):
        return any(words in str(why).lower() for words in _NO_MEMORY_TO_LOAD)
    return why.errno == errno.ENOMEM


def _line(why: OSError | ImportError) -> bytes:
    if isinstance(why, ImportError):
        text = f"{why}; install heartbeat-mcpl anew"
    elif why.errno in (errno.EMFILE, errno.ENFILE):
        text = "too many files are open; allow it more (ulimit -n)"
    else:
        text = (
            f"{why.strerror or why}{f' ({why.filename})' if why.filename else ''}; mend that, and try again"
        )
    return f"[heartbeat-mcpl] stopped: {text}\n".encode("utf-8", "backslashreplace")


class _NeverFails(io.RawIOBase):
    """Writes to a descriptor, waits for who reads slowly, and drops what cannot be written."""

    def __init__(self, fd: int) -> None:
        self._fd = fd

    def fileno(self) -> int:
        return self._fd

    def isatty(self) -> bool:
        return os.isatty(self._fd)

    def writable(self) -> bool:
        return True

    def write(self, printed: ReadableBuffer, /) -> int:
        data = memoryview(printed).cast("B")
        done = 0
        with contextlib.suppress(OSError):
            while done < len(data):
                done += os.write(self._fd, data[done:])
        return len(data)
