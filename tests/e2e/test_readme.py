"""The commands that the README gives to a newcomer, run as it says, in a fresh copy."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

pytestmark = pytest.mark.timeout(900)  # installs what it tests

ROOT = Path(__file__).parent.parent.parent
LEFT_OUT = shutil.ignore_patterns(".git", ".venv", ".*_cache", "__pycache__", ".hypothesis", ".coverage*")


def _commands(heading: str = "Try it") -> list[str]:
    page = (ROOT / "README.md").read_text(encoding="utf-8")
    block = re.search(rf"^## {heading}$.*?```sh\n(.*?)```", page, re.S | re.M)
    assert block is not None
    return [line.partition("#")[0].strip() for line in block[1].splitlines()]


@pytest.fixture(scope="module")
def fresh_copy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = tmp_path_factory.mktemp("fresh") / "clone"
    shutil.copytree(ROOT, folder, ignore=LEFT_OUT)
    yield folder
    shutil.rmtree(folder)


def _run(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "COV_"))}
    kept.pop("VIRTUAL_ENV", None)
    newcomers = Path(sys.base_prefix) / "bin"  # its Python has pip, and nothing else
    kept |= {
        "PYTHON": str(newcomers / "python3"),
        "PATH": f"{newcomers}:{kept['PATH']}",
        "HOME": str(folder.parent),
    }
    return subprocess.run(
        command, shell=True, cwd=folder, env=kept, capture_output=True, text=True, timeout=600, check=False
    )


def test_the_readme_gives_two_commands() -> None:
    assert _commands() == ["sh scripts/demo", "sh scripts/check"]


def test_the_first_command_shows_wakes_arriving(fresh_copy: Path) -> None:
    ran = _run(_commands()[0], fresh_copy)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "current time" in ran.stdout


def test_the_second_command_checks_everything(fresh_copy: Path) -> None:
    """All of it but the running of the tests, which is what runs this test."""
    ran = _run(f"{_commands()[1]} --collect-only -q", fresh_copy)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "test_readme.py" in ran.stdout


def test_the_lines_that_install_it_give_a_program_that_runs(fresh_copy: Path) -> None:
    *install, demo = _commands("Install")
    ran = _run(" && ".join([*install, demo]), fresh_copy)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "current time" in ran.stdout
