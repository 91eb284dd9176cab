"""A user whom permissions bind, for tests that root runs: root is bound by none."""

from __future__ import annotations

import codecs
import multiprocessing
import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from pathlib import Path
from typing import TypeVar

T = TypeVar("T")

NOBODY = 65534


def as_nobody(action: Callable[[], T]) -> T:
    """Call something in a process of another user; in one of our own where we are not root."""
    codecs.lookup("utf-8-sig")  # the other user may be unable to read the folder that Python lies in
    mine, theirs = multiprocessing.Pipe()
    process = multiprocessing.get_context("fork").Process(target=_drop_and_call, args=(action, theirs))
    process.start()
    theirs.close()
    assert mine.poll(30)
    result: T = mine.recv()
    process.join(30)
    process.close()
    mine.close()
    return result


def _drop_and_call(action: Callable[[], object], answer: Connection) -> None:
    if os.getuid() == 0:
        os.setgroups([])
        os.setgid(NOBODY)
        os.setuid(NOBODY)
    try:
        answer.send(action())
    except BaseException as failure:
        answer.send(repr(failure))
        raise


@contextmanager
def nobodys_folder() -> Iterator[Path]:
    """A folder that everybody can reach, which pytest's own is not, and that belongs to the other user."""
    with tempfile.TemporaryDirectory() as folder:
        if os.getuid() == 0:
            os.chown(folder, NOBODY, NOBODY)
        yield Path(folder)
