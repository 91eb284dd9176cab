"""Which names a call may send: the table of 6.9, more of the same both ways, and the rules at random."""

from __future__ import annotations

import re

import pytest
from calling import REFUSED, RIGHT, TAKES, notes, picture, problems
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from heartbeat_adapters.testing import Bench
from heartbeat_core.tools import ALL_TOOLS

STATUS, CONFIGURE, TRIGGER, ADD, UPDATE, LIST, CANCEL = TAKES
UNSUPPORTED = {tool.name: tool.arguments.unsupported for tool in ALL_TOOLS}

at_leisure = settings(deadline=None)


def call_with(tool: str, names: str) -> dict[str, object]:
    """The arguments of these names, each with a value that is right where the tool takes it."""
    values: dict[str, object] = {
        "paused": True,
        "message": "tea",
        "deliveryMode": "silent",
        "atIso": "2026-02-01",
        "id": "rem_1",
    }
    taken = TAKES[tool]
    return {name: values.get(name, 60) if name in taken else 60 for name in names.split()}


# The table


@pytest.mark.parametrize(
    ("tool", "names", "said"),
    [
        (CONFIGURE, "mode", "mode is no argument of heartbeat_configure; did you mean deliveryMode?"),
        (CONFIGURE, "heartbeatIntervalMinutes", "did you mean intervalMinutes?"),
        (CONFIGURE, "paused pausedMessage", "pausedMessage is no argument of .* did you mean message?"),
        (CONFIGURE, "pausedReason", "pausedReason is no argument of .* did you mean paused?"),
        (CONFIGURE, "Paused paused", "Paused is no argument of .* did you mean paused?"),
        (CONFIGURE, "intervalMins", "did you mean intervalMinutes?"),
        (CONFIGURE, "interval", "did you mean intervalSeconds, intervalMinutes or intervalHours?"),
        (
            CONFIGURE,
            "everyHours paused",
            "everyHours is no argument of .*, but of reminder_add and reminder_update; .* takes",
        ),
        (CONFIGURE, "note", "does not take note, and nothing else was sent; it takes intervalSeconds, .*"),
        (
            TRIGGER,
            "message",
            "but of heartbeat_configure, reminder_add and reminder_update; .* takes no arguments",
        ),
        (ADD, "message inHours inMinutess", "inMinutess is no argument of .*; did you mean inMinutes?"),
    ],
)
def test_what_the_table_refuses_is_refused_with_one_line(tool: str, names: str, said: str) -> None:
    """6.9"""
    (problem,) = problems(Bench(), tool, call_with(tool, names))
    assert re.search(said.replace("?", r"\?"), problem)


def test_a_missing_argument_and_the_name_sent_for_it_are_both_named() -> None:
    """6.9, the last row"""
    missing, not_taken = problems(Bench(), CANCEL, {"reminderId": "rem_1"})
    assert missing.startswith("id is missing; it must be a text")
    assert not_taken == "reminder_cancel does not take reminderId, and nothing else was sent; it takes id"


def test_a_name_that_is_ignored_is_said_and_the_rest_of_the_call_applies() -> None:
    """6.9"""
    bench = Bench()
    reply = bench.call(CONFIGURE, paused=True, pausedReason="night")
    assert reply.text.startswith("Updated. Heartbeat PAUSED | ")
    assert reply.text.endswith(
        "\nNote: pausedReason was ignored; heartbeat_configure takes intervalSeconds, intervalMinutes, "
        "intervalHours, paused, deliveryMode, message, activeHours, activeDays, nextInSeconds, "
        "nextInMinutes, nextInHours, nextAtIso."
    )
    assert not reply.is_error


@pytest.mark.parametrize("tool", [LIST, TRIGGER])
def test_a_tool_that_takes_nothing_ignores_what_is_no_slip(tool: str) -> None:
    """6.9"""
    assert notes(Bench(), tool, {"verbose": True}) == [f"verbose was ignored; {tool} takes no arguments."]


