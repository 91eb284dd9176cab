"""Real servers of one agent in PostgreSQL, of which one dies, or is stopped and comes back: 16.3."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest

from heartbeat_adapters.testing.scripted_host import ScriptedHost
from server_folder import ServerFolder

NOT_HERE = "delivery=BLOCKED (another server has this agent)"


@pytest.fixture
def servers(folder: ServerFolder, postgres_url: str) -> Iterator[Callable[[], ScriptedHost]]:
    """Starts servers of one agent, each with a host that takes all."""
    with ExitStack() as stack:

        def start() -> ScriptedHost:
            host = stack.enter_context(folder.host(options=["--database", postgres_url]))
            host.initialize()
            host.initialized()
            host.update_policy()
            return host

        yield start


def wait_for(host: ScriptedHost, text: str, seconds: int) -> None:
    """Ask for the status until it has the text; where it does not in time, the test fails."""
    pause = threading.Event()
    for _ in range(seconds * 4):
        if text in host.call("heartbeat_status").text:
            return
        pause.wait(0.25)
    raise AssertionError(f"{text!r} did not come in {seconds} s: {host.call('heartbeat_status').text}")


def test_a_server_that_is_killed_is_followed_within_15_s(servers: Callable[[], ScriptedHost]) -> None:
    """16.3: with what its agent was told, and with what the successor's was told meanwhile on top."""
    first = servers()
    assert "delivery=ok" in first.call("heartbeat_status").text
    first.call("reminder_add", message="of the first", inHours=1)
    second = servers()
    assert NOT_HERE in second.call("heartbeat_status").text
    second.call("reminder_add", message="of the second", inHours=2)
    first.server.signal(signal.SIGKILL)
    wait_for(second, "delivery=ok", 15)
    assert "2 reminder(s)" in second.call("reminder_list").text


def test_a_server_that_was_stopped_and_comes_back_changes_nothing_of_its_successors(
    servers: Callable[[], ScriptedHost],
) -> None:
    """16.3"""
    first = servers()
    first.call("reminder_add", message="of the first", inHours=1)
    second = servers()
    first.server.signal(signal.SIGSTOP)
    try:
        wait_for(second, "delivery=ok", 15)
        second.call("heartbeat_configure", message="Of the second")
    finally:
        first.server.signal(signal.SIGCONT)
    assert NOT_HERE in first.call("heartbeat_configure", message="Of the first").text
    assert '"Of the second"' in second.call("heartbeat_status").text
    assert "delivery=ok" in second.call("heartbeat_status").text
