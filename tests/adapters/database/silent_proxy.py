"""A proxy before a PostgreSQL on a socket, that a test can make silent: it takes bytes, and gives none."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable
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
        self._threads: list[threading.Thread] = []
        self._start(self._accept)

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
        for thread in self._threads:
            thread.join(5)

    def _start(self, target: Callable[..., None], *sockets: socket.socket) -> None:
        self._threads.append(threading.Thread(target=target, args=sockets, daemon=True))
        self._threads[-1].start()

    def _accept(self) -> None:
        with suppress(OSError):
            while not self._ended:
                client, _ = self._listener.accept()
                server = socket.socket(socket.AF_UNIX)
                self._open += [client, server]
                server.connect(self._path)
                for source, target in ((client, server), (server, client)):
                    self._start(self._pass_on, source, target)

    def _pass_on(self, source: socket.socket, target: socket.socket) -> None:
        with suppress(OSError):
            while data := source.recv(65536):
                self._speaks.wait()
                target.sendall(data)
        for each in (source, target):
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