def test_a_tool_that_needs_nothing_ignores_what_is_no_slip_and_says_what_it_takes() -> None:
    """6.9, 14.3"""
    assert notes(Bench(), STATUS, {"verbose": True}) == [
        "verbose was ignored; heartbeat_status takes history."
    ]


# More of the same, both ways


@pytest.mark.parametrize(
    ("tool", "names", "meant"),
    [
        (CONFIGURE, "Message", "message"),
        (CONFIGURE, "MESSAGE", "message"),
        (CONFIGURE, "deliverymode", "deliveryMode"),
        (CONFIGURE, "delivery", "deliveryMode"),
        (CONFIGURE, "delivery_mode", "deliveryMode"),
        (CONFIGURE, "interval_seconds", "intervalSeconds"),
        (CONFIGURE, "intervalSecs", "intervalSeconds"),
        (CONFIGURE, "intervalSec", "intervalSeconds"),
        (CONFIGURE, "intervalHour", "intervalHours"),
        (CONFIGURE, "hours", "intervalHours, activeHours or nextInHours"),
        (CONFIGURE, "minutes", "intervalMinutes or nextInMinutes"),
        (CONFIGURE, "atIso", "nextAtIso"),
        (CONFIGURE, "inMinutes", "nextInMinutes"),
        (CONFIGURE, "seconds", "intervalSeconds or nextInSeconds"),
        (CONFIGURE, "pause", "paused"),
        (CONFIGURE, "isPaused", "paused"),
        (CONFIGURE, "puased", "paused"),
        (CONFIGURE, "mesage", "message"),
        (CONFIGURE, "messageText message paused Mode", "deliveryMode"),
        (CONFIGURE, "intervalMinutess intervalMinutes", "intervalMinutes"),
        (ADD, "message every", "everySeconds, everyMinutes or everyHours"),
        (ADD, "message in_minutes", "inMinutes"),
        (ADD, "message minutes", "inMinutes, everyMinutes or expiresAfterMinutes"),
        (ADD, "message hours", "inHours, everyHours or expiresAfterHours"),
        (ADD, "message every_hours", "everyHours"),
        (ADD, "message everyHour", "everyHours"),
        (ADD, "message atISO", "atIso"),
        (ADD, "message at_iso", "atIso"),
        (ADD, "message iso", "atIso"),
        (ADD, "message atIsoTime", "atIso"),
        (ADD, "message inSecs", "inSeconds"),
        (ADD, "message delayInMinutes", "inMinutes"),
        (ADD, "msgs", "message"),
        (ADD, "reminderMessage", "message"),
        (CANCEL, "ID", "id"),
        (CANCEL, "Id", "id"),
        (CANCEL, "ids", "id"),
        (CANCEL, "_id", "id"),
    ],
)
def test_a_slip_names_what_was_probably_meant(tool: str, names: str, meant: str) -> None:
    """6.9 (a) to (d)"""
    said = problems(Bench(), tool, call_with(tool, names))
    if names == "msgs":  # too far from `message`: no slip, and the tool needs what is missing
        assert said[0].startswith("message is missing")
    else:
        assert any(line.endswith(f"did you mean {meant}?") for line in said)


@pytest.mark.parametrize(
    ("tool", "name", "home"),
    [
        (STATUS, "message", "heartbeat_configure, reminder_add and reminder_update"),
        (STATUS, "id", "reminder_update and reminder_cancel"),
        (STATUS, "paused", "heartbeat_configure"),
        (TRIGGER, "deliveryMode", "heartbeat_configure"),
        (LIST, "id", "reminder_update and reminder_cancel"),
        (LIST, "atIso", "reminder_add and reminder_update"),
        (CONFIGURE, "id", "reminder_update and reminder_cancel"),
        (ADD, "paused", "heartbeat_configure"),
        (ADD, "intervalHours", "heartbeat_configure"),
        (ADD, "id", "reminder_update and reminder_cancel"),
        (CANCEL, "message", "heartbeat_configure, reminder_add and reminder_update"),
        (CANCEL, "inHours", "reminder_add and reminder_update"),
    ],
)
def test_an_argument_of_another_tool_is_refused_and_its_tool_named(tool: str, name: str, home: str) -> None:
    """6.9"""
    bench = Bench()
    said = problems(bench, tool, {**RIGHT[tool], name: 60})
    assert len(said) == 1
    assert said[0].startswith(f"{name} is no argument of {tool}, but of {home}; {tool} takes ")


