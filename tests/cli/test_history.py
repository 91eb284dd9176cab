"""`heartbeat-mcpl history`: the table, its filters, and what cannot be read (14.4)."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from heartbeat_adapters.files.history_file import JsonLinesHistory
from heartbeat_adapters.files.system_calls import SystemCalls
from heartbeat_cli.commands import cli
from heartbeat_core.history import Ending, HistoryLine, WakeKind
from heartbeat_core.times.moments import from_epoch_ms

NOON = datetime(2026, 10, 10, 12, tzinfo=UTC)


@pytest.fixture(autouse=True)
def folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.chdir(tmp_path)
    for name in ("CONFIG_FILE", "REMINDERS_FILE", "HISTORY_FILE"):
        monkeypatch.delenv(f"HEARTBEAT_{name}", raising=False)
    monkeypatch.setenv("AGENT_TIMEZONE", "Europe/Berlin")
    return tmp_path


def run(*arguments: str) -> Result:
    return CliRunner().invoke(cli, ["history", *arguments])


def shown(*arguments: str) -> list[str]:
    result = run(*arguments)
    assert result.exit_code == 0, result.output
    return result.stdout.splitlines()


def outcomes(*arguments: str) -> list[str]:
    return [json.loads(line)["outcome"] for line in shown("--json", *arguments)]


def beat(hours: float, ending: Ending, **more: object) -> HistoryLine:
    due = NOON + timedelta(hours=hours)
    return HistoryLine(due, due, WakeKind.BEAT, ending, **more)  # type: ignore[arg-type]


def keep(*lines: HistoryLine, name: str = "heartbeat-history.jsonl") -> None:
    history = JsonLinesHistory(str(Path(name).absolute()))
    assert history.append(lines) is None
    history.close()


def test_the_table_is_oldest_first_with_sums_of_due_moments_and_how_late_wakes_were_sent() -> None:
    """14.4"""
    first = {"event_id": "b", "sent": NOON + timedelta(milliseconds=20)}
    keep(
        beat(0, Ending.REFUSED, **first, attempt=1, reason="busy\x1b[31m"),
        beat(0, Ending.TAKEN, **{**first, "sent": NOON + timedelta(minutes=1)}, attempt=2),
        beat(4, Ending.DROPPED, missed=2),
    )
    assert shown() == [
        "2026-10-10T14:00:00+02:00 [Europe/Berlin]  heartbeat  0.02s late  refused: busy [31m",
        "2026-10-10T14:00:00+02:00 [Europe/Berlin]  heartbeat  60s late    taken at attempt 2",
        "2026-10-10T18:00:00+02:00 [Europe/Berlin]  heartbeat  not sent    dropped (stands for 2 more)",
        "",
        "2 due: 1 taken, 1 dropped.",
        "Sent late by 0.02s (median), 0.02s (worst).",
    ]


def test_the_last_20_are_shown_unless_told_otherwise() -> None:
    """14.4"""
    keep(*(beat(n, Ending.TAKEN) for n in range(30)))
    assert len(outcomes()) == 20
    assert len(outcomes("--last", "3")) == 3


def test_all_filters_hold_and_last_comes_last() -> None:
    """14.4"""
    keep(*(beat(n, ending) for n, ending in enumerate(Ending)))
    failures = ["refused", "failed", "unanswered", "dropped", "busy", "expired"]
    assert outcomes("--failures") == failures
    assert outcomes("--failures", "--last", "2") == failures[-2:]
    assert outcomes("--since", "2026-10-10T18:00+02:00", "--failures") == ["dropped", "busy", "expired"]
    assert outcomes("--since", "2026-10-10T18:00", "--last", "1") == ["cancelled"]


def test_since_takes_a_length_back_from_now() -> None:
    """14.4"""
    now = from_epoch_ms(SystemCalls.wall_clock_ns() // 1_000_000)
    old, new = now - timedelta(hours=25), now - timedelta(hours=23)
    keep(*(HistoryLine(at, at, WakeKind.BEAT, Ending.TAKEN) for at in (old, new)))
    assert (len(outcomes("--since", "24h")), len(outcomes("--since", "2d"))) == (1, 2)


@pytest.mark.parametrize(
    "wrong",
    [
        *(["--since", text] for text in ("", "yesterday", "7", "-1d", "7w", "1.5h", "9999999999d", "٣d")),
        *(["--last", text] for text in ("0", "-1", "x", "1.5")),
        ["--html", "no/such/folder/page.html"],
    ],
    ids=" ".join,
)
def test_a_value_that_cannot_be_read_is_exit_code_2(wrong: list[str]) -> None:
    """14.4"""
    assert run(*wrong).exit_code == 2


def test_the_lines_are_printed_as_they_are() -> None:
    """14.4"""
    keep(beat(0, Ending.TAKEN, sent=NOON, event_id="b", attempt=1, inference_id="i"))
    assert shown("--json") == Path("heartbeat-history.jsonl").read_text().splitlines()


def test_the_file_is_beside_the_config_file_or_where_the_option_says(tmp_path: Path) -> None:
    """14.2"""
    (tmp_path / "data").mkdir()
    keep(beat(0, Ending.TAKEN), name="data/heartbeat-history.jsonl")
    keep(beat(0, Ending.BUSY), name="own.jsonl")
    assert outcomes("--config-file", "data/c.json") == ["taken"]
    assert outcomes("--history-file", "own.jsonl") == ["busy"]
    result = CliRunner().invoke(cli, ["--history-file", "own.jsonl", "history", "--json"])
    assert json.loads(result.stdout)["outcome"] == "busy"


def test_a_history_that_is_off_or_empty_is_said() -> None:
    """14.2, 14.4"""
    assert shown()[0].startswith("Nothing to show in ")
    assert shown("--history-file", "")[0].startswith("No history is kept")
    assert shown("--history-file", "heartbeat-config.json")[0].startswith("No history is kept")


def test_it_takes_no_lock(tmp_path: Path) -> None:
    """14.4: a server may be writing"""
    history = JsonLinesHistory(str(tmp_path / "heartbeat-history.jsonl"))
    history.append([beat(0, Ending.TAKEN)])
    assert outcomes() == ["taken"]
    assert history.append([beat(1, Ending.BUSY)]) is None
    history.close()
