"""How many beats of the schedule the agent has not heard since the last beat that was taken (13.1)."""

from __future__ import annotations

from itertools import islice

_MOST_KEPT = 64
"""How many groups are told apart; the oldest are added up, since a late answer to those is rare."""


class Unheard:
    """Counts beats by their place in the order in which they were begun.

    A beat that is taken, however late, takes back what came before it, and nothing that came after it.
    """

    def __init__(self) -> None:
        self._counts: dict[int, int] = {}
        self._taken = -1

    @property
    def count(self) -> int:
        """How many there are."""
        return sum(self._counts.values())

    def add(self, place: int, beats: int = 1) -> None:
        """So many beats at that place came to nothing, and are not tried any more."""
        if beats and place > self._taken:
            self._counts[place] = self._counts.get(place, 0) + beats
            if len(self._counts) > _MOST_KEPT:
                oldest, second = islice(self._counts, 2)
                self._counts[second] += self._counts.pop(oldest)

    def taken(self, place: int) -> None:
        """The beat at that place was heard."""
        self._taken = max(self._taken, place)
        self._counts = {at: beats for at, beats in self._counts.items() if at > place}
