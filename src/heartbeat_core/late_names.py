"""Names of a package that are loaded when they are first asked for (PEP 562).

A server answers its host before the slow half of the packages could be imported, so nothing may be imported
in passing.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from importlib import import_module


def late_names(package: str, homes: Mapping[str, Collection[str]]) -> Callable[[str], object]:
    """Give a `__getattr__` for `package`; `homes` has, by module, the names that live there.

    What it gives raises AttributeError for any other name.
    """
    modules = {name: f"{package}.{home}" for home, names in homes.items() for name in names}

    def load(name: str) -> object:
        if name not in modules:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(import_module(modules[name]), name)
        setattr(import_module(package), name, value)  # so that it is asked for once
        return value

    return load
