"""The command line of the benchmarks: what is asked for, and where the results go.

Lives here: the order of measuring. May not: measure; each row's measuring is in a file of its own.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import shlex
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from measuring import (
    at_rest,
    at_speed,
    durable_adds,
    growth,
    history_lines,
    lateness,
    next_times,
    picture,
    start_up,
    status_calls,
)
from measuring.contestant import contestant, our_command
from measuring.idle import IdleServers
from measuring.plan import Plan
from measuring.row import Row
from measuring.table import table

_PARTS: dict[str, Callable[[Plan], Iterator[Row]]] = {
    "start-up": start_up.rows,
    "memory": at_rest.rows,
    "status": status_calls.rows,
    "add": durable_adds.rows,
    "growth": growth.rows,
    "history": history_lines.rows,
    "next-time": next_times.rows,
    "lateness": lateness.rows,
    "at-speed": at_speed.rows,
}
_IDLE = "idle"


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, print the table, and write what else was asked for."""
    parser = _parser()
    asked = parser.parse_args(arguments)
    if asked.picture is not None and (why := picture.cannot_draw()):
        parser.error(f"--picture needs matplotlib, the extra `bench`: {why}")
    with tempfile.TemporaryDirectory(prefix="heartbeat-benchmark-", dir=asked.folder) as folder:
        rows = _measure(_plan(asked, Path(folder)), asked.only or [*_PARTS, _IDLE])
    print(table(rows))
    if asked.json is not None:
        asked.json.write_text(json.dumps(_as_json(rows, asked), indent=2, ensure_ascii=False) + "\n")
    if asked.picture is not None:
        picture.draw(rows, asked.picture)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description="Measure this server beside the floor and beside another.")
    parser.add_argument(
        "--vs", metavar="COMMAND", help="another server's command line, measured side by side"
    )
    parser.add_argument("--quick", action="store_true", help="few runs, to see that everything works")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all figures there")
    parser.add_argument("--picture", type=Path, metavar="FILE", help="draw cost against number there")
    parser.add_argument("--operations", type=int, help="how many operations at speed [12,000; quick: 100]")
    parser.add_argument("--folder", help="where the servers' files are, on the disk that is to be measured")
    parser.add_argument("--only", action="append", choices=[*_PARTS, _IDLE], help="may be given again")
    return parser


def _plan(asked: argparse.Namespace, folder: Path) -> Plan:
    other = contestant("other", shlex.split(asked.vs), folder) if asked.vs else None
    operations = asked.operations or (100 if asked.quick else 12_000)
    return Plan(folder, contestant("ours", our_command(), folder), other, asked.quick, operations)


def _measure(plan: Plan, parts: Sequence[str]) -> list[Row]:
    rows: list[Row] = []
    idlers = [contestant("idle", each.command, plan.folder) for each in plan.contestants]
    with IdleServers(plan, idlers if _IDLE in parts else []) as idle:
        for name, measured in _PARTS.items():
            if name in parts:
                print(f"measuring {name} …", file=sys.stderr, flush=True)
                rows += measured(plan)
        if _IDLE in parts:
            rows += idle.rows()
    return rows


def _as_json(rows: Sequence[Row], asked: argparse.Namespace) -> dict[str, object]:
    machine = {"python": platform.python_version(), "system": platform.platform(), "cores": os.cpu_count()}
    return {
        "machine": machine,
        "vs": asked.vs,
        "quick": asked.quick,
        "rows": [row.as_json() for row in rows],
    }
