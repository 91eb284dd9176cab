"""That the benchmarks run and measure every row; never how fast anything is, which is the machine's."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

_RUN = Path(__file__).parents[1] / "benchmarks" / "run.py"
_PATIENCE = 120
"""Seconds; it takes some ten, and machines that test are busy."""

_SIZES = 3
_ROWS = {
    "initialize": 1,
    "first call, used": 1,
    "first call, named": 1,
    "memory": 2,
    "memory, full": 1,
    "status, echo": 1,
    "status, json echo": 1,
    "add": _SIZES,
    "add, replaced": _SIZES,
    "list": _SIZES,
    "cancel": _SIZES,
    "fire": _SIZES,
    "next time": 6,
    "history line": 1,
    "lateness": 2,
    "at once": 1,
    "at once, asked": 1,
    "at speed, latency": 1,
    "at speed, memory": 1,
    "idle, wake-ups": 1,
    "idle, processor time": 1,
}


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, dict[str, Any]]:
    """What one quick run prints, and what it writes as JSON."""
    folder = tmp_path_factory.mktemp("benchmarks")
    command = [
        sys.executable,
        str(_RUN),
        "--quick",
        "--folder",
        str(folder),
        "--json",
        str(folder / "out.json"),
    ]
    run = subprocess.run(command, capture_output=True, text=True, timeout=_PATIENCE, check=False)
    assert run.returncode == 0, run.stderr
    assert [path.name for path in folder.iterdir()] == ["out.json"], "its own files are to be gone"
    return run.stdout, json.loads((folder / "out.json").read_text())


def test_a_quick_run_measures_every_row(measured: tuple[str, dict[str, Any]]) -> None:
    assert Counter(row["kind"] for row in measured[1]["rows"]) == _ROWS


def test_each_row_has_a_median_within_its_spread(measured: tuple[str, dict[str, Any]]) -> None:
    for row in measured[1]["rows"]:
        for figures in (row["ours"], row["floor"] or row["ours"]):
            assert figures["runs"] >= 1
            assert figures["least"] <= figures["q1"] <= figures["median"] <= figures["q3"] <= figures["most"]


def test_a_row_has_a_verdict_where_it_has_a_bar(measured: tuple[str, dict[str, Any]]) -> None:
    for row in measured[1]["rows"]:
        has_bar = row["bar"] != "-" and "--vs" not in row["bar"]
        assert (row["verdict"] in {"met", "MISSED"}) is has_bar, row["what"]


def test_the_table_shows_every_row(measured: tuple[str, dict[str, Any]]) -> None:
    table, result = measured
    assert all(row["what"] in table for row in result["rows"])
