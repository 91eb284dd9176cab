"""How much is measured, on whom, and where: what all rows are told."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from measuring.contestant import Contestant


@dataclass(frozen=True, slots=True)
class Plan:
    """`quick` is for seeing that everything runs, and gives figures that mean little."""

    folder: Path
    ours: Contestant
    other: Contestant | None = None
    quick: bool = False
    operations: int = 12_000

    def pick(self, full: int, quick: int) -> int:
        """A number of runs, or of anything else."""
        return quick if self.quick else full

    @property
    def sizes(self) -> tuple[int, ...]:
        """How many reminders there are while something is measured."""
        return (0, 100, 1_000) if self.quick else (0, 1_000, 10_000, 100_000)

    @property
    def contestants(self) -> list[Contestant]:
        """This server, and the other where one is given."""
        return [self.ours] if self.other is None else [self.ours, self.other]


def rotated(rounds: int, names: list[str]) -> Iterator[list[str]]:
    """Give an order for each round, so that none is always first."""
    for number in range(rounds):
        turn = number % len(names)
        yield names[turn:] + names[:turn]