@pytest.mark.parametrize(
    ("tool", "name", "like"),
    [
        (STATUS, "Paused", "paused of heartbeat_configure"),
        (TRIGGER, "msg_message", "message of heartbeat_configure, reminder_add and reminder_update"),
        (LIST, "atiso", "atIso of reminder_add and reminder_update or nextAtIso of heartbeat_configure"),
        (CONFIGURE, "every_hours", "everyHours of reminder_add and reminder_update"),
        (CONFIGURE, "ID", "id of reminder_update and reminder_cancel"),
        (ADD, "delivery", "deliveryMode of heartbeat_configure"),
        (CANCEL, "mode", "deliveryMode of heartbeat_configure"),
    ],
)
def test_what_looks_like_an_argument_of_another_tool_is_refused(tool: str, name: str, like: str) -> None:
    """6.9"""
    (problem,) = problems(Bench(), tool, {**RIGHT[tool], name: 60})
    assert f"; it looks like {like}; {tool} takes " in problem


@pytest.mark.parametrize(
    ("tool", "name"),
    [
        (STATUS, "weeks"),
        (STATUS, "hourly"),
        (STATUS, "_id"),
        (LIST, "limit"),
        (LIST, "counter"),
        (LIST, "ids"),
        (TRIGGER, "now"),
        (CONFIGURE, "cronExpression"),
        (CONFIGURE, "note"),
        (CONFIGURE, "reason"),
        (CONFIGURE, "in"),
        (CONFIGURE, "enabled"),
        (ADD, "cronExpression"),
        (ADD, "title"),
        (ADD, "priority"),
        (ADD, "in"),
        (ADD, "days of week"),
        (ADD, "startTime"),
        (CANCEL, "reason"),
        (CANCEL, "reminderId"),
        (CANCEL, "counter"),
        (CANCEL, ""),
    ],
)
def test_a_name_that_is_no_slip_is_ignored_beside_what_the_tool_takes(tool: str, name: str) -> None:
    """6.9"""
    bench = Bench()
    kept = bench.call(ADD, message="tea", inHours=1).text.split()[1]
    arguments = {key: kept if key == "id" else value for key, value in RIGHT[tool].items()}
    reply = bench.toolbox.call(tool, {**arguments, name: 60})
    assert not reply.is_error
    assert f"{name or chr(34) * 2}" in reply.text.split("Note: ")[-1]


WORDS = """
    days weeks months years cron tz times at when date time start end repeat
    inDays everyDays intervalDays inWeeks everyWeeks intervalWeeks inMonths everyMonths intervalMonths inYears
    everyYears intervalYears day week month year everyDay inWeek Days DAYS every_days in-weeks
    every_day interval_week TZ starts ends repeats dates crons In_Months
"""


ON_THE_CALENDAR = "rrule timezone until count RRULE time_zone timezones counts"
"""Arguments of `reminder_add`, which have no sense for the beats."""


@pytest.mark.parametrize(
    ("tool", "word"),
    [
        *((tool, word) for tool in (ADD, UPDATE, CONFIGURE) for word in WORDS.split()),
        *((CONFIGURE, word) for word in ON_THE_CALENDAR.split()),
    ],
)
def test_a_time_that_no_argument_can_say_is_refused_with_what_to_use(tool: str, word: str) -> None:
    """6.9"""
    (problem,) = problems(Bench(), tool, {**RIGHT[tool], word: 60})
    shown = f'"{word}"' if "-" in word else word
    assert re.match(rf"{shown} is not supported: .{{20}}", problem)


def test_a_word_for_a_time_is_no_slip_even_where_it_is_close_to_an_argument() -> None:
    """6.9: the advice is worth more than the name of the nearest argument."""
    assert problems(Bench(), CONFIGURE, {"intervalDays": 1}) == [
        "intervalDays is not supported: use intervalHours, 24 for each day"
    ]


