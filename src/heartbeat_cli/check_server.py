"""The server, tried as a host uses it: started on copies of the files, greeted, allowed, made to wake."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

from heartbeat_adapters.paths import DEFAULT_CONFIG_FILE, DEFAULT_REMINDERS_FILE, HISTORY_NAME
from heartbeat_adapters.testing.push_answers import CarefulHost
from heartbeat_adapters.testing.scripted_host import HostError, ScriptedHost, ScriptedHostError
from heartbeat_cli.findings import Finding, StepResult
from heartbeat_cli.server_command import server_command
from heartbeat_core.tools import ALL_TOOLS
from heartbeat_core.version import __version__

_SHOWN = 200
_PATIENCE = 20.0
"""Seconds for each step: a machine that is just starting up is slow, and so is a very long list."""

_REPORT = "please report it, with what is said here"
_INSTALL = "install heartbeat-mcpl anew, in an environment of its own, and check again"


class _NotAsItShouldBe(Exception):
    """A step went otherwise than it should; says how, and what to do."""

    def __init__(self, what: str, to_do: str = _REPORT) -> None:
        super().__init__(what)
        self.to_do = to_do


def try_server(config: bytes | None, reminders: bytes | None, timezone: str | None) -> Iterator[Finding]:
    """Start a server on copies of these contents, and go through what a host does; ends where one fails."""
    command = server_command()
    try:
        with TemporaryDirectory(prefix="heartbeat-check-") as folder:
            env = {
                "HEARTBEAT_CONFIG_FILE": _copy(folder, DEFAULT_CONFIG_FILE, config),
                "HEARTBEAT_REMINDERS_FILE": _copy(folder, DEFAULT_REMINDERS_FILE, reminders),
                "HEARTBEAT_HISTORY_FILE": str(Path(folder, HISTORY_NAME).absolute()),
                "AGENT_TIMEZONE": timezone or "",
            }
            with ScriptedHost(command, env=env, cwd=folder, on_push=CarefulHost(), timeout=_PATIENCE) as host:
                yield from _steps(host, {"command": command})
    except OSError as why:
        what = f"a server cannot be started on copies of the files, as {command[0]} ({why})"
        yield Finding("start", StepResult.FAILED, what, f"make room for temporary files, or {_INSTALL}")


def _copy(folder: str, name: str, content: bytes | None) -> str:
    path = Path(folder, name).absolute()
    if content is not None:
        path.write_bytes(content)
    return str(path)


def _steps(host: ScriptedHost, started: Mapping[str, object]) -> Iterator[Finding]:
    details = started
    for step, act in _STEPS.items():
        try:
            yield Finding(step, StepResult.OK, act(host), details=details)
        except _NotAsItShouldBe as why:
            yield Finding(step, StepResult.FAILED, str(why), why.to_do, details)
            return
        except (HostError, ScriptedHostError) as why:
            to_do = _INSTALL if step == "handshake" else _REPORT
            yield Finding(step, StepResult.FAILED, str(why), to_do, details)
            return
        details = {}


def _handshake(host: ScriptedHost) -> str:
    answer = host.initialize()
    host.initialized()
    version = answer["serverInfo"]["version"]
    if version != __version__:
        raise _NotAsItShouldBe(f"the server is version {version}, and this is {__version__}", _INSTALL)
    if "mcpl" not in answer["capabilities"].get("experimental", {}):
        raise _NotAsItShouldBe("the server does not say that it speaks MCPL to a host that does")
    return f"the server starts on copies of the files, and says that it is version {version}"


def _policy(host: ScriptedHost) -> str:
    receipt = host.update_policy()
    if receipt.get("mode") != "full":
        raise _NotAsItShouldBe(f"under the usual policy the server does not work in full: {receipt}")
    return "under a policy that grants tools and pushEvents, the server says that all works"


def _tools(host: ScriptedHost) -> str:
    names = [tool["name"] for tool in host.list_tools()]
    if len(names) != len(ALL_TOOLS):
        raise _NotAsItShouldBe(
            f"the server offers {len(names)} tools, not {len(ALL_TOOLS)}: {', '.join(names)}"
        )
    return f"the agent is offered {', '.join(names)}"


def _wake(host: ScriptedHost) -> str:
    reply = host.call("heartbeat_trigger")
    if reply.is_error:
        raise _NotAsItShouldBe(f"heartbeat_trigger was refused: {reply.text}")
    # What is overdue in the files comes before it, to this host too.
    while (wake := host.next_wake()).origin.get("reason") != "manual":
        pass
    if wake.text is None:
        return "a heartbeat was triggered and arrived, silent, as the schedule has it"
    shown = wake.text if len(wake.text) <= _SHOWN else f"{wake.text[:_SHOWN]}…"
    return f"a heartbeat was triggered and arrived: {shown}"


def _end(host: ScriptedHost) -> str:
    host.close_stdin()
    code = host.wait()
    if code != 0:
        raise _NotAsItShouldBe(f"the server ended with exit code {code} when its host went away")
    return "the server stops when its host goes away"


_STEPS: Mapping[str, Callable[[ScriptedHost], str]] = {
    "handshake": _handshake,
    "policy": _policy,
    "tools": _tools,
    "wake": _wake,
    "end": _end,
}
