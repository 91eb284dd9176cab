"""What a check has found, step by step, and how that is shown: to people and to machines."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum

import click

_WIDTH = 100
_MARGIN = 18
_COLOURS = {"ok": "green", "note": "yellow", "failed": "red"}


class StepResult(Enum):
    """How a step came out. A note is for somebody to know; only what failed makes the check fail."""

    OK = "ok"
    NOTE = "note"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Finding:
    """One step: what was found, in words, and what to do about it. `details` are for machines."""

    step: str
    result: StepResult
    what: str
    to_do: str | None = None
    details: Mapping[str, object] = field(default_factory=dict)


def as_json(findings: Sequence[Finding]) -> str:
    """All of it as one JSON object."""
    steps = [
        {
            "step": finding.step,
            "verdict": finding.result.value,
            "what": finding.what,
            "toDo": finding.to_do,
            **finding.details,
        }
        for finding in findings
    ]
    return json.dumps({"ok": is_well(findings), "steps": steps}, indent=2)


def is_well(findings: Sequence[Finding]) -> bool:
    """Whether nothing failed."""
    return all(finding.result is not StepResult.FAILED for finding in findings)


def as_text(finding: Finding) -> str:
    """One step for a terminal; click leaves the colours out where there is none."""
    result = finding.result.value
    margin = click.style(f"{result:6} ", fg=_COLOURS[result], bold=True) + f"{finding.step:9}  "
    texts = [*finding.what.splitlines(), *([f"-> {finding.to_do}"] if finding.to_do else [])]
    lines = [line for text in texts for line in wrapped(text, _WIDTH - _MARGIN)]
    return margin + f"\n{' ' * _MARGIN}".join(lines)


def wrapped(text: str, width: int = _WIDTH) -> list[str]:
    """Lines of at most so many characters; paths and what else has no spaces stay whole."""
    return textwrap.wrap(text, width, break_on_hyphens=False, break_long_words=False) or [""]
