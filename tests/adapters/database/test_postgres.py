"""A database of PostgreSQL that stops, is silent, cut, newer, or closed to this role: 16.1, 16.2 and 16.4."""

from __future__ import annotations

import threading
import time
import traceback
from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest
from database_worlds import CAT, SCHEDULE, TEA, StoredAgent, ids
from silent_proxy import SilentProxy

from heartbeat_adapters.database.postgres_session import PostgresSession
from heartbeat_adapters.database.schema import POSTGRES_STEPS
from heartbeat_adapters.database.sessions import Unreachable
from heartbeat_core.policy import Reason
from heartbeat_core.ports import TroubleKind
from postgres_server import PostgresServer

VERSION = len(POSTGRES_STEPS)


@pytest.fixture
def agent(postgres_url: str) -> Iterator[StoredAgent]:
    stored = StoredAgent(postgres_url)
    yield stored
    stored.close()


@pytest.fixture
def proxy(postgres: PostgresServer) -> Iterator[SilentProxy]:
    between = SilentProxy(f"{postgres.folder}/.s.PGSQL.5432")
    yield between
    between.end()


def through(proxy: SilentProxy, url: str) -> str:
    """The URL by the proxy."""
    name = url.partition("///")[2].partition("?")[0]
    return f"postgresql://postgres@127.0.0.1:{proxy.port}/{name}?sslmode=disable&gssencmode=disable"


def wait_until(holds: Callable[[], object]) -> None:
    """Ask until it holds; where it does not within 20 s, the test fails."""
    pause = threading.Event()
    for _ in range(400):
        if holds():
            return
        pause.wait(0.05)
    raise AssertionError("waited for 20 s in vain")


def seconds_of(call: Callable[[], object]) -> float:
    started = time.monotonic()  # noqa: TID251 - that nothing waits longer is the promise
    call()
    return time.monotonic() - started  # noqa: TID251


def test_columns_are_named_as_the_members_of_the_files(agent: StoredAgent, postgres: PostgresServer) -> None:
    """16.2"""
    agent.load()
    agent.save(SCHEDULE, CAT)
    url = str(agent.place)
    columns = '"intervalSeconds", paused, message, "deliveryMode", "nextFireAt", more'
    noon = 1_791_633_600_000
    rows = postgres.sql(f"SELECT {columns} FROM heartbeat_agents", url=url)
    assert rows == [(3600.0, False, "Hello", "silent", noon, None)]
    columns = 'id, message, "createdAt", "fireAt", "everySeconds", more'
    rows = postgres.sql(f"SELECT {columns} FROM heartbeat_reminders", url=url)
    assert rows == [("rem_cat", "Cat", noon, noon + 86_400_000, 90.5, None)]


def test_any_text_comes_back_as_it_was(agent: StoredAgent) -> None:
    """16.2: PostgreSQL keeps no NUL and no half of a pair, and `more` does."""
    agent.load()
    odd = replace(TEA, message="a\0b \ud83c % ? %s 'x' \\")
    agent.save(replace(SCHEDULE, message="\0!"), odd)
    agent.close()
    assert agent.schedule.load().content == replace(SCHEDULE, message="\0!")
    assert agent.reminders.load().content == [odd]


@pytest.mark.parametrize(
    ("statement", "left"),
    [
        ("UPDATE heartbeat_reminders SET message = 'Tea!' WHERE id = 'rem_tea'", ["rem_tea", "rem_cat"]),
        ("DELETE FROM heartbeat_reminders", []),
        ("UPDATE heartbeat_reminders SET agent = 'other' WHERE id = 'rem_cat'", ["rem_tea"]),
    ],
)
def test_an_edit_by_sql_is_seen_once(
    statement: str, left: list[str], agent: StoredAgent, postgres: PostgresServer
) -> None:
    """8.8, whatever the search path of who edits."""
    agent.load()
    agent.save(SCHEDULE, TEA, CAT)
    postgres.sql(statement, url=str(agent.place))
    assert agent.schedule.look() is None
    assert ids(agent.reminders.look()) == left
    assert agent.reminders.look() is None
    assert agent.reminders.save([TEA], []) is None


def test_a_save_is_durable_where_the_server_has_that_off(
    agent: StoredAgent, postgres: PostgresServer
) -> None:
    """16.2"""
    url = str(agent.place)
    name = url.partition("///")[2].partition("?")[0]
    postgres.sql(f"ALTER DATABASE {name} SET synchronous_commit = off")
    session = agent.served.session
    assert session.write(lambda rows: rows.all("SHOW synchronous_commit")) == [("on",)]


