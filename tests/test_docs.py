"""The pages for people say what is so: of the log's lines, of each other, and of the promises by number."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path

import pytest

from heartbeat_core import OVER_A_WIRE

ROOT = Path(__file__).parent.parent
SOURCES = "".join(
    re.sub(r'"\s*\n\s*f?"', "", path.read_text(encoding="utf-8")) for path in (ROOT / "src").rglob("*.py")
).replace("{self._listener}", OVER_A_WIRE.listener)
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")), *sorted((ROOT / "adr").glob("*.md"))]
DECISIONS = sorted((ROOT / "adr").glob("0*.md"))

CITED = re.compile(r"(?<![\w.])[1-9]\d?\.[1-9]\d?(?![\w.]*\w)")
"""The number of a promise, such as 4.12; 2.0 and 1.0.0 are none."""
NO_CITATION = re.compile(r"`[^`]*`|\b(Python|version|dateutil) \d+\.\d+|\d\.\d+ (s|ms|h|MiB|seconds)\b")
"""Other numbers that look like one: code, versions, and quantities with their unit."""


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


def test_the_programs_on_the_page_for_embedders_are_those_that_are_run() -> None:
    examples = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "examples").rglob("*.py"))
    page = (ROOT / "docs" / "embedding.md").read_text(encoding="utf-8")
    blocks = [block for block in re.findall(r"```python\n(.*?)```", page, re.S) if "def main" in block]
    blocks += [block for block in re.findall(r"```python\n(.*?)```", page, re.S) if "def tools_of" in block]
    assert len(blocks) == 2
    for block in blocks:
        assert block in examples


def test_every_page_that_is_linked_is_there() -> None:
    for page in PAGES:
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), f"{page.name} links to {target}"


def _anchors(page: Path) -> set[str]:
    """What the headings of a page can be linked by, as GitHub makes it."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.M)
    return {re.sub(r"[^\w\- ]", "", heading).lower().replace(" ", "-") for heading in headings}


def test_every_heading_that_is_linked_is_there() -> None:
    for page in PAGES:
        for target, anchor in re.findall(r"\]\(([^)#:]*)#([^)]+)\)", page.read_text(encoding="utf-8")):
            linked = page.parent / target if target else page
            assert anchor in _anchors(linked), f"{page.name} links to {target}#{anchor}"


def _prose(source: str) -> Iterator[str]:
    """The comments and docstrings of a Python file: where promises are cited."""
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            yield token.string
    for node in ast.walk(ast.parse(source)):
        if (
            isinstance(node, ast.Expr)
            and isinstance(node.value, ast.Constant)
            and isinstance(node.value.value, str)
        ):
            yield node.value.value


@cache
def _promised() -> list[str]:
    page = (ROOT / "docs" / "promises.md").read_text(encoding="utf-8")
    return re.findall(r"^### (\d+\.\d+) \S", page, re.M)


def _cited(text: str) -> Iterator[str]:
    """The numbers of promises in a text, of those sections that the page has."""
    sections = {number.partition(".")[0] for number in _promised()}
    for number in CITED.findall(NO_CITATION.sub("", text)):
        if number.partition(".")[0] in sections:
            yield number


def test_the_promises_stand_in_order_without_a_gap() -> None:
    numbers = [tuple(map(int, number.split("."))) for number in _promised()]
    assert len(numbers) > 50
    for before, number in pairwise(numbers):
        # A section that is not built yet is not on the page; a clause within one may not be missing.
        assert number == (before[0], before[1] + 1) or (number[0] > before[0] and number[1] == 1)


@pytest.mark.parametrize("folder", ["src", "tests", "examples", "benchmarks"])
def test_every_promise_that_the_code_cites_is_on_the_page(folder: str) -> None:
    promised = _promised()
    for path in sorted((ROOT / folder).rglob("*.py")):
        for text in _prose(path.read_text(encoding="utf-8")):
            for number in _cited(text):
                assert number in promised, f"{path.relative_to(ROOT)} cites {number}"


def test_every_promise_that_a_decision_cites_is_on_the_page() -> None:
    """A decision cites in brackets; its other numbers are versions and measurements."""
    promised = _promised()
    for page in DECISIONS:
        for cited in re.findall(r"\((?:contract )?(\d[\d., ]*)\)", page.read_text(encoding="utf-8")):
            for number in _cited(cited):
                assert number in promised, f"{page.name} cites {number}"


def test_every_promise_that_the_page_cites_is_there_itself() -> None:
    promised = _promised()
    for number in _cited((ROOT / "docs" / "promises.md").read_text(encoding="utf-8")):
        assert number in promised


def test_every_decision_has_the_five_headings() -> None:
    for page in DECISIONS:
        headings = re.findall(r"^## (.+)$", page.read_text(encoding="utf-8"), re.M)
        assert headings == ["Status", "Context", "Decision", "Consequences", "Alternatives"], page.name
