"""What may happen to a store from outside, for the suites of both stores to play."""

from __future__ import annotations

from collections.abc import Callable

from heartbeat_adapters.testing.suites.playing import not_played


class StoreEvents:
    """Each of these concerns the place that the stores of one test are kept in."""

    def break_saving(self, why: str | None) -> None:
        """Make each save fail from here on, with `why` in what it says; None makes saves work again."""
        not_played(self, "break_saving")

    def ruin(self) -> None:
        """Play a stranger who leaves nothing there that can be used."""
        not_played(self, "ruin")

    def lose(self) -> None:
        """Play a stranger who removes what is there."""
        not_played(self, "lose")

    def occupy(self) -> Callable[[], None]:
        """Play another heartbeat that has the place; gives a function that ends it."""
        not_played(self, "occupy")