@pytest.mark.parametrize("name", ["every days", "in.weeks", "start?", "$cron"])
def test_a_word_for_a_time_is_known_whatever_stands_between_its_letters(name: str) -> None:
    """6.9"""
    (problem,) = problems(Bench(), ADD, {**RIGHT[ADD], name: 60})
    assert problem.startswith(f'"{name}" is not supported: ')


@pytest.mark.parametrize("name", ["tz", "timezone", "TimeZone", "time_zone"])
def test_a_zone_for_the_heartbeat_is_answered_with_what_to_use(name: str) -> None:
    """6.9"""
    (problem,) = problems(Bench(), CONFIGURE, {**RIGHT[CONFIGURE], name: "Europe/Berlin"})
    assert problem == (
        f"{name} is not supported: leave it out, since an interval is the same in every time zone, and "
        "active hours are in your own; for a wake at a time of day in another zone use reminder_add, with "
        "rrule and timezone"
    )


@pytest.mark.parametrize("tool", [ADD, CONFIGURE])
def test_each_word_for_a_time_is_answered_with_what_to_use(tool: str) -> None:
    """6.9"""
    takes = re.compile("|".join([*(f"{name}" for name in TAKES[tool]), "reminder_add", "reminder_cancel"]))
    assert not [word for word, advice in UNSUPPORTED[tool].items() if not takes.search(advice)]


NOTHING_ASKED = [False, 0, 0.0, "", " \t", "\u200b", []]


@pytest.mark.parametrize("value", NOTHING_ASKED, ids=repr)
@pytest.mark.parametrize("word", ["days", "cron", "repeat", "every_days", "intervalYears", "tz", "end"])
@pytest.mark.parametrize("tool", [ADD, CONFIGURE])
def test_a_word_for_a_time_that_asks_for_nothing_is_ignored_and_the_rest_applies(
    tool: str, word: str, value: object
) -> None:
    """6.9"""
    reply = Bench().toolbox.call(tool, {**RIGHT[tool], word: value})
    assert not reply.is_error
    assert f"\nNote: {word} was ignored; {tool} takes " in reply.text


@pytest.mark.parametrize("value", [True, 1, -1, 0.001, "0", "false", "x", [0], [""], {}], ids=repr)
@pytest.mark.parametrize("tool", [ADD, CONFIGURE])
def test_a_word_for_a_time_that_asks_for_something_is_refused(tool: str, value: object) -> None:
    """6.9"""
    (problem,) = problems(Bench(), tool, {**RIGHT[tool], "repeat": value})
    assert problem.startswith("repeat is not supported: ")


def test_a_slip_that_asks_for_nothing_stays_a_slip() -> None:
    """6.8"""
    (problem,) = problems(Bench(), CONFIGURE, {**RIGHT[CONFIGURE], "pause": False})
    assert problem.endswith("did you mean paused?")


def test_a_word_for_a_time_that_asks_for_nothing_is_all_that_was_sent() -> None:
    """6.9"""
    (problem,) = problems(Bench(), CONFIGURE, {"cron": ""})
    assert problem.startswith("heartbeat_configure does not take cron, and nothing else was sent; it takes ")


@pytest.mark.parametrize("tool", [STATUS, TRIGGER, LIST, CANCEL])
def test_other_tools_know_no_words_for_a_time(tool: str) -> None:
    """6.9: there they are ignored as any name is"""
    assert UNSUPPORTED[tool] == {}


def test_a_word_for_a_time_alone_is_refused_for_that_word() -> None:
    """6.9"""
    assert problems(Bench(), CONFIGURE, {"cron": "0 8 * * *"})[0].startswith("cron is not supported: ")


@pytest.mark.parametrize("tool", TAKES)
def test_no_word_for_a_time_is_an_argument_or_has_no_advice(tool: str) -> None:
    """6.9"""
    known = {name.lower() for name in TAKES[tool]}
    assert not known & set(UNSUPPORTED[tool])
    assert all(advice.strip() and "\n" not in advice for advice in UNSUPPORTED[tool].values())


