"""What stands in one piece of input, as several lines or as a batch, and in which order the answers leave."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ALLOWING = {"effectiveCapabilities": ["pushEvents", "tools"]}
MCPL = {
    "protocolVersion": "2025-06-18",
    "capabilities": {"experimental": {"mcpl": {"version": "0.5"}}},
}


def request(number: int, method: str, params: object) -> dict[str, object]:
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": params}


def call(number: int, tool: str, **arguments: object) -> dict[str, object]:
    return request(number, "tools/call", {"name": tool, "arguments": arguments})


def served(folder: Path, *lines: object) -> tuple[list[Any], str]:
    """What a server answers to lines that it finds all at once, and its log."""
    first = [request(0, "initialize", MCPL), request(1, "featureSets/update", ALLOWING)]
    text = "".join(f"{json.dumps(line)}\n" for line in [*first, *lines])
    (folder / "requests.jsonl").write_text(text)
    environment = {name: value for name, value in os.environ.items() if not name.startswith("HEARTBEAT_")}
    with (folder / "requests.jsonl").open() as stdin:
        run = subprocess.run(
            [sys.executable, "-m", "heartbeat_cli", "--stdio"],
            stdin=stdin,
            capture_output=True,
            text=True,
            cwd=folder,
            env=environment,
            timeout=30,
            check=True,
        )
    return [json.loads(line) for line in run.stdout.splitlines()][2:], run.stderr


def pushed_texts(lines: list[Any]) -> list[str]:
    return [
        line["params"]["payload"]["content"][0]["text"]
        for line in lines
        if isinstance(line, dict) and line.get("method") == "push/event"
    ]


def kinds(lines: list[Any]) -> list[object]:
    """For each line the id that it answers, or the method that it asks for."""
    return [line.get("method", line.get("id")) if isinstance(line, dict) else "batch" for line in lines]


def test_a_trigger_leaves_before_the_receipt_of_a_reduction_in_the_next_line(tmp_path: Path) -> None:
    """6.3, 4.6: "Heartbeat fired." is true"""
    lines, log = served(tmp_path, call(2, "heartbeat_trigger"), request(3, "featureSets/update", {}))
    assert kinds(lines) == [2, "push/event", 3]
    assert "Heartbeat fired." in lines[0]["result"]["content"][0]["text"]
    assert "suppressed" not in log


@pytest.mark.parametrize("later", [{"disabled": ["heartbeat"]}, {"disabled": ["*"]}], ids=str)
def test_a_trigger_leaves_before_a_notification_in_the_next_line_forbids_it(
    tmp_path: Path, later: object
) -> None:
    """6.3, 4.7"""
    notification = {"jsonrpc": "2.0", "method": "featureSets/update", "params": later}
    lines, _ = served(tmp_path, call(2, "heartbeat_trigger"), notification)
    assert kinds(lines) == [2, "push/event"]


def test_a_trigger_says_what_was_to_be_said_when_it_was_made(tmp_path: Path) -> None:
    """6.3: though the next line changes the message, and the one after it the mode"""
    lines, _ = served(
        tmp_path,
        call(2, "heartbeat_configure", message="of then"),
        call(3, "heartbeat_trigger"),
        call(4, "heartbeat_configure", message="of later"),
        call(5, "heartbeat_configure", deliveryMode="silent"),
    )
    (text,) = pushed_texts(lines)
    assert text.endswith("] of then")


def test_the_last_policy_of_a_batch_decides_about_its_triggers(tmp_path: Path) -> None:
    """2.6: the trigger is dropped and logged"""
    batch = [call(2, "heartbeat_trigger"), request(3, "featureSets/update", {})]
    lines, log = served(tmp_path, batch)
    assert kinds(lines) == ["batch"]
    assert "suppressed heartbeat push/event" in log


def test_the_wakes_of_a_batch_follow_its_line(tmp_path: Path) -> None:
    """2.6"""
    lines, _ = served(
        tmp_path, [call(2, "heartbeat_trigger"), request(3, "ping", {})], request(4, "ping", {})
    )
    assert kinds(lines) == ["batch", "push/event", 4]
