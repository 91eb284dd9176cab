"""Bytes cut into lines: 2.1, 2.3."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from heartbeat_adapters.stdio.line_splitter import LONGEST_LINE, TOO_LONG, LineSplitter
from heartbeat_adapters.stdio.line_writer import LineWriter


def split(chunks: list[bytes], longest: int = LONGEST_LINE) -> list[bytes | None]:
    splitter = LineSplitter(longest)
    for chunk in chunks:
        splitter.feed(chunk)
    splitter.end()
    return [splitter.next_line() for _ in range(len(splitter))]


def test_lines_end_at_newlines_alone() -> None:
    """2.1"""
    raw = "a\u2028b\u0085c\rd\x0be\r\n\r\n\n".encode()
    assert split([raw, b"f\r"]) == ["a\u2028b\u0085c\rd\x0be".encode(), b"", b"", b"f"]


@pytest.mark.parametrize(
    ("raw", "lines"),
    [
        (b"12345\n12345\r\nx", [b"12345", b"12345", b"x"]),
        (b"123456\nx\n", [TOO_LONG, b"x"]),
        (b"12345\r\r\nx\n", [TOO_LONG, b"x"]),
        (b"123456", [TOO_LONG]),
        (b"12345\r", [b"12345"]),
        (b"123456789" * 50 + b"\n\n", [TOO_LONG, b""]),
    ],
)
def test_a_line_may_be_as_long_as_the_limit(raw: bytes, lines: list[bytes | None]) -> None:
    """2.3"""
    assert split([raw], longest=5) == lines
    assert split([raw[n : n + 1] for n in range(len(raw))], longest=5) == lines


def test_a_line_too_long_is_told_at_once_and_not_kept() -> None:
    """2.3"""
    splitter = LineSplitter(longest=100)
    for _ in range(1_000):
        splitter.feed(b"x" * 100)
    assert len(splitter) == 1
    assert len(splitter._tail) == 0


@given(st.text("ab\r\n").map(str.encode), st.lists(st.integers(0, 50)))
def test_the_same_bytes_are_the_same_lines_however_they_come(raw: bytes, cuts: list[int]) -> None:
    """2.1, 2.3"""
    bounds = [0, *sorted(min(cut, len(raw)) for cut in cuts), len(raw)]
    chunks = [raw[a:b] for a, b in pairwise(bounds)]
    assert split(chunks, longest=4) == split([raw], longest=4)


@given(st.lists(st.text("abc\r", max_size=8)))
def test_lines_are_what_was_joined(lines: list[str]) -> None:
    """2.1"""
    raw = "".join(f"{line}\n" for line in lines).encode()
    assert split([raw]) == [line.removesuffix("\r").encode() for line in lines]


def test_a_writer_without_a_way_out_keeps_nothing() -> None:
    """2.7"""
    writer = LineWriter(None)
    writer.put("x")
    assert writer.gone
    assert len(writer) == 0
