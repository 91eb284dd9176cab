"""A store of an embedder's own may raise, against its port: that becomes a trouble like any other (9.7)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, Protocol, TypeVar

from heartbeat_core.ports import Found, Trouble, TroubleKind

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)


class _Store(Protocol[T_co]):
    """What both storage ports have in common."""

    def load(self) -> Found[T_co]: ...
    def look(self) -> Found[T_co] | None: ...
    def close(self) -> None: ...


class GuardedStore(Generic[T]):
    """Calls a store, and gives as a value what it raises: no answer, wake or reminder is lost for it."""

    def __init__(self, store: _Store[T]) -> None:
        self._store = store
        self._refused: Trouble | None = None

    def load(self) -> Found[T]:
        """As the port has it; a store that raises is left alone from here on (8.4)."""
        try:
            return self._store.load()
        except Exception as error:
            text = f"the store could not be read ({_words(error)}), so nothing is saved there until a restart"
            self._refused = Trouble(TroubleKind.REFUSED, text)
            return Found(trouble=self._refused)

    def look(self) -> Found[T] | None:
        """As the port has it; a store that raises counts as one that nobody else has changed."""
        if self._refused is not None:
            return None
        try:
            return self._store.look()
        except Exception:  # the next save says what is wrong, where it lasts
            return None

    def save(self, save: Callable[[], Trouble | None]) -> Trouble | None:
        """Have saved with what `save` calls, unless the store may not be written to."""
        if self._refused is not None:
            return self._refused
        try:
            return save()
        except Exception as error:
            return Trouble(TroubleKind.NOT_SAVED, f"the store raised {_words(error)}")

    def close(self) -> Trouble | None:
        """As the port has it; what it raises is for the log alone, since no reply comes any more."""
        try:
            self._store.close()
        except Exception as error:
            return Trouble(TroubleKind.NOT_SAVED, f"the store raised {_words(error)} when it was closed")
        return None


def _words(error: Exception) -> str:
    return f"{type(error).__name__}: {error}".replace("\n", " ")
