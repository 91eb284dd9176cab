"""A PostgreSQL of a test run's own: in a folder that goes with it, on a socket in there, as its own user.

Lives here: how it is started, stopped and asked. May not: assertions.
"""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
from glob import glob
from pathlib import Path
from typing import NoReturn

import psycopg
import pytest


def programs() -> Path | None:
    """The folder with the programs of the newest PostgreSQL of this machine; None where there is none."""
    folders = sorted(glob("/usr/lib/postgresql/*/bin"), key=lambda path: int(path.split("/")[4]))
    found = shutil.which("postgres")
    if folders:
        return Path(folders[-1])
    return None if found is None else Path(found).parent


def missing(what: str) -> NoReturn:
    """Skip the test that needs it, or fail where nothing may be missing, as in `.ci/run`."""
    said = f"{what} is not installed here: apt-get install {what.lower()}"
    if os.environ.get("HEARTBEAT_TESTS_NEED_POSTGRES"):
        pytest.fail(said)
    pytest.skip(said)


class PostgresServer:
    """A server that listens on a socket only; `url` is of its database `postgres`, for its superuser."""

    def __init__(self, bin_folder: Path) -> None:
        self._bin = bin_folder
        self.folder = Path(tempfile.mkdtemp(prefix="heartbeat-pg-", dir="/tmp"))
        self.user = "postgres" if os.getuid() == 0 else pwd.getpwuid(os.getuid()).pw_name
        if os.getuid() == 0:
            shutil.chown(self.folder, "postgres")
        self.folder.chmod(0o755)
        self._run("initdb", "-D", self.data, "-A", "trust", "-U", "postgres", "--no-sync", "-E", "UTF8")
        self.start()

    @property
    def data(self) -> str:
        return str(self.folder / "data")

    @property
    def url(self) -> str:
        return f"postgresql:///postgres?host={self.folder}&user=postgres"

    def start(self) -> None:
        options = f"-c listen_addresses='' -c unix_socket_directories={self.folder} -c max_connections=50"
        self._run("pg_ctl", "-D", self.data, "-w", "-l", f"{self.folder}/log", "-o", options, "start")

    def stop(self, mode: str = "fast") -> None:
        self._run("pg_ctl", "-D", self.data, "-w", "-m", mode, "stop")

    def remove(self) -> None:
        self.stop("immediate")
        shutil.rmtree(self.folder)

    def make_database(self, name: str) -> str:
        """Make an empty database, and give its URL."""
        self.sql(f"CREATE DATABASE {name}")
        return f"postgresql:///{name}?host={self.folder}&user=postgres"

    def sql(self, statement: str, *values: object, url: str | None = None) -> list[tuple[object, ...]]:
        """Run a statement by hand, beside whatever runs."""
        with psycopg.connect(url or self.url, autocommit=True) as connection:
            cursor = connection.execute(statement.encode(), values or None)
            return cursor.fetchall() if cursor.description else []

    def _run(self, program: str, *arguments: str) -> None:
        subprocess.run(
            [str(self._bin / program), *arguments],
            user=self.user if os.getuid() == 0 else None,
            cwd="/",
            env={"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=60,
            check=True,
        )
