"""The recipes run as they stand, each with the library that it is for, in an environment of their own (9.2).

Not part of a plain run, since installing them takes a minute and what they use changes under them: see
scripts/recipes.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from clients_of_others import installed, run

pytestmark = [
    pytest.mark.timeout(900),  # installs what it tests
    pytest.mark.skipif("HEARTBEAT_RECIPES" not in os.environ, reason="run scripts/recipes for the recipes"),
]

ROOT = Path(__file__).parent.parent.parent
RECIPES = ROOT / "examples" / "recipes"
LIBRARIES = ("pydantic-ai-slim>=2,<3", "openai-agents<1", "langgraph>=1,<2", "fastapi<1", "httpx2")
AT_MOST = 60

VISIT = """
import sys
sys.path.insert(0, sys.argv[1])
from fastapi.testclient import TestClient
from with_fastapi import app

with TestClient(app) as client:
    print(client.post("/ada/reminders", json={"message": "tea", "seconds": 0.05}).json()["id"])
    print(client.post("/ada/reminders", json={"message": "tea", "seconds": 0}).text)
    while not (heard := client.get("/ada/heard").json()):
        pass
    print(heard, client.get("/ben/heard").json(), client.get("/eve/heard").status_code)
    print(client.get("/ben/status").json()["status"])
"""


@pytest.fixture(scope="module")
def python(pytestconfig: pytest.Config) -> Path:
    """The Python of an environment that has the libraries, and this checkout."""
    return installed(pytestconfig, "recipes", install) / "bin" / "python"


def install(home: Path) -> None:
    outside = str(Path(sys.base_prefix) / "bin" / "python3")
    run(outside, "-m", "venv", "--without-pip", str(home))
    quiet = ("--quiet", "--disable-pip-version-check", "--no-input")
    pip = (outside, "-m", "pip", "--python", str(home / "bin" / "python"), "install", *quiet)
    run(*pip, *LIBRARIES, "-e", str(ROOT))


def shown(python: Path, folder: Path, *command: str) -> list[str]:
    """What a program prints, line by line; one that fails shows why."""
    ran = subprocess.run(
        [str(python), *command], cwd=folder, capture_output=True, text=True, timeout=AT_MOST, check=False
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran.stdout.splitlines()


@pytest.mark.parametrize("recipe", ["with_pydantic_ai", "with_openai_agents", "with_langgraph"])
def test_an_agent_calls_the_tools_and_a_wake_starts_a_run(python: Path, tmp_path: Path, recipe: str) -> None:
    """9.2: two of them get the first call wrong, are told, and call again"""
    asked, promised, woken, told = shown(python, tmp_path, str(RECIPES / f"{recipe}.py"))
    assert (asked, promised) == ("> Tell me when the tea has drawn.", "< I will tell you.")
    assert woken.startswith("> [reminder rem_")
    assert woken.endswith("] The tea has drawn.")
    assert told == "< Your tea has drawn."


def test_two_agents_live_as_long_as_their_application(python: Path, tmp_path: Path) -> None:
    """9.2, 9.7"""
    added, refused, heard, status = shown(python, tmp_path, "-c", VISIT, str(RECIPES))
    assert added.startswith("rem_")
    assert "a delay must be more than 0 s" in refused
    assert heard.endswith("] tea'] [] 404")
    assert "delivery=ok" in status
    assert sorted(path.name for path in (tmp_path / "data").iterdir()) == ["ada", "ben"]
