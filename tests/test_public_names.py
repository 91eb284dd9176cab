"""The names that those who embed the core use: all there, typed and at run time alike, and cheap to have."""

from __future__ import annotations

import ast
import importlib
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGES = ("heartbeat_core", "heartbeat_adapters")


def typed_names(path: str) -> dict[str, str]:
    """The names that a type checker finds in a package, and the module that each is from."""
    for node in ast.parse(Path(path).read_text(encoding="utf-8")).body:
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            imports = [each for each in node.body if isinstance(each, ast.ImportFrom)]
            return {alias.name: str(each.module) for each in imports for alias in each.names}
    raise AssertionError(f"{path} imports nothing for type checkers")


@pytest.mark.parametrize("name", PACKAGES)
def test_each_public_name_is_there_and_is_what_type_checkers_take_it_for(name: str) -> None:
    """9.4"""
    package = importlib.import_module(name)
    typed = typed_names(str(package.__file__))
    assert sorted(typed) == [public for public in sorted(package.__all__) if public != "__version__"]
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


def _open_functions(path: Path) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """The functions of a module, and the methods of its classes, that have open names."""
    module = ast.parse(path.read_text(encoding="utf-8"))
    classes = [node for node in ast.walk(module) if isinstance(node, ast.ClassDef)]
    bodies = [module.body, *(each.body for each in classes if not each.name.startswith("_"))]
    for body in bodies:
        for each in body:
            if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef) and not each.name.startswith("_"):
                yield each


@pytest.mark.parametrize("name", PACKAGES)
def test_each_open_function_says_what_it_raises_itself(name: str) -> None:
    """9.4"""
    folder = Path(str(importlib.import_module(name).__file__)).parent
    for path in sorted(folder.rglob("*.py")):
        for function in _open_functions(path):
            said = ast.get_docstring(function) or ""
            for node in ast.walk(function):
                raised = getattr(node.exc, "func", node.exc) if isinstance(node, ast.Raise) else None
                if (
                    isinstance(raised, ast.Name)
                    and raised.id[0].isupper()
                    and raised.id != "NotImplementedError"
                ):
                    assert raised.id in said, f"{path}: {function.name} raises {raised.id}"


def test_importing_the_packages_loads_nothing_that_takes_long() -> None:
    """1.6: the server imports its first modules through them, before it can answer `initialize`."""
    slow = ["pydantic", "dateutil", "dependency_injector", "asyncio", "click", "zoneinfo"]
    ours = ["heartbeat_core.service", "heartbeat_core.tools", "heartbeat_adapters.container"]
    code = (
        "import sys, heartbeat_core, heartbeat_adapters, heartbeat_adapters.wire.handshake\n"
        f"print([name for name in {slow + ours!r} if name in sys.modules])\n"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert ran.stdout == "[]\n"
