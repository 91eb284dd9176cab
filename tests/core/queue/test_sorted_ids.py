"""The order in which reminders are kept, and what keeping it costs: in comparisons, as on every machine."""

from __future__ import annotations

from math import log2

from heartbeat_core.queue.sorted_ids import SortedIds

MANY = 1_000
FEW_COMPARISONS = 4 * log2(MANY)


class Key:
    """A number that counts how often any two are compared."""

    compared = 0

    def __init__(self, number: float) -> None:
        self.number = number

    def __lt__(self, other: Key) -> bool:
        Key.compared += 1
        return self.number < other.number

    def __eq__(self, other: object) -> bool:
        Key.compared += 1
        return isinstance(other, Key) and self.number == other.number

    __hash__ = None  # type: ignore[assignment]


def many() -> SortedIds[Key]:
    ids: SortedIds[Key] = SortedIds()
    ids.add_all((Key(number), f"rem_{number}") for number in reversed(range(MANY)))
    Key.compared = 0
    return ids


def test_ids_come_in_order_of_their_keys_however_they_were_added() -> None:
    """7.4"""
    ids = many()
    ids.add(Key(0.5), "rem_between")
    assert list(ids)[:3] == ["rem_0", "rem_between", "rem_1"]
    assert len(ids) == MANY + 1


def test_one_more_or_one_less_among_many_costs_as_the_logarithm() -> None:
    ids = many()
    ids.add(Key(500.5), "rem_new")
    assert Key.compared <= FEW_COMPARISONS
    Key.compared = 0
    ids.remove(Key(500.5), "rem_new")
    assert Key.compared <= FEW_COMPARISONS


def test_none_more_among_many_costs_nothing() -> None:
    """7.3: each change lets those be tried again that are held, which mostly are none."""
    ids = many()
    ids.add_all(())
    assert Key.compared == 0
