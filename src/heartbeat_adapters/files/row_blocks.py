"""Rows of text by key, in the order in which they came, ready to be written in a few large pieces.

So a save of 100,000 rows costs little more than the writing.
"""

from __future__ import annotations

from collections.abc import Iterator

_ROWS_IN_A_BLOCK = 256
"""Joining this many anew after a change takes microseconds, and 100,000 rows are still few pieces."""


class _Block:
    __slots__ = ("joined", "rows")

    def __init__(self) -> None:
        self.rows: dict[str, bytes] = {}
        self.joined: bytes | None = None


class RowBlocks:
    """A dict of rows whose values, joined by `between`, are at hand at any time."""

    def __init__(self, between: bytes) -> None:
        self._between = between
        self._blocks: list[_Block] = []
        self._home: dict[str, _Block] = {}

    def __setitem__(self, key: str, row: bytes) -> None:
        block = self._home.get(key) or self._open_block()
        self._home[key] = block
        block.rows[key] = row
        block.joined = None

    def discard(self, key: str) -> None:
        """Remove a row, if it is there."""
        block = self._home.pop(key, None)
        if block is not None:
            del block.rows[key]
            block.joined = None

    def pieces(self) -> Iterator[bytes]:
        """Give what is the join of all rows, in pieces that do not change."""
        self._blocks = [block for block in self._blocks if block.rows]
        for number, block in enumerate(self._blocks):
            if number:
                yield self._between
            if block.joined is None:
                block.joined = self._between.join(block.rows.values())
            yield block.joined

    def _open_block(self) -> _Block:
        if not self._blocks or len(self._blocks[-1].rows) >= _ROWS_IN_A_BLOCK:
            self._blocks.append(_Block())
        return self._blocks[-1]