def test_a_server_that_stops_is_away_and_all_goes_on_when_it_is_back(
    agent: StoredAgent, postgres: PostgresServer
) -> None:
    """16.4"""
    agent.load()
    agent.save(SCHEDULE, TEA)
    postgres.stop("immediate")
    trouble = agent.reminders.save([CAT], [])
    found = agent.reminders.look()
    assert seconds_of(agent.schedule.look) < 2
    assert trouble is not None
    assert trouble.kind is TroubleKind.NOT_SAVED
    assert found is not None
    assert found.trouble is not None
    assert found.trouble.kind is TroubleKind.AWAY
    assert agent.served.withheld() is Reason.AWAY
    postgres.start()
    wait_until(agent.reminders.look)
    assert agent.served.withheld() is None
    assert agent.reminders.save([CAT], []) is None


def test_nothing_waits_longer_than_two_seconds_for_a_peer_that_is_silent(
    postgres_url: str, proxy: SilentProxy
) -> None:
    """16.4: a whole call, with all that it looks at and saves."""
    agent = StoredAgent(through(proxy, postgres_url))
    agent.load()
    agent.save(SCHEDULE, TEA)
    proxy.be_silent()

    def call() -> None:
        agent.schedule.look()
        agent.reminders.look()
        assert agent.reminders.save([CAT], []) is not None
        agent.reminders.look()

    assert seconds_of(call) < 2
    assert agent.served.withheld() is Reason.AWAY
    assert seconds_of(call) < 2
    proxy.speak()
    wait_until(agent.reminders.look)
    wait_until(agent.schedule.look)
    assert agent.served.withheld() is None
    assert agent.reminders.save([CAT], []) is None
    agent.close()


def test_a_server_that_is_silent_from_the_start_is_waited_for_no_longer(
    postgres_url: str, proxy: SilentProxy
) -> None:
    """16.4"""
    proxy.be_silent()
    agent = StoredAgent(through(proxy, postgres_url))
    assert seconds_of(agent.load) < 2
    assert agent.served.withheld() is Reason.AWAY
    assert seconds_of(agent.close) < 2


def test_a_connection_that_is_cut_is_made_anew(postgres_url: str, proxy: SilentProxy) -> None:
    """16.4: what was acknowledged is there, and what was not is saved again."""
    agent = StoredAgent(through(proxy, postgres_url))
    agent.load()
    agent.save(SCHEDULE)
    acknowledged = []
    for number in range(60):
        if number % 7 == 3:
            proxy.cut()
        row = replace(CAT, id=f"rem_{number}")
        while agent.reminders.save([row], []) is not None:
            wait_until(lambda: agent.reminders.look() is None and agent.served.withheld() is None)
        acknowledged.append(row.id)
    agent.close()
    again = StoredAgent(postgres_url)
    assert sorted(again.load()[1]) == sorted(acknowledged)
    again.close()


def test_tables_of_a_newer_version_are_not_touched(agent: StoredAgent, postgres: PostgresServer) -> None:
    """16.2, 16.4"""
    agent.load()
    agent.save(SCHEDULE, TEA)
    postgres.sql(f"UPDATE heartbeat_version SET version = {VERSION + 1}", url=str(agent.place))
    trouble = agent.reminders.save([CAT], [])
    assert trouble is not None
    assert f"its tables are of version {VERSION + 1}" in trouble.text
    again = StoredAgent(str(agent.place))
    assert "install a newer heartbeat-mcpl" in str(again.served.newer_tables())
    again.close()


def test_servers_that_start_at_once_all_find_the_tables(postgres_url: str) -> None:
    """16.2"""
    sessions = [PostgresSession(postgres_url, "the database") for _ in range(8)]
    found: list[object] = []

    def start(session: PostgresSession) -> None:
        found.append(session.read(lambda rows: rows.all("SELECT version FROM heartbeat_version")))

    threads = [threading.Thread(target=start, args=(session,)) for session in sessions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert found == [[(VERSION,)]] * 8
    for session in sessions:
        session.close()


def test_a_role_that_may_make_no_tables_is_told_so(postgres: PostgresServer, postgres_url: str) -> None:
    """16.2: as PostgreSQL 15 has it for every ordinary role."""
    role = f"r_{postgres_url.partition('///')[2].partition('?')[0]}"
    postgres.sql(f"CREATE ROLE {role} LOGIN")
    agent = StoredAgent(postgres_url.replace("user=postgres", f"user={role}"))
    found = agent.schedule.load()
    assert found.trouble is not None
    assert "SQLSTATE 42501" in found.trouble.text
    assert "let this role make tables" in found.trouble.text
    agent.close()


def test_a_password_is_in_nothing_that_is_said(postgres: PostgresServer) -> None:
    """16.1"""
    url = f"postgresql://postgres:s3cret@/nowhere?host={postgres.folder}&passfile=s3cret"
    agent = StoredAgent(url)
    found = agent.schedule.load()
    assert found.trouble is not None
    assert "no connection" in found.trouble.text
    said = [found.trouble.text, agent.served.title, agent.served.session.title]
    with pytest.raises(Unreachable) as raised:
        agent.served.session.write(lambda rows: rows.run("SELECT 1"))
    said += [repr(raised.value), str(raised.value), *traceback.format_exception(raised.value)]
    assert not any("s3cret" in text for text in said)
    agent.close()
