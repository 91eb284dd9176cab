"""The house: which package may import which, and what the core may not touch."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

SRC = Path(__file__).parent.parent / "src"
CORE_FILES = sorted((SRC / "heartbeat_core").rglob("*.py"))

WORLD = {
    *("os", "io", "sys", "time", "asyncio", "threading", "multiprocessing", "concurrent", "socket", "select"),
    *(
        "signal",
        "subprocess",
        "random",
        "secrets",
        "uuid",
        "pathlib",
        "tempfile",
        "shutil",
        "json",
        "logging",
    ),
    *("zoneinfo", "traceback", "click", "dependency_injector", "heartbeat_adapters", "heartbeat_cli"),
}


def _imported(path: Path) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names.add((node.module or "").partition(".")[0])
    return names


@pytest.mark.parametrize("path", CORE_FILES, ids=lambda path: path.name)
def test_the_core_imports_nothing_that_touches_the_world(path: Path) -> None:
    """9.1"""
    assert not _imported(path) & WORLD


@pytest.mark.parametrize("path", CORE_FILES, ids=lambda path: path.name)
def test_the_core_has_no_coroutine_and_reads_no_clock(path: Path) -> None:
    """9.1"""
    nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
    assert not any(isinstance(node, ast.AsyncFunctionDef | ast.Await) for node in nodes)
    called = {ast.unparse(node.func) for node in nodes if isinstance(node, ast.Call)}
    assert not called & {"datetime.now", "datetime.utcnow", "date.today", "open", "print", "input"}


def test_the_import_rules_hold() -> None:
    """The contracts in pyproject.toml, as import-linter reads them."""
    linter = Path(sys.executable).parent / "lint-imports"
    ran = subprocess.run([linter], cwd=SRC.parent, capture_output=True, text=True, timeout=120, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr


def test_importing_the_core_starts_nothing_and_reads_no_environment() -> None:
    """9.2"""
    code = (
        "import os, sys, threading\n"
        "class Refusing(dict):\n"
        "    def __getitem__(self, name): raise AssertionError(name)\n"
        "import pydantic, dateutil.tz, dateutil.parser\n"
        "os.environ = Refusing()\n"
        "import heartbeat_core, heartbeat_core.tools, heartbeat_core.service\n"
        "assert threading.active_count() == 1\n"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False
    )
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "", "")
