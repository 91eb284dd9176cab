"""What the host has said to the attempts that carried one event id (4.11, 4.12)."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True)
class EventIdUse:
    """The attempts with one event id: how many were sent, and how many the host refused in so many words.

    `sent_before` says that an earlier process may have sent one too.
    """

    sent: int = 0
    refused: int = 0
    sent_before: bool = False

    def is_used_up(self, *, one_is_out: bool) -> bool:
        """Whether `duplicate` can only mean that the host refused this id and keeps it as seen (4.11).

        It is so where the host refused every attempt before the one that it now answers. Where the
        answer comes late, another attempt may be out, which was sent after that one.
        """
        earlier = self.sent - 1 - one_is_out
        return not self.sent_before and 0 < self.refused == earlier
