"""A proxy before a PostgreSQL on a socket, that a test can make silent: it takes bytes, and gives none.

Lives here: what stands between a client and the server. May not: assertions.
"""

from __future__ import annotations

import socket
import threading
from contextlib import suppress


class SilentProxy:
    """Listens on loopback, and passes on to `path` in both directions while it is not `silent`."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._speaks = threading.Event()
        self._speaks.set()
        self._ended = False
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._open: list[socket.socket] = [self._listener]
        self.port: int = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def be_silent(self) -> None:
        """Take bytes and give none, from here on, until `speak`."""
        self._speaks.clear()

    def speak(self) -> None:
        """Pass on what has come meanwhile, and all that comes."""
        self._speaks.set()

    def cut(self) -> None:
        """Cut every connection."""
        for each in self._open[1:]:
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)

    def end(self) -> None:
        self._ended = True
        self.speak()
        self.cut()
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        for each in self._open:
            each.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while not self._ended:
                client, _ = self._listener.accept()
                server = socket.socket(socket.AF_UNIX)
                self._open += [client, server]
                server.connect(self._path)
                for source, target in ((client, server), (server, client)):
                    threading.Thread(target=self._pass_on, args=(source, target), daemon=True).start()

    def _pass_on(self, source: socket.socket, target: socket.socket) -> None:
        with suppress(OSError):
            while data := source.recv(65536):
                self._speaks.wait()
                target.sendall(data)
        for each in (source, target):
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
