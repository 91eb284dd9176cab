"""All the same behind PgBouncer, which gives each transaction another connection: 16.3."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from database_worlds import CAT, SCHEDULE, TEA, StoredAgent, ids

from postgres_server import PostgresServer, missing

PORT = 6543
SETTINGS = """
[databases]
* = host={folder} user=postgres
[pgbouncer]
listen_addr =
listen_port = {port}
unix_socket_dir = {folder}
auth_type = any
pool_mode = transaction
default_pool_size = 3
logfile = {folder}/pgbouncer.log
"""


@pytest.fixture(scope="module")
def pooler(postgres: PostgresServer) -> Iterator[str]:
    """A pooler in transaction mode before the server; gives the folder of its socket."""
    program = shutil.which("pgbouncer") or shutil.which("pgbouncer", path="/usr/sbin:/usr/local/sbin")
    if program is None:
        missing("PgBouncer")
    settings = Path(postgres.folder, "pgbouncer.ini")
    settings.write_text(SETTINGS.format(folder=postgres.folder, port=PORT))
    settings.chmod(0o644)
    user = postgres.user if os.getuid() == 0 else None
    with subprocess.Popen([program, "-q", str(settings)], user=user, stderr=subprocess.DEVNULL) as process:
        _wait_for(f"{postgres.folder}/.s.PGSQL.{PORT}")
        yield str(postgres.folder)
        process.terminate()


def _wait_for(path: str) -> None:
    pause = threading.Event()
    for _ in range(200):
        with socket.socket(socket.AF_UNIX) as peer:
            if peer.connect_ex(path) == 0:
                return
        pause.wait(0.05)
    raise AssertionError("PgBouncer did not start in 10 s")


@pytest.fixture
def pooled_url(pooler: str, postgres_url: str) -> str:
    assert pooler in postgres_url
    return f"{postgres_url}&port={PORT}"


def test_agents_are_kept_and_edits_are_seen(
    pooled_url: str, postgres: PostgresServer, postgres_url: str
) -> None:
    """16.2, 8.8: more agents than the pooler has connections."""
    agents = [StoredAgent(pooled_url, f"agent {number}") for number in range(8)]
    for agent in agents:
        assert agent.load()[0].trouble is None
        agent.save(SCHEDULE, TEA)
    for number in range(20):
        for agent in agents:
            assert agent.reminders.save([replace(CAT, id=f"rem_{number}")], []) is None
    postgres.sql("DELETE FROM heartbeat_reminders WHERE id <> 'rem_7'", url=postgres_url)
    for agent in agents:
        assert agent.schedule.look() is None
        assert ids(agent.reminders.look()) == ["rem_7"]
        agent.close()


def test_one_of_two_servers_has_the_agent_and_the_other_follows(pooled_url: str) -> None:
    """16.3: where both could have got a lock of the session."""
    first, second = StoredAgent(pooled_url), StoredAgent(pooled_url)
    first.load()
    first.save(SCHEDULE, TEA)
    assert second.schedule.load().in_use
    assert second.reminders.load().in_use
    first.close()
    assert second.schedule.look() is not None
    assert ids(second.reminders.look()) == ["rem_tea"]
    second.close()


def test_a_save_is_durable_and_bounded_in_each_transaction(pooled_url: str) -> None:
    """16.2, 16.4: a session keeps no setting there."""
    agent = StoredAgent(pooled_url)
    for _ in range(3):
        [(commit,)] = agent.served.session.write(lambda rows: rows.all("SHOW synchronous_commit"))
        [(timeout,)] = agent.served.session.write(lambda rows: rows.all("SHOW statement_timeout"))
        assert (commit, timeout) == ("on", "1500ms")
    agent.served.session.close()
