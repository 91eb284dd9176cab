"""The page of the history: what is on it, and that a browser shows it whole (14.4)."""

from __future__ import annotations

import re
import shutil
import subprocess
from datetime import UTC, datetime, timedelta
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from heartbeat_cli.history_marks import SHAPES
from heartbeat_cli.history_page import page
from heartbeat_core.history import Ending, HistoryLine, WakeKind
from heartbeat_core.times.moments import AgentZone

NOW = datetime(2026, 10, 10, 12, tzinfo=UTC)
ZONE = AgentZone("UTC", UTC)
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


def lines(count: int) -> list[HistoryLine]:
    """Newest first: each outcome and each kind in turn, some a day without any."""
    every = timedelta(hours=31) if count <= 50 else timedelta(minutes=3)
    return [_line(NOW - every * n, n) for n in range(count)]


def _line(due: datetime, number: int) -> HistoryLine:
    ending = list(Ending)[number % len(Ending)]
    kind = list(WakeKind)[number % 3]
    reminder_id = f"rem_{'x' * 60}{number}" if kind is WakeKind.REMINDER else None
    reason = f"<b>not & now</b> {'y' * 300}" if ending is Ending.REFUSED else None
    return HistoryLine(due, due, kind, ending, reminder_id, reason=reason)


def page_of(count: int) -> str:
    coming = [("heartbeat", NOW), (f"rem_{'z' * 70}", NOW + timedelta(hours=1))] if count else []
    return page(lines(count), coming, ZONE, NOW)


def marks(text: str) -> list[ET.Element]:
    strips = re.findall(r'<svg role="group".*?</svg>', text)
    return [mark for strip in strips for mark in ET.fromstring(strip).iter("use")]


def test_each_due_moment_has_one_mark_with_a_shape_of_its_outcome_and_a_text() -> None:
    """14.4"""
    found = marks(page_of(50))
    assert len(found) == 50
    for mark in found:
        outcome = mark.attrib["href"].removeprefix("#")
        assert f": {outcome}" in mark.attrib["aria-label"]
        assert mark.findtext("title") == mark.attrib["aria-label"]


def test_a_moment_stands_at_its_hour_of_the_agents_day() -> None:
    """14.4"""
    (mark,) = marks(page(lines(1), [], ZONE, NOW))
    assert mark.attrib["x"] == "50.00%"


def test_a_moment_tried_again_has_one_mark_by_its_last_outcome() -> None:
    """14.4"""
    taken, refused = (HistoryLine(NOW, NOW, WakeKind.BEAT, each) for each in (Ending.TAKEN, Ending.REFUSED))
    assert [mark.attrib["href"] for mark in marks(page([taken, refused], [], ZONE, NOW))] == ["#taken"]


def test_outcomes_differ_in_shape_and_not_only_in_colour() -> None:
    """14.4"""
    assert set(SHAPES) == set(Ending)
    assert len(set(SHAPES.values())) == len(Ending)


def test_what_is_coming_next_is_there_by_id_and_time() -> None:
    """14.4"""
    text = page([], [("rem_a", NOW)], ZONE, NOW)
    assert "<time>2026-10-10T12:00:00+00:00 [UTC]</time>rem_a" in text


@pytest.mark.parametrize("count", [0, 1, 50, 20_000])
def test_the_page_has_no_script_and_leads_nowhere(count: int) -> None:
    """14.4"""
    text = page_of(count)
    assert not re.search(r"<script|javascript:|\son\w+=|https?:|url\(|@import|<b>not", text)
    assert {link for link in re.findall(r'(?:href|src)="([^"]*)"', text) if link[0] != "#"} <= {"data:,"}


PROBE = """
<script>onload=()=>{const d=document.documentElement;document.title=JSON.stringify(
 {wide:d.scrollWidth-d.clientWidth,marks:document.querySelectorAll('use[role=img]').length,
  requests:performance.getEntriesByType('resource').length})}</script>
"""
"""Measures from inside a frame as wide as asked, since a headless window is never narrower than 500 px."""


@pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium")
@pytest.mark.parametrize("count", [0, 1, 50, 20_000])
@pytest.mark.parametrize("width", [360, 1200])
def test_a_browser_shows_it_whole_at_each_width(count: int, width: int, tmp_path: Path) -> None:
    """14.4: no overflow, no request, every mark there"""
    text = re.sub(r"<meta http-equiv=[^>]*>", "", page_of(count))  # it would forbid the probe's own script
    (tmp_path / "page.html").write_text(text.replace("</body>", f"{PROBE}</body>"))
    frame = tmp_path / "frame.html"
    frame.write_text(
        f'<iframe src="page.html" width="{width}" height="900" style="border:0"></iframe><p id="out"></p>'
        "<script>onload=()=>{out.textContent=document.querySelector('iframe').contentDocument.title}</script>"
    )
    assert CHROMIUM is not None
    flags = (
        *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
        *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
        *("--allow-file-access-from-files", f"--user-data-dir={tmp_path / 'profile'}", "--dump-dom"),
        *("--virtual-time-budget=10000", "--window-size=1400,1000"),
    )
    dom = subprocess.run(
        [CHROMIUM, *flags, frame.as_uri()], capture_output=True, text=True, timeout=120, check=True
    ).stdout
    found = re.search(r'<p id="out">(.*?)</p>', dom)
    assert found is not None
    assert found[1] == f'{{"wide":0,"marks":{count},"requests":0}}'
