"""`heartbeat-mcpl history`: what became of each wake, as a table, as JSON lines, or as a page (14.4)."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from itertools import islice

import click

from heartbeat_adapters.files.history_file import JsonLinesHistory
from heartbeat_adapters.files.system_calls import SystemCalls
from heartbeat_adapters.json_text import write
from heartbeat_adapters.system_time.zones import agent_zone
from heartbeat_cli.file_options import FileOptions, file_options, with_file_options
from heartbeat_core.history import HistoryLine
from heartbeat_core.keeping.history_records import history_record
from heartbeat_core.telling import history_words as words
from heartbeat_core.times.moments import AgentZone, NotATime, from_epoch_ms, parse_local, show

_LAST = 20
_UNITS = {"m": timedelta(minutes=1), "h": timedelta(hours=1), "d": timedelta(days=1)}


@click.command(name="history", short_help="See what became of each wake.")
@click.option("--last", type=click.IntRange(min=1), metavar="N", help=f"So many lines.  [default: {_LAST}]")
@click.option("--since", metavar="WHEN", help="Lines from then on: 24h, 7d, or a time, 2026-10-10T08:00.")
@click.option("--failures", is_flag=True, help="Only what did not reach the agent as it should.")
@click.option("--json", "for_machines", is_flag=True, help="Print the lines as they are kept.")
@click.option("--html", "page", metavar="FILE", help="Write a page to look at, all in one file.")
@with_file_options
@click.pass_context
def history(
    ctx: click.Context,
    last: int | None,
    since: str | None,
    failures: bool,
    for_machines: bool,
    page: str | None,
) -> None:
    """Show what became of each wake, oldest first: taken, refused, unanswered, and whatever else.

    Give it the files and the zone that the host gives the server, which may be running. A page shows all
    there is, unless told otherwise.
    """
    files = file_options(ctx)
    zone, _ = agent_zone(files.timezone)
    now = from_epoch_ms(SystemCalls.wall_clock_ns() // 1_000_000)
    start = None if since is None else _start(since, now, zone)
    most = last or (None if page is not None else _LAST)
    lines = list(_filtered(_newest_first(files), start, most, failures=failures))
    if page is not None:
        _write_page(page, lines, files, zone, now)
    elif for_machines:
        for line in reversed(lines):
            click.echo(write(history_record(line)))
    else:
        for text in table(lines, zone) if lines else [_nothing(files)]:
            _say(text)


def _newest_first(files: FileOptions) -> Iterator[HistoryLine]:
    return iter(()) if files.history_file is None else JsonLinesHistory(files.history_file).newest_first()


def _filtered(
    newest_first: Iterator[HistoryLine], start: datetime | None, last: int | None, *, failures: bool
) -> Iterable[HistoryLine]:
    """What all filters let through; nothing is read beyond the last of it."""
    lines = newest_first if start is None else words.since(newest_first, start)
    return islice((line for line in lines if not failures or line.ending in words.FAILURES), last)


def _start(text: str, now: datetime, zone: AgentZone) -> datetime:
    number, unit = text.strip()[:-1], _UNITS.get(text.strip()[-1:].lower())
    try:
        if unit is not None and number.isascii() and number.isdigit():
            return now - int(number) * unit
        return parse_local(text, zone)
    except (NotATime, OverflowError) as why:
        said = str(why) if isinstance(why, NotATime) else "reaches too far back"
        raise click.BadParameter(
            f"{text!r} {said}; write 24h, 7d, or a time as in 2026-10-10T08:00", param_hint="--since"
        ) from None


def _nothing(files: FileOptions) -> str:
    if files.history_file is None:
        return "No history is kept: --history-file turns it off, or names another file of the server."
    return f"Nothing to show in {files.history_file}."


def table(newest_first: list[HistoryLine], zone: AgentZone) -> Iterator[str]:
    """The table of lines, one or more, oldest first, and its sums."""
    rows = [_row(line, zone) for line in reversed(newest_first)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        yield "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
    yield ""
    yield from _sums(newest_first)


def _row(line: HistoryLine, zone: AgentZone) -> tuple[str, ...]:
    late = words.show_late(line.sent - line.due) if line.sent is not None else ""
    more = f" (stands for {line.missed} more)" if line.missed else ""
    return (
        show(line.at, zone),
        words.what(line),
        f"{late} late" if late else "not sent",
        words.result(line, zone) + more,
    )


def _sums(newest_first: list[HistoryLine]) -> Iterator[str]:
    """How many due moments came to which outcome, and how late their wakes were sent."""
    counts = words.outcomes(words.last_of_each_moment(newest_first))
    shown = ", ".join(f"{count} {ending.value}" for ending, count in counts.items())
    yield f"{sum(counts.values())} due: {shown}."
    if (late := words.lateness(newest_first)) is not None:
        yield f"Sent late by {words.show_late(late[0])} (median), {words.show_late(late[1])} (worst)."


def _write_page(
    path: str, newest_first: list[HistoryLine], files: FileOptions, zone: AgentZone, now: datetime
) -> None:
    from heartbeat_cli.history_page import coming_next, page

    text = page(newest_first, coming_next(files, zone, now), zone, now)
    try:
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
    except OSError as why:
        raise click.BadParameter(f"{path}: {why.strerror}", param_hint="--html") from None
    click.echo(f"{len(newest_first)} lines are shown in {os.path.abspath(path)}")


def _say(text: str) -> None:
    """Print what the terminal's encoding has, and `?` for the rest."""
    encoding = sys.stdout.encoding or "ascii"
    click.echo(text.encode(encoding, "replace").decode(encoding))
