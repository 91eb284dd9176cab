"""The names that those who embed the core use: all there, typed and at run time alike, and cheap to have."""

from __future__ import annotations

import ast
import importlib
import subprocess
import sys
from pathlib import Path

import pytest

PACKAGES = ("heartbeat_core", "heartbeat_adapters")


@pytest.mark.parametrize("name", PACKAGES)
def test_each_public_name_is_there_and_is_what_type_checkers_take_it_for(name: str) -> None:
    """9.4"""
    package = importlib.import_module(name)
    assert package.__file__
    typed: dict[str, str] = {"__version__": "heartbeat_core.version"}
    for node in ast.walk(ast.parse(Path(package.__file__).read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("heartbeat"):
            typed |= {alias.name: node.module for alias in node.names}
    if name != "heartbeat_core":
        del typed["__version__"]
    assert sorted(typed) == sorted(package.__all__)
    for public, home in typed.items():
        assert getattr(package, public) is getattr(importlib.import_module(home), public)
        assert public in dir(package)


@pytest.mark.parametrize("name", PACKAGES)
def test_what_is_not_there_is_an_ordinary_attribute_error(name: str) -> None:
    """9.4"""
    package = importlib.import_module(name)
    with pytest.raises(AttributeError, match=f"{name}.*Hartbeat"):
        _ = package.Hartbeat
    assert not hasattr(package, "Hartbeat")


def test_importing_the_packages_loads_nothing_that_takes_long() -> None:
    """1.6: the server imports its first modules through them, before it can answer `initialize`."""
    slow = ("pydantic", "dateutil", "dependency_injector", "asyncio", "click", "zoneinfo")
    code = (
        "import sys, heartbeat_core, heartbeat_adapters, heartbeat_adapters.handshake\n"
        f"print([name for name in {slow!r} if name in sys.modules])\n"
        "print([name for name in sys.modules if name.startswith('heartbeat')])\n"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    slow_ones, ours = map(ast.literal_eval, ran.stdout.splitlines())
    assert slow_ones == []
    assert len(ours) == 4
