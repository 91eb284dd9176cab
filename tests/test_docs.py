"""The operator's page names lines that the log really has, and no others."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parent.parent
SOURCES = "".join(
    re.sub(r'"\s*\n\s*f?"', "", path.read_text(encoding="utf-8")) for path in (ROOT / "src").rglob("*.py")
)


def _quoted_lines() -> list[str]:
    page = (ROOT / "docs" / "operating.md").read_text(encoding="utf-8")
    table = page.partition("## Lines that ask for action")[2].partition("\n## ")[0]
    cells = [line.split("|")[1] for line in table.splitlines() if line.startswith("| `")]
    return [quoted for cell in cells for quoted in re.findall(r"`([^`]+)`", cell)]


def test_every_line_that_the_operators_page_explains_is_in_the_source() -> None:
    lines = _quoted_lines()
    assert len(lines) > 15
    for line in lines:
        fixed = re.split(r"<[a-z]+>|…|\(|\)|\.\.\.", line)
        for part in (part.strip(" ;:.,—") for part in fixed):
            assert not part or part in SOURCES, f"{part!r} of {line!r} is nowhere in the source"


def test_every_page_that_is_linked_is_there() -> None:
    for page in [ROOT / "README.md", *(ROOT / "docs").glob("*.md"), *(ROOT / "adr").glob("*.md")]:
        for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), f"{page.name} links to {target}"


def test_every_decision_has_the_five_headings() -> None:
    for page in (ROOT / "adr").glob("0*.md"):
        headings = re.findall(r"^## (.+)$", page.read_text(encoding="utf-8"), re.M)
        assert headings == ["Status", "Context", "Decision", "Consequences", "Alternatives"], page.name
