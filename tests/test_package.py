"""What is built and installed: one wheel, one console script, typed, and nothing but the four packages."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from heartbeat_core.version import __version__

pytestmark = pytest.mark.timeout(900)  # installs what it tests

ROOT = Path(__file__).parent.parent
PACKAGES = ("heartbeat_core", "heartbeat_adapters", "heartbeat_cli")


def _run(*command: str | Path, cwd: Path = ROOT) -> str:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "COV_"))}
    ran = subprocess.run(command, cwd=cwd, env=kept, capture_output=True, text=True, timeout=300, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran.stdout


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dist")
    _run(sys.executable, "-m", "hatchling", "build", "-d", folder)
    return folder


@pytest.fixture(scope="module")
def installed(built: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of programs of an empty environment that the wheel was installed into."""
    folder = tmp_path_factory.mktemp("empty") / "venv"
    outer = Path(sys.base_prefix) / "bin" / "python3"
    _run(outer, "-m", "venv", "--without-pip", folder)
    wheel = next(built.glob("*.whl"))
    _run(outer, "-m", "pip", "--python", folder / "bin" / "python", "install", "--quiet", wheel)
    return folder / "bin"


def test_the_wheel_holds_three_typed_packages_and_nothing_else(built: Path) -> None:
    """9.4"""
    with zipfile.ZipFile(next(built.glob("*.whl"))) as wheel:
        names = wheel.namelist()
    tops = {name.partition("/")[0] for name in names}
    assert tops == {*PACKAGES, f"heartbeat_mcpl-{__version__}.dist-info"}
    assert all(f"{package}/py.typed" in names for package in PACKAGES)


def test_the_source_distribution_holds_the_tests_and_the_decisions(built: Path) -> None:
    with tarfile.open(next(built.glob("*.tar.gz"))) as source:
        names = source.getnames()
    top = f"heartbeat_mcpl-{__version__}"
    assert {f"{top}/README.md", f"{top}/LICENSE", f"{top}/tests/test_package.py"} <= set(names)
    assert any(name.startswith(f"{top}/adr/0001") for name in names)


def test_it_installs_with_only_the_four_packages_and_what_they_need(installed: Path) -> None:
    listed = _run(
        installed / "python",
        "-c",
        "from importlib.metadata import distributions\n"
        "print(*sorted(d.name.lower().replace('_', '-') for d in distributions()))",
    )
    needed = {"annotated-types", "pydantic-core", "typing-extensions", "typing-inspection", "six", "tzdata"}
    four = {"click", "dependency-injector", "pydantic", "python-dateutil"}
    assert four | {"heartbeat-mcpl"} <= set(listed.split()) <= four | {"heartbeat-mcpl"} | needed


def test_the_console_script_is_named_like_the_distribution(installed: Path, tmp_path: Path) -> None:
    assert __version__ in _run(installed / "heartbeat-mcpl", "--version", cwd=tmp_path)
    assert __version__ in _run(installed / "python", "-m", "heartbeat_cli", "--version", cwd=tmp_path)


def test_the_version_is_the_installed_packages(installed: Path, tmp_path: Path) -> None:
    """3.1"""
    code = "from importlib.metadata import version; print(version('heartbeat-mcpl'))"
    assert _run(installed / "python", "-c", code, cwd=tmp_path).strip() == __version__


def test_the_registry_entry_names_this_version() -> None:
    entry = json.loads((ROOT / "server.json").read_text(encoding="utf-8"))
    assert {entry["version"], *(package["version"] for package in entry["packages"])} == {__version__}
    assert len(entry["description"]) <= 100
