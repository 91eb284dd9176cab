"""`heartbeat-mcpl check`: goes through everything between the files and the agent, and says what it finds."""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Generator
from contextlib import closing
from datetime import datetime

import click

from heartbeat_adapters.files.system_calls import SystemCalls
from heartbeat_adapters.system_time.zones import agent_zone
from heartbeat_cli.check_files import look_at_folder, look_at_reminders, look_at_schedule
from heartbeat_cli.check_history import look_at_history
from heartbeat_cli.check_server import try_server
from heartbeat_cli.file_options import FileOptions, file_options, with_file_options
from heartbeat_cli.findings import Finding, StepResult, as_json, as_text, is_well, wrapped
from heartbeat_cli.interrupts import EXIT_INTERRUPTED, signals_interrupt
from heartbeat_cli.limit_options import limits_of, with_limit_options
from heartbeat_cli.server_command import may_vanish, server_command
from heartbeat_core.schedule.limits import Limits
from heartbeat_core.times.moments import AgentZone, from_epoch_ms, show
from heartbeat_core.version import __version__

_ALL_WELL = (
    "All is well on this side. If wakes do not come all the same, the host does not let them through: "
    "heartbeat_status shows delivery=BLOCKED and why, and the server's log, which the host keeps, says it "
    "for each wake."
)
_NOT_WELL = "Something failed: the text after -> says what to do."


@click.command(name="check", short_help="Find what stands between a host and its wakes.")
@click.option("--json", "for_machines", is_flag=True, help="Print one JSON object instead of words.")
@with_file_options
@with_limit_options
@click.pass_context
def check(ctx: click.Context, for_machines: bool) -> None:
    """Look at the files, try the server as a host would, and say at each step what to do.

    Give it the files and the zone that the host gives the server. It changes nothing, and may run while a
    server does: that is tried on copies. Exit code: 0 if all is well, 1 if a step failed.
    """
    findings: list[Finding] = []
    limits = limits_of(ctx)
    try:
        with signals_interrupt(), closing(_findings(file_options(ctx), limits)) as found:
            for finding in found:
                findings.append(finding)
                if not for_machines:
                    _say(as_text(finding))
    except KeyboardInterrupt:
        ctx.exit(EXIT_INTERRUPTED)
    closing_words = "\n".join(["", *wrapped(_ALL_WELL if is_well(findings) else _NOT_WELL)])
    _say(as_json(findings) if for_machines else closing_words)
    ctx.exit(0 if is_well(findings) else 1)


def _say(text: str) -> None:
    """Print what the terminal's encoding has, and `?` for the rest."""
    encoding = sys.stdout.encoding or "ascii"
    click.echo(text.encode(encoding, "replace").decode(encoding))


def _findings(files: FileOptions, limits: Limits | None) -> Generator[Finding, None, None]:
    now = from_epoch_ms(SystemCalls.wall_clock_ns() // 1_000_000)
    zone, unknown = _zone_under_a_host(files.timezone)
    yield _version()
    yield _zone(zone, unknown, now)
    if limits is not None:
        yield _limits(limits)
    schedule = look_at_schedule(files.config_file, zone, now)
    yield from schedule.findings
    reminders = look_at_reminders(files.reminders_file, zone, now)
    yield from reminders.findings
    yield look_at_history(files.history_file, zone, now)
    for path in (files.config_file, files.reminders_file):
        if (problem := look_at_folder(path, "folder")) is not None:
            yield problem
    yield from try_server(schedule.data, reminders.data, files.timezone)


def _zone_under_a_host(asked: str | None) -> tuple[AgentZone, str | None]:
    # Hosts do not hand TZ on (1.6): what this shell has in it says nothing of the server.
    tz = os.environ.pop("TZ", None)
    try:
        return agent_zone(asked)
    finally:
        if tz is not None:
            os.environ["TZ"] = tz


def _zone(zone: AgentZone, unknown: str | None, now: datetime) -> Finding:
    details = {"zone": zone.name}
    if unknown is None:
        return Finding("zone", StepResult.OK, f"now is {show(now, zone)}", details=details)
    to_do = "set AGENT_TIMEZONE or --timezone to an IANA name, such as Europe/Berlin"
    return Finding("zone", StepResult.FAILED, unknown, to_do, details)


def _limits(limits: Limits) -> Finding:
    what = f"the agent is kept to {limits}; the server below is tried without limits"
    return Finding("limits", StepResult.OK, what, details={"limits": list(limits.named.values())})


def _version() -> Finding:
    what = f"heartbeat-mcpl {__version__}, Python {platform.python_version()}, as {server_command()[0]}"
    details = {"version": __version__, "command": server_command()}
    if may_vanish():
        to_do = "install it to stay, with uv tool install or pipx install: this one may be cleared away"
        return Finding("version", StepResult.NOTE, what, to_do, details)
    return Finding("version", StepResult.OK, what, details=details)
