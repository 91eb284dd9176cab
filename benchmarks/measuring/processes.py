"""What the kernel tells of a process: memory, processor time, how often it woke up."""

from __future__ import annotations

import os
from pathlib import Path

_TICKS = os.sysconf("SC_CLK_TCK")


def resident_mib(pid: int) -> float:
    """The memory that it holds, in MiB, pages of shared libraries included."""
    return _status(pid, "VmRSS:") / 1024


def wake_ups(pid: int) -> int:
    """How often it has waited for something until now: each wait that it was woken from counts."""
    return _status(pid, "voluntary_ctxt_switches:")


def processor_seconds(pid: int) -> float:
    """How long it has run until now, in user space and in the kernel."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / _TICKS


def _status(pid: int, name: str) -> int:
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith(name):
            return int(line.split()[1])
    raise LookupError(name)
