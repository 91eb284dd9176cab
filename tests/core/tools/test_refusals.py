"""What holds for any call at all: all or nothing, and every problem named at once (6, 6.8, 6.9)."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime, timedelta

import pytest
from calling import REFUSED, RIGHT, TAKES, picture, problems
from hypothesis import given, settings
from hypothesis import strategies as st

from heartbeat_adapters.json_text import read
from heartbeat_adapters.testing import Bench, MemoryReminderStore
from heartbeat_core.reminders.reminder import Reminder

STATUS, CONFIGURE, TRIGGER, ADD, UPDATE, LIST, CANCEL = TAKES

NOW = datetime(2026, 1, 1, tzinfo=UTC)

at_leisure = settings(deadline=None)

NOT_A_NUMBER: list[object] = ["5", "soon", True, -1, 1e12, [], {}, float("nan"), float("inf")]
WRONG: dict[str, list[object]] = {
    "message": ["", " ", 5, True, "q" * 100_001],
    "atIso": ["tomorrow", "2026", "", 5, False],
    "paused": [1, "true", "no", []],
    "deliveryMode": ["loud", "", 1, True],
    "activeHours": ["day", "8-22", "", 5, True, "08:00-08:00"],
    "activeDays": [["day"], "MO", [1], 5, True],
    "nextAtIso": ["tomorrow", "2026", "", 5, False],
    "history": ["5", 51, -1, 1.5, True, []],
    "id": [1, False, ["rem_1"]],
    "rrule": [5, "", "FREQ=HOURLY", "weekdays at nine", ["FREQ=DAILY"]],
    "timezone": [5, "", "Mars/Olympus", True],
    "count": [-1, 1.5, "5", True, []],
    "until": ["tomorrow", "2026", "", 5, False],
}
NEXT_IN = {"nextInSeconds", "nextInMinutes", "nextInHours"}
SLIPS = {
    CONFIGURE: ["mode", "Paused", "intervalSecs", "mesage", "every_hours", "ID", "interval"],
    ADD: ["Message", "in_minutes", "everyHour", "atISO", "intervalHours", "Paused", "ID"],
    UPDATE: ["ids", "Message", "in_minutes", "everyHour", "rule", "counts", "intervalHours"],
    CANCEL: ["ids", "ID", "inMinutes", "delivery"],
    STATUS: ["Message", "everyHours"],
    TRIGGER: ["paused", "iso"],
    LIST: ["ID", "intervals"],
}
WORDS = {tool: ["days", "cron", "end", "everyWeeks", "tz"] for tool in (CONFIGURE, ADD, UPDATE)}
DELAY = {"inSeconds", "inMinutes", "inHours"}
EVERY = {"everySeconds", "everyMinutes", "everyHours"}
IGNORED = ["note", "verbose", "why", "x"]

json_values = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(),
        st.floats(allow_nan=False, allow_infinity=False),
        st.text(max_size=9),
    ),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)
any_name = st.one_of(
    st.sampled_from([name for names in TAKES.values() for name in names]),
    st.sampled_from([*WORDS[ADD], *IGNORED, *SLIPS[ADD], *SLIPS[CONFIGURE]]),
    st.text(max_size=12),
)
any_value = st.one_of(
    json_values, st.sampled_from([60, 1.5, "tea", "silent", True, "2026-02-01", "rem_1", *NOT_A_NUMBER])
)
any_arguments = st.one_of(st.dictionaries(any_name, any_value, max_size=8), json_values)


def a_lived_in_bench() -> Bench:
    """A heartbeat with reminders in every state: waiting, overdue with its wake out, held, recurring."""
    bench = Bench()
    for delay in (1, 2, 3600):
        bench.call(ADD, message="tea", inSeconds=delay)
    bench.call(ADD, message="plants", everyHours=24)
    bench.pass_time(seconds=2)
    bench.refuse(bench.sent()[0])
    return bench


# All or nothing


@given(st.sampled_from(list(TAKES)), any_arguments)
@at_leisure
def test_a_refused_call_changes_nothing_in_memory_stores_and_clock(tool: str, arguments: object) -> None:
    """6"""
    bench = a_lived_in_bench()
    before = picture(bench)
    reply = bench.toolbox.call(tool, arguments)
    if reply.is_error:
        assert picture(bench) == before
    assert reply.is_error is (reply.text.startswith(REFUSED) or "has the id" in reply.text)


@given(st.sampled_from(list(TAKES)), any_arguments)
@at_leisure
def test_every_reply_is_a_text_of_lines_that_any_host_can_carry(tool: str, arguments: object) -> None:
    """6, 2.1"""
    text = Bench().toolbox.call(tool, arguments).text
    text.encode()
    assert len(text) < 20_000
    assert text.splitlines() == text.split("\n")
    assert all(line.strip() for line in text.split("\n"))


@given(st.sampled_from(list(TAKES)), st.dictionaries(any_name, any_value, max_size=8), st.data())
@at_leisure
def test_the_order_of_the_keys_does_not_matter(
    tool: str, arguments: dict[str, object], data: st.DataObject
) -> None:
    """6.9: nothing but the order of the lines follows from it."""
    shuffled = {key: arguments[key] for key in data.draw(st.permutations(list(arguments)))}
    one, other = Bench(), Bench()
    first, second = one.toolbox.call(tool, arguments), other.toolbox.call(tool, shuffled)
    assert first.is_error is second.is_error
    assert picture(one) == picture(other)
    assert len(first.text) == len(second.text)
    assert sorted(words_of(first.text)) == sorted(words_of(second.text))


def words_of(text: str) -> list[str]:
    return re.findall(r"\w+", text)


@given(st.sampled_from(list(TAKES)), st.dictionaries(any_name, any_value, max_size=8))
@at_leisure
def test_null_beside_it_changes_nothing_about_a_call(tool: str, arguments: dict[str, object]) -> None:
    """6.8"""
    nulls = dict.fromkeys([*TAKES[tool], "days", "mode", "note", "ID"])
    with_nulls = {**nulls, **arguments}
    order = {key: with_nulls[key] for key in [*arguments, *nulls]}
    assert Bench().toolbox.call(tool, order) == Bench().toolbox.call(tool, arguments)


@given(st.sampled_from(list(TAKES)), st.dictionaries(any_name, json_values, max_size=8))
@at_leisure
def test_what_the_wire_makes_of_a_call_is_judged_the_same(tool: str, arguments: dict[str, object]) -> None:
    """2.2, 6.8"""
    there = Bench().toolbox.call(tool, read(json.dumps(arguments)))
    assert there == Bench().toolbox.call(tool, json.loads(json.dumps(arguments)))


# Every problem at once


def wrong_values(tool: str, name: str) -> list[object]:
    """Values that are wrong in every call: those that ask for nothing are so only where nothing else asks."""
    values = WRONG.get(name, NOT_A_NUMBER)
    return values if (tool, name) == (ADD, "message") else [it for it in values if it not in ("", " ", [])]


@st.composite
def planted(draw: st.DrawFn) -> tuple[str, dict[str, object], set[str]]:
    """A tool, a call of it, and the names in it that have something wrong."""
    tool = draw(st.sampled_from(list(TAKES)))
    right = dict(RIGHT[tool])
    wrong: dict[str, object] = {
        name: draw(st.sampled_from(wrong_values(tool, name)))
        for name in draw(st.sets(st.sampled_from(TAKES[tool])) if TAKES[tool] else st.just(set()))
    }
    odd: set[str] = draw(st.sets(st.sampled_from([*SLIPS[tool], *WORDS.get(tool, [])])))
    ignored = draw(st.sets(st.sampled_from(IGNORED)))
    if tool == ADD and "atIso" in wrong:
        right.pop("everyHours")
    members = {**right, **wrong, **dict.fromkeys(odd, 5), **dict.fromkeys(ignored, 5)}
    order = draw(st.permutations(list(members)))
    return tool, {name: members[name] for name in order}, set(wrong) | odd


def contradictions(tool: str, sent: set[str]) -> int:
    """How many pairs of what was sent say the same thing twice."""
    if tool == CONFIGURE:
        return bool("nextAtIso" in sent and NEXT_IN & sent)
    in_reminders = tool in (ADD, UPDATE)
    first = "atIso" in sent and DELAY & sent
    often = "rrule" in sent and EVERY & sent
    end = {"count", "until"} <= sent
    return in_reminders * sum(map(bool, (first, often, end)))


@given(planted())
@at_leisure
def test_every_refusal_names_every_problem_that_was_planted_and_no_other(
    call: tuple[str, dict[str, object], set[str]],
) -> None:
    """6, 6.8, 6.9"""
    tool, arguments, wrong = call
    store = MemoryReminderStore([Reminder("rem_kept", "tea", NOW, NOW + timedelta(hours=1))])
    said = problems(Bench(reminder_store=store), tool, arguments)
    starts = {re.split(r"[ :]", line)[0] for line in said if " both say " not in line}
    assert starts == wrong
    assert len(said) == len(wrong) + contradictions(tool, set(arguments))


def test_problems_of_every_kind_come_together() -> None:
    """6"""
    sent = {
        "days": 2,
        "in_minutes": 5,
        "paused": True,
        "message": " ",
        "inHours": "1",
        "inSeconds": 0,
        "atIso": "tomorrow",
        "everySeconds": 1,
        "note": "x",
        7: "x",
    }
    assert [line.split()[0] for line in problems(Bench(), ADD, sent)] == [
        "7",
        "days",
        "in_minutes",
        "paused",
        "message",
        "inHours",
        "everySeconds",
        "inSeconds",
        "atIso",
    ]


def test_an_unknown_id_is_named_beside_what_else_is_wrong() -> None:
    """6, 11.1"""
    said = problems(Bench(), UPDATE, {"id": "rem_no", "atIso": "tomorrow", "count": 2, "until": "2027-01-01"})
    assert [line.split(";")[0] for line in said[:2]] == [
        "atIso is not an ISO 8601 date or date and time",
        "count and until both say when it ends",
    ]
    assert said[2].startswith('No pending reminder has the id "rem_no". It may have been heard already. ')
    assert len(said) == 3


def test_what_else_is_wrong_is_named_where_the_id_is_missing() -> None:
    """6, 11.1"""
    said = problems(Bench(), UPDATE, {"timezone": "Mars"})
    assert [line.split()[0] for line in said] == ["id", "timezone"]


@pytest.mark.parametrize("tool", TAKES)
def test_a_refusal_says_too_what_was_ignored_and_what_the_tool_takes(tool: str) -> None:
    """6.9"""
    reply = Bench().toolbox.call(tool, {"note": 1, SLIPS[tool][0]: 1})
    assert reply.is_error
    assert reply.text.splitlines()[-1].startswith(f"Note: note was ignored; {tool} takes ")
