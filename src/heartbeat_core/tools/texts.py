"""Arguments that are a message for the agent to read, and the words for what is none (6.2, 6.4, 6.8)."""

from __future__ import annotations

from typing import Annotated
from unicodedata import category

from pydantic import AfterValidator

from heartbeat_core.tools.values import fault

LONGEST_MESSAGE = 100_000
MESSAGE_ALLOWED = f"a text that is not blank, of at most {LONGEST_MESSAGE:,} characters"


def _message(text: str) -> str:
    if is_blank(text):
        raise fault("blank")
    if len(text) > LONGEST_MESSAGE:
        raise fault("too long")
    return text


def is_blank(text: str) -> bool:
    """Whether a text has nothing to see in it: spaces, control and format characters at most."""
    return all(char.isspace() or category(char) in ("Cc", "Cf") for char in text)


# Neither bound is in the schema: hosts that make a grammar of it (llama.cpp) refuse a pattern that is not
# anchored, and so many repetitions. The descriptions say both.
Message = Annotated[str, AfterValidator(_message)]
