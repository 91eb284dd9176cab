"""Three days of an agent on a fake clock, and a picture of what became of each of its wakes.

python scripts/history_picture.py history.svg
"""

from __future__ import annotations

import sys
from datetime import UTC, datetime, timedelta
from itertools import groupby
from pathlib import Path

from heartbeat_adapters.testing import Bench, FakeClock
from heartbeat_cli.history_marks import SHAPES, style
from heartbeat_core.history import Ending, HistoryLine, WakeKind
from heartbeat_core.telling.history_words import last_of_each_moment, outcomes
from heartbeat_core.wakes import Answer, Refused, Taken, Wake

WIDTH, LEFT, ROW = 860, 150, 58
MIDNIGHT = datetime(2026, 10, 5, tzinfo=UTC)


def lived() -> list[HistoryLine]:
    """A host that takes wakes, but for an evening on which it refuses and a night on which it is silent."""
    clock = FakeClock(MIDNIGHT)

    def host(wake: Wake) -> Answer | None:
        hours = (wake.sent_at - MIDNIGHT) / timedelta(hours=1)
        if 40 < hours < 44:
            return Refused("the agent is at its limit")
        return None if 44 < hours < 46.5 else Taken()

    bench = Bench(clock=clock, host=host)
    bench.call("heartbeat_configure", intervalMinutes=90, activeHours="07:00-23:00")
    bench.call("reminder_add", message="stand-up", rrule="FREQ=DAILY;BYHOUR=9;BYMINUTE=30")
    bench.call("reminder_add", message="look at the build", everyHours=5, expiresAfterMinutes=30)
    bench.pass_time(hours=30)
    bench.call("heartbeat_configure", intervalMinutes=60)
    bench.pass_time(hours=20)
    bench.deny()
    bench.pass_time(hours=4)
    bench.allow()
    bench.pass_time(hours=18)
    return last_of_each_moment(list(bench.history.newest_first()))


def drawn(moments: list[HistoryLine]) -> str:
    """The picture, as one SVG."""
    days = groupby(sorted(moments, key=lambda line: line.due), key=lambda line: line.due.date())
    rows = [_row(number, list(lines)) for number, (_, lines) in enumerate(days)]
    height = 74 + ROW * len(rows)
    hours = "".join(
        f'<text x="{_across(hour)}" y="62" class="faint" text-anchor="middle">{hour:02}</text>'
        for hour in range(0, 25, 6)
    )
    shapes = "".join(f'<g id="{ending.value}">{shape}</g>' for ending, shape in SHAPES.items())
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img" '
        f'aria-label="What became of each wake of three days"><style>{style()}{_TEXT}</style>'
        f'<defs>{shapes}</defs><rect width="{WIDTH}" height="{height}" rx="10" class="card"/>'
        f"{_legend(moments)}{hours}{''.join(rows)}</svg>\n"
    )


_TEXT = (
    "text{font:12px system-ui,sans-serif;fill:var(--ink)}.faint{fill:var(--faint)}"
    ".card{fill:var(--card);stroke:var(--line)}line{stroke:var(--line)}"
)


def _across(hours: float) -> float:
    return round(LEFT + (WIDTH - LEFT - 30) * hours / 24, 1)


def _legend(moments: list[HistoryLine]) -> str:
    parts, x = [], 24
    for ending, count in outcomes(moments).items():
        text = f"{count} {ending.value}"
        parts.append(f'{_mark(ending, x, 26)}<text x="{x + 12}" y="30">{text}</text>')
        x += 40 + 7 * len(text)
    return "".join(parts)


def _row(number: int, lines: list[HistoryLine]) -> str:
    top = 74 + ROW * number
    grid = "".join(
        f'<line x1="{_across(hour)}" x2="{_across(hour)}" y1="{top + 4}" y2="{top + ROW - 8}"/>'
        for hour in range(0, 25, 6)
    )
    day = f'<text x="24" y="{top + 24}">{lines[0].due:%a %Y-%m-%d}</text>'
    counts = f'<text x="24" y="{top + 40}" class="faint">{len(lines)} due</text>'
    marks = "".join(
        _mark(
            line.ending,
            _across((line.due - line.due.replace(hour=0, minute=0, second=0)) / timedelta(hours=1)),
            top + (37 if line.kind is WakeKind.REMINDER else 17),
        )
        for line in lines
    )
    return f'<line x1="16" x2="{WIDTH - 16}" y1="{top}" y2="{top}"/>{grid}{day}{counts}{marks}'


def _mark(ending: Ending, x: float, y: float) -> str:
    return f'<use href="#{ending.value}" class="{ending.value}" x="{x}" y="{y}"/>'


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(drawn(lived()), encoding="utf-8")
