"""The fixtures of this folder."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from stdio_worlds import Host, over_one_socket, over_pipes


@pytest.fixture(params=[over_pipes, over_one_socket], ids=lambda make: make.__name__)
def host(request: pytest.FixtureRequest) -> Iterator[Host]:
    yield from request.param()
