"""Unknown argument names weighed against known ones: which are slips, and for what (6.9, a to d)."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

_COMMON = ("count", "until", "rrule")
"""Common in other people's words too: these count for the same name, for one edit, and for a part (10.10)."""

_HOLDS = 4
"""How far away (c) and (d) count: further than any number of edits that (b) allows."""


@dataclass(frozen=True, slots=True)
class Slip:
    """A name that the tool does not take, and the known names it was probably meant to be, best first.

    `meant` are names that this tool takes. Only where there are none, `elsewhere` has names that
    other tools take.
    """

    sent: str
    meant: tuple[str, ...]
    elsewhere: tuple[str, ...] = ()


def find_slips(sent: Collection[str], known: Collection[str], elsewhere: Collection[str]) -> list[Slip]:
    """Find the slips among the names of one call, in the order sent.

    `sent` are all its names, those whose value is null left out; `known` the names that its tool
    takes; `elsewhere` the names that the other tools take; some may be in both. Of names equally close,
    the one that comes first in `known` or `elsewhere` comes first.
    """
    all_sent, own = set(sent), set(known)
    slips: list[Slip] = []
    for name in sent:
        if name in own:
            continue
        meant = _closest(name, known, all_sent, shortest=2)
        of_others = () if meant else _closest(name, elsewhere, all_sent, shortest=3)
        if meant or of_others:
            slips.append(Slip(name, meant, of_others))
    return slips


def _closest(name: str, known: Collection[str], sent: set[str], shortest: int) -> tuple[str, ...]:
    folded = name.casefold()
    distances = {real: _distance(folded, real.casefold(), real in sent, shortest) for real in known}
    close = {real: distance for real, distance in distances.items() if distance is not None}
    return tuple(sorted(close, key=close.__getitem__))


def _distance(name: str, known: str, known_is_sent: bool, shortest: int) -> int | None:
    """How far a name is from a known one, both with their case folded; None where it is no slip for it.

    Edits count for a known name of `shortest` letters or more.
    """
    if name == known:
        return 0
    most = _edits_allowed(known) if len(known) >= shortest else 0
    edits = next((edits for edits in range(1, most + 1) if _within(edits, name, known)), None)
    if edits is not None:
        return edits
    is_part = len(name) >= 3 and name in known
    holds_it = len(known) >= 3 and known in name and not known_is_sent and known not in _COMMON
    return _HOLDS if is_part or holds_it else None


def _edits_allowed(known: str) -> int:
    if len(known) <= 4 or known in _COMMON:
        return 1
    return 2 if len(known) <= 7 else 3


def _within(edits: int, one: str, other: str) -> bool:
    """Whether that few edits make one of the other: the Damerau-Levenshtein distance, unrestricted.

    It looks at the first place where they differ and tries what may have happened there. So the work
    for a pair of names is bounded by the few edits, not by their lengths.
    """
    if abs(len(one) - len(other)) > edits:
        return False
    pairs = enumerate(zip(one, other, strict=False))
    same = next((at for at, (mine, yours) in pairs if mine != yours), min(len(one), len(other)))
    one, other = one[same:], other[same:]
    if not one or not other:
        return True
    return edits > 0 and (
        _within(edits - 1, one[1:], other[1:])
        or _within(edits - 1, one[1:], other)
        or _within(edits - 1, one, other[1:])
        or _within_swapped(edits, one, other)
    )


def _within_swapped(edits: int, one: str, other: str) -> bool:
    """Whether it is so with the first letters swapped, what stood between them deleted or inserted."""
    return any(
        _within(edits - (i + j - 1), one[i + 1 :], other[j + 1 :])
        for i in range(1, edits + 1)
        for j in range(1, edits + 2 - i)
        if one[i : i + 1] == other[0] and other[j : j + 1] == one[0]
    )
