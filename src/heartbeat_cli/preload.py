"""What serving may need later and the start does not: loaded all the same, while nobody waits (1.2).

A package that is removed or replaced under a running server, as an upgrade or a cleared cache does, must
change nothing. These are modules that others import where they use them, and what libraries put off.
"""

from __future__ import annotations

# `traceback` loads some of these only for certain lines of code, `json` the codec only for certain files.
import ast  # noqa: F401
import encodings.utf_8_sig  # noqa: F401
import hashlib  # noqa: F401
import traceback
import unicodedata  # noqa: F401

import heartbeat_adapters.wire.push_events  # noqa: F401
from heartbeat_core.tools import Toolbox


def preload(toolbox: Toolbox) -> None:
    """Do once what would load something when it is first done."""
    for tool in toolbox:
        _ = tool.schema
    try:
        raise LookupError
    except LookupError:
        traceback.format_exc()
