"""Clients written by others, installed when they are first needed and kept in pytest's cache.

Once, whole or not at all, and what happens where a client is not to be had.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

import pytest

INSTALLED_WITHIN = 240.0

REQUIRED = "HEARTBEAT_REQUIRES_CLIENTS"
"""The variable that, set to anything, makes a client that is not to be had a failure: for CI."""


def installed(config: pytest.Config, name: str, install: Callable[[Path], None]) -> Path:
    """Give the folder that `install` has filled, in this run or in one before."""
    if not hasattr(config, "cache"):
        not_to_be_had("pytest runs without its cache")
    home = config.cache.mkdir(name)
    if any(home.iterdir()):
        return home
    coming = home.with_name(f"{home.name}.{os.getpid()}")
    try:
        install(coming)
        if not any(home.iterdir()):
            coming.rename(home)  # nothing in them minds that
    except (OSError, subprocess.SubprocessError) as problem:
        output = (getattr(problem, "stderr", None) or b"").decode(errors="replace")
        not_to_be_had(f"{name} cannot be installed: {problem} {' '.join(output.split())[-300:]}")
    finally:
        shutil.rmtree(coming, ignore_errors=True)
    return home


def run(*command: str) -> None:
    """One step of an installation. Raises what `installed` takes for a failure."""
    subprocess.run(command, check=True, capture_output=True, timeout=INSTALLED_WITHIN)


def not_to_be_had(why: str) -> NoReturn:
    """Skip with a word, or fail where clients are required."""
    if os.environ.get(REQUIRED):
        pytest.fail(f"{REQUIRED} is set, but {why}")
    pytest.skip(f"not tried with this client: {why}")