@pytest.mark.parametrize("name", ["counts", "unti", "rule", "Count", "RRULE", "cuont", "unt"])
def test_a_name_near_to_one_that_is_common_elsewhere_is_a_slip_for_it(name: str) -> None:
    """10.10"""
    (problem,) = problems(Bench(), ADD, {**RIGHT[ADD], name: 5})
    assert re.search(r"did you mean .*(count|until|rrule)\?", problem)


@pytest.mark.parametrize(
    "name", ["discount", "countdown", "account", "untilled", "rrules_text", "until_then"]
)
def test_a_longer_name_that_holds_one_that_is_common_elsewhere_is_none(name: str) -> None:
    """10.10"""
    reply = Bench().toolbox.call(ADD, {**RIGHT[ADD], name: 5})
    assert not reply.is_error
    assert f"\nNote: {name} was ignored; " in reply.text


# null, and names that are hardly names


def test_null_is_not_sent_whatever_the_name() -> None:
    """6.8"""
    bench = Bench()
    sent: dict[str, object] = dict.fromkeys(["mode", "days", "note", "intervalHours", "everyHours"])
    assert bench.toolbox.call(CONFIGURE, sent).text.startswith("No changes. ")
    assert "Note" not in bench.toolbox.call(STATUS, {"verbose": None}).text
    assert problems(bench, CONFIGURE, {"note": 1, "paused": None})  # still: nothing else was sent


def test_a_known_name_sent_as_null_does_not_excuse_a_longer_one() -> None:
    """6.8, 6.9 (d)"""
    (problem,) = problems(
        Bench(), CONFIGURE, {"pausedReason": "night", "paused": None, "deliveryMode": "silent"}
    )
    assert problem.endswith("did you mean paused?")


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("two words", '"two words"'),
        ("", '""'),
        ("a\nb", r'"a\nb"'),
        ("a\u2028b", r'"a\u2028b"'),
        ("a\x85b", r'"a\x85b"'),
        ("naïve", "naïve"),
        ("\ud800", '"\ufffd"'),
        ("q" * 61, f'"{"q" * 60}…" (the first 60 of 61 characters)'),
    ],
)
def test_odd_names_are_shown_on_one_line_and_cut(name: str, shown: str) -> None:
    """6.9"""
    (note,) = notes(Bench(), STATUS, {name: 1})
    assert note == f"{shown} was ignored; heartbeat_status takes history."


def test_names_that_are_no_texts_are_refused() -> None:
    """An agent in the same process can send what JSON cannot."""
    said = problems(Bench(), STATUS, {5: 1, ("a", 1): 2, None: 3, object(): 4, 6: None})
    assert said == [
        "5 is no name of an argument: it must be a text",
        '["a",1] is no name of an argument: it must be a text',
        "null is no name of an argument: it must be a text",
        "what was sent is no name of an argument: it must be a text",
    ]


# Very many


@pytest.mark.parametrize("tool", TAKES)
@pytest.mark.parametrize("start", ["n", "paused"], ids=["ignored", "slips"])
def test_a_thousand_names_of_a_thousand_letters_get_a_reply_that_no_host_cuts(tool: str, start: str) -> None:
    """6.9"""
    sent: dict[str, object] = {f"{start}{number}".ljust(1000, "q"): 1 for number in range(1000)}
    reply = Bench().toolbox.call(tool, {**RIGHT[tool], **sent})
    assert "950 more" in reply.text
    assert len(reply.text) < 20_000


def test_names_in_thousands_do_not_hide_what_else_is_wrong() -> None:
    """6.9"""
    sent: dict[str, object] = {f"paused{number}": 1 for number in range(1000)}
    said = problems(Bench(), CONFIGURE, {**sent, "intervalHours": -1})
    assert said[-2] == "950 more names are refused like these"
    assert said[-1].startswith("intervalHours must be a number")


