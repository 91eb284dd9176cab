"""Fixtures that several folders of tests use.

Lives here: what has to be cleaned up after a test. May not: assertions.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from server_folder import ServerFolder


@pytest.fixture
def folder(tmp_path: Path) -> ServerFolder:
    """An empty folder to start real servers in."""
    return ServerFolder(tmp_path)
