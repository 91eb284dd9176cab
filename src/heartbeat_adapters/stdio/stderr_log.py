"""The log: one line an entry on stderr, which may be closed, full or broken, and holds nothing up (1.3).

Not `logging`: that costs more to import than a start may take, and writes as if stderr always took
everything.
"""

from __future__ import annotations

import os
import re
import select

from heartbeat_adapters.stdio.descriptors import output

PREFIX = "[heartbeat-mcpl] "

# What breaks a line for some reader, or moves a terminal's cursor: C0, DEL, C1 and the two separators.
_UNSAFE = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]")
_SHORT = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}


class StderrLog:
    """Implements `heartbeat_core.ports.Log`; what stderr does not take at once is dropped and counted."""

    def __init__(self, *, verbose: bool = False, fd: int = 2) -> None:
        self.verbose = verbose
        self._fd = fd
        self._output = output(fd)
        self._poll = select.poll()
        self._poll.register(self._output.fd, select.POLLOUT)
        self._dropped = 0
        self._torn = False

    def info(self, msg: str, /) -> None:
        """Say what happened."""
        self._entry(msg)

    def warning(self, msg: str, /) -> None:
        """Say what needs somebody's attention, and what to do."""
        self._entry(f"WARNING: {msg}")

    def exception(self, msg: str, /) -> None:
        """Say what went wrong, with the traceback of the exception that is handled, in the same line."""
        import traceback  # here, because it is slow to import and hardly ever needed

        self.warning(f"{msg}\n{traceback.format_exc().rstrip()}")

    def debug(self, msg: str, /) -> None:
        """Say what only `--verbose` asks for."""
        if self.verbose:
            self._entry(msg)

    def close(self) -> None:
        """Let go of what was opened here, which is not the descriptor that was given."""
        if self._output.fd != self._fd:
            os.close(self._output.fd)

    def _entry(self, text: str) -> None:
        if self._dropped:
            lost = f"WARNING: {self._dropped} line(s) of this log were lost here: stderr was full"
            if not self._write(_line(lost)):
                self._dropped += 1
                return
            self._dropped = 0
        if not self._write(_line(text)):
            self._dropped += 1

    def _write(self, line: bytes) -> bool:
        """Write a line if stderr takes it now; one that was cut short is ended before the next."""
        whole = b"\n" + line if self._torn else line
        done = 0
        while done < len(whole):
            written = self._write_some(whole[done : done + self._output.at_once])
            if not written:
                return False
            done += written
            self._torn = whole[done - 1] != 0x0A
        return True

    def _write_some(self, part: bytes) -> int:
        if self._output.ask and not self._poll.poll(0):
            return 0
        try:
            return os.write(self._output.fd, part)
        except OSError:  # closed, broken, no space left: there is nobody to tell
            return 0


def _line(text: str) -> bytes:
    if not text.isprintable():
        text = _UNSAFE.sub(lambda found: _SHORT.get(found[0]) or f"\\u{ord(found[0]):04x}", text)
    return f"{PREFIX}{text}\n".encode("utf-8", "backslashreplace")