@pytest.mark.parametrize("tool", TAKES)
def test_more_names_than_anybody_means_are_refused_unweighed(tool: str) -> None:
    """6.9: no wake can leave while names are weighed"""
    sent: dict[str, object] = {f"n{number}": 1 for number in range(200_000)}
    reply = Bench().toolbox.call(tool, {**RIGHT[tool], **sent})
    assert reply.is_error
    assert "too many" in reply.text
    assert len(reply.text) < 1_000


# At random

own_names = st.sampled_from([(tool, name) for tool, names in TAKES.items() for name in names])
letters = st.sampled_from("abcdeinorstuyHIMS_09")


COMMON = ("count", "until", "rrule")
"""Names of which only near ones are slips (10.10)."""


def edits_allowed(known: str) -> int:
    return 1 if len(known) <= 4 or known in COMMON else 2 if len(known) <= 7 else 3


@st.composite
def edited(draw: st.DrawFn, known: str) -> str:
    """A name so few edits away that it counts as a slip (b)."""
    name = known
    for _ in range(draw(st.integers(1, edits_allowed(known)))):
        place = draw(st.integers(0, max(0, len(name) - 1)))
        before, here, after = name[:place], name[place : place + 1], name[place + 1 :]
        other = draw(letters)
        name = draw(
            st.sampled_from(
                [
                    before + after,
                    before + other + after,
                    before + other + here + after,
                    before + after[:1] + here + after[1:],
                ]
            )
        )
    return name


@st.composite
def recased(draw: st.DrawFn, known: str) -> str:
    """The same name in other letters (a)."""
    return "".join(char.upper() if draw(st.booleans()) else char.lower() for char in known)


@st.composite
def parts(draw: st.DrawFn, known: str) -> str:
    """A part of three letters or more (c), or the name itself where it has no such part."""
    start = draw(st.integers(0, max(0, len(known) - 3)))
    return known[start : draw(st.integers(min(len(known), start + 3), len(known)))]


@st.composite
def longer(draw: st.DrawFn, known: str) -> str:
    """A name that holds a known one (d)."""
    return draw(st.text(letters, max_size=9)) + known + draw(st.text(letters, max_size=9))


@st.composite
def mutations(draw: st.DrawFn) -> tuple[str, str, str]:
    """A tool, one of its names, and a slip for it."""
    tool, known = draw(own_names)
    ways = [recased(known), edited(known)]
    ways += [parts(known)] if len(known) > 2 else []
    ways += [longer(known)] if len(known) > 2 and known not in COMMON else []
    return tool, known, draw(st.one_of(ways))


@given(mutations())
@example((CONFIGURE, "paused", "used"))
@at_leisure
def test_every_name_mutated_within_the_rules_is_caught_and_its_name_given(
    mutation: tuple[str, str, str],
) -> None:
    """6.9"""
    tool, known, sent = mutation
    assume(sent not in TAKES[tool])
    bench = Bench()
    before = picture(bench)
    said = problems(bench, tool, {sent: 1})
    assert said
    assert any(
        "not supported" in line or re.search(rf"did you mean .*\b{known}\b.*\?", line) for line in said
    )
    assert picture(bench) == before


@given(own_names, st.sampled_from(list(TAKES)), st.data())
@at_leisure
def test_every_name_of_any_tool_is_caught_in_every_other_one(
    home: tuple[str, str], tool: str, data: st.DataObject
) -> None:
    """6.9"""
    sent = data.draw(st.one_of(st.just(home[1]), recased(home[1])))
    assume(sent not in TAKES[tool])
    assert REFUSED in Bench().toolbox.call(tool, {**RIGHT[tool], sent: 1}).text


@given(st.sampled_from(list(TAKES)), st.data())
@at_leisure
def test_no_name_of_a_tool_is_ever_a_slip_in_its_own_tool(tool: str, data: st.DataObject) -> None:
    """6.9"""
    sent = data.draw(st.lists(st.sampled_from(TAKES[tool]), unique=True)) if TAKES[tool] else []
    said = "\n".join(problems(Bench(), tool, dict.fromkeys(sent, "x")))
    assert "is no argument" not in said
    assert "not supported" not in said
    assert "does not take" not in said
