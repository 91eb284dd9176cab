"""The history as one page: each due moment on a line of time by day, in one file without scripts (14.4)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date, datetime, timedelta
from html import escape
from itertools import groupby
from operator import itemgetter

from heartbeat_adapters.files.file_contents import usable_reminders, usable_schedule
from heartbeat_adapters.system_time.zones import find_zone
from heartbeat_cli.check_files import look_at_reminders, look_at_schedule
from heartbeat_cli.file_options import FileOptions
from heartbeat_cli.history_marks import definitions, style
from heartbeat_core.history import Ending, HistoryLine, WakeKind
from heartbeat_core.schedule.ambient_schedule import DEFAULT_SCHEDULE
from heartbeat_core.telling import history_words as words
from heartbeat_core.times.moments import AgentZone, show

_DAY = timedelta(days=1)
_MOST_COMING = 20
_MOST_FAILURES = 100
_BEATS_AT, _REMINDERS_AT = 14, 33
"""Pixels from the top of a day's strip: heartbeats above, reminders below."""

Coming = tuple[str, datetime]
"""What comes, and when."""


def coming_next(files: FileOptions, zone: AgentZone, now: datetime) -> list[Coming]:
    """What the files say is coming, in order: the next heartbeat, and reminders by id."""
    coming: list[Coming] = []
    if (data := look_at_schedule(files.config_file, zone, now).data) is not None:
        schedule = usable_schedule(data, DEFAULT_SCHEDULE, zone).content
        if schedule is not None and schedule.next_beat is not None and not schedule.paused:
            coming.append(("heartbeat", schedule.next_beat))
    if (data := look_at_reminders(files.reminders_file, zone, now).data) is not None:
        reminders = usable_reminders(data, zone, find_zone).content or ()
        coming += [(reminder.id, reminder.due) for reminder in reminders]
    return sorted(coming, key=itemgetter(1))


def page(
    newest_first: Sequence[HistoryLine], coming: Sequence[Coming], zone: AgentZone, now: datetime
) -> str:
    """The page, as HTML."""
    return (
        '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        '<meta http-equiv="Content-Security-Policy" content="default-src \'none\';'
        "style-src 'unsafe-inline';img-src data:\">"
        '<link rel="icon" href="data:,"><title>heartbeat: what became of each wake</title>'
        f"<style>{style()}</style></head><body>"
        f"{_content(newest_first, coming, zone, now)}</body></html>\n"
    )


def _content(
    newest_first: Sequence[HistoryLine], coming: Sequence[Coming], zone: AgentZone, now: datetime
) -> str:
    """What the page shows, without the frame of a document."""
    moments = words.last_of_each_moment(newest_first)
    parts = [
        f"<h1>What became of each wake</h1><p>As of {escape(show(now, zone))}</p>",
        *_totals(newest_first, moments),
        *_coming(coming, zone),
        *_days(moments, zone),
        *_failures(moments, zone),
    ]
    return f"{definitions()}<main>{''.join(parts)}</main>"


def _totals(newest_first: Sequence[HistoryLine], moments: Sequence[HistoryLine]) -> Iterator[str]:
    counts = words.outcomes(moments)
    if not counts:
        yield "<h2>Nothing yet</h2><p>No wake was due so far, or no history is kept.</p>"
        return
    yield "<h2>Outcomes</h2>"
    if (late := words.lateness(newest_first)) is not None:
        median, worst = (words.show_late(each) for each in late)
        yield f"<p>Wakes were sent {median} after they were due (median), {worst} at worst.</p>"
    tiles = [
        f"<li><b>{count}</b>{_key(ending)}<span>{ending.value}</span></li>"
        for ending, count in counts.items()
    ]
    yield f'<ul class="tiles">{"".join(tiles)}</ul>'


def _key(ending: Ending) -> str:
    return (
        f'<svg class="key {ending.value}" viewBox="-7 -7 14 14" aria-hidden="true">'
        f'<use href="#{ending.value}"/></svg>'
    )


