"""The README's picture of the history page is what its command draws today (14.4)."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree as ET

ROOT = Path(__file__).parent.parent
KEPT = ROOT / "docs" / "history.svg"


def test_the_kept_picture_is_what_the_command_draws(tmp_path: Path) -> None:
    """14.4: where this fails, run scripts/picture and look at what it drew"""
    drawn = tmp_path / "drawn.svg"
    subprocess.run([sys.executable, ROOT / "scripts" / "picture", drawn], check=True, timeout=60)
    assert drawn.read_bytes() == KEPT.read_bytes()


def test_the_picture_is_well_formed_and_the_readme_shows_it() -> None:
    """14.4"""
    assert ET.parse(KEPT).getroot().tag == "{http://www.w3.org/2000/svg}svg"
    assert "](docs/history.svg)" in (ROOT / "README.md").read_text(encoding="utf-8")