def _coming(coming: Sequence[Coming], zone: AgentZone) -> Iterator[str]:
    yield "<h2>Coming next</h2>"
    if not coming:
        yield "<p>Nothing: the heartbeat is paused or not set yet, and there is no reminder.</p>"
        return
    rows = [f"<li>{_time(due, zone)}{escape(words.one_line(name))}</li>" for name, due in coming]
    yield f'<ul class="list">{"".join(rows[:_MOST_COMING])}</ul>'
    if len(rows) > _MOST_COMING:
        yield f"<p>And {len(rows) - _MOST_COMING} more.</p>"


def _time(moment: datetime, zone: AgentZone) -> str:
    return f"<time>{escape(show(moment, zone))}</time>"


def _days(moments: Sequence[HistoryLine], zone: AgentZone) -> Iterator[str]:
    if not moments:
        return
    placed = sorted(((line.due.astimezone(zone.tzinfo), line) for line in moments), key=itemgetter(0))
    by_day = [(day, list(lines)) for day, lines in groupby(placed, key=lambda pair: pair[0].date())]
    hours = "".join(f"<span>{hour:02}</span>" for hour in range(0, 25, 6))
    yield "<h2>By day</h2><p>Heartbeats above, reminders below; the hour is that of the agent.</p>"
    yield f'<div class="days"><div class="row"><span></span><div class="hours">{hours}</div></div>'
    later: date | None = None
    for day, lines in reversed(by_day):
        between = 0 if later is None else (later - day).days - 1
        if between:
            yield f'<p class="gap">{between} day{"" if between == 1 else "s"} without any</p>'
        yield _day(day, lines, zone)
        later = day
    yield "</div>"


def _day(day: date, placed: Sequence[tuple[datetime, HistoryLine]], zone: AgentZone) -> str:
    counts = ", ".join(f"{n} {ending.value}" for ending, n in words.outcomes(p[1] for p in placed).items())
    lines = "".join(
        f'<line x1="{percent}%" x2="{percent}%" y1="0" y2="46"/>' for percent in (0, 25, 50, 75, 100)
    )
    marks = "".join(_mark(at, line, zone) for at, line in placed)
    return (
        f'<div class="row"><h3>{day:%a} {day.isoformat()}<small>{counts}</small></h3>'
        f'<svg role="group" aria-label="{day.isoformat()}: {counts}">{lines}{marks}</svg></div>'
    )


def _mark(at: datetime, line: HistoryLine, zone: AgentZone) -> str:
    midnight = at.replace(hour=0, minute=0, second=0, microsecond=0)
    across = 100 * (at.replace(tzinfo=None) - midnight.replace(tzinfo=None)) / _DAY
    down = _REMINDERS_AT if line.kind is WakeKind.REMINDER else _BEATS_AT
    text = escape(f"{words.what(line)}, due {show(line.due, zone)}: {words.result(line, zone)}")
    return (
        f'<use href="#{line.ending.value}" class="{line.ending.value}" x="{across:.2f}%" y="{down}" '
        f'role="img" aria-label="{text}"><title>{text}</title></use>'
    )


def _failures(moments: Sequence[HistoryLine], zone: AgentZone) -> Iterator[str]:
    """What did not reach the agent, newest first, in words."""
    failed = [line for line in moments if line.ending in words.FAILURES]
    if not failed:
        return
    rows = [
        f"<li>{_time(line.due, zone)}{_key(line.ending)}"
        f"{escape(words.what(line))}: {escape(words.result(line, zone))}</li>"
        for line in failed[:_MOST_FAILURES]
    ]
    yield f'<h2>What did not reach the agent</h2><ol class="list">{"".join(rows)}</ol>'
    if len(failed) > _MOST_FAILURES:
        yield f"<p>And {len(failed) - _MOST_FAILURES} more before these.</p>"
