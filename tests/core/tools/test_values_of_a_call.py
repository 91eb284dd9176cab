"""Which values a call may send, and how it is told what is wrong with one (6.8)."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone

import pytest
from calling import RIGHT, TAKES, problems

from heartbeat_adapters.json_text import read
from heartbeat_adapters.testing import Bench, FakeClock
from heartbeat_core.times.moments import AgentZone

STATUS, CONFIGURE, TRIGGER, ADD, UPDATE, LIST, CANCEL = TAKES

CENTURY = 36525 * 86400
A_TEXT = "a text that is not blank, of at most 100,000 characters"
AN_ID = "a text, the id of a reminder as reminder_list shows it"
MESSAGE = f"message must be {A_TEXT}; "
SECONDS = "inSeconds must be a number from 0 to 3155760000; "
MINUTES = "inMinutes must be a number from 0 to 52596000; "
HOURS = "inHours must be a number from 0 to 876600; "
EVERY = "everyHours must be a number from 0 to 876600; "
INTERVAL = "intervalHours must be a number from 0 to 876600; "
PAUSED = "paused must be true or false; "
MODE = 'deliveryMode must be "message" or "silent"; '
A_TIME = "atIso must be a text, a date or date and time in ISO 8601, as in 2026-10-10T08:00; "
TOO_LONG = f'"{"q" * 60}…" (the first 60 of 100001 characters)'
AT_MOST = ", and at most 100 years (3155760000 s)"
OF_INTERVAL = f"which is out of range; the interval must be 60 s or more{AT_MOST}"
OF_DELAY = f"which is out of range; a delay must be more than 0 s{AT_MOST}"
OF_RECURRENCE = f"which is out of range; a recurrence must be 5 s or more{AT_MOST}"


class _Odd:
    """What no JSON is, and cannot even be shown."""

    def __repr__(self) -> str:
        raise ValueError("not to be shown")

    __str__ = __repr__


DEEP: list[object] = []
for _ in range(2000):
    DEEP = [DEEP]


@pytest.mark.parametrize(
    ("tool", "name", "value", "said"),
    [
        (ADD, "inSeconds", "5", f'{SECONDS}"5" is a text: send 5'),
        (ADD, "inMinutes", " 1.5 ", f'{MINUTES}" 1.5 " is a text: send 1.5'),
        (ADD, "inHours", "two", f'{HOURS}"two" is a text'),
        (ADD, "inHours", "1e999", f'{HOURS}"1e999" is a text'),
        (ADD, "inHours", "-1", f'{HOURS}"-1" is a text'),
        (ADD, "inSeconds", True, f"{SECONDS}true is a boolean"),
        (ADD, "inSeconds", False, f"{SECONDS}false is a boolean"),
        (ADD, "everyHours", -1, f"{EVERY}-1 is out of range"),
        (ADD, "everyHours", -0.5, f"{EVERY}-0.5 is out of range"),
        (ADD, "everyHours", 876601, f"{EVERY}876601 is out of range"),
        (ADD, "inHours", [1], f"{HOURS}[1] is a list: send 1"),
        (ADD, "inHours", [1, 2], f"{HOURS}[1,2] is a list"),
        (ADD, "inHours", ["3"], f'{HOURS}["3"] is a list: send 3'),
        (ADD, "everyHours", "3", f'{EVERY}"3" is a text: send 3'),
        (ADD, "inHours", {"n": 1}, f'{HOURS}{{"n":1}} is an object'),
        (CONFIGURE, "intervalHours", "4", f'{INTERVAL}"4" is a text: send 4'),
        (CONFIGURE, "paused", "true", f'{PAUSED}"true" is a text: send true'),
        (CONFIGURE, "paused", "FALSE", f'{PAUSED}"FALSE" is a text: send false'),
        (CONFIGURE, "paused", "yes", f'{PAUSED}"yes" is a text: send true'),
        (CONFIGURE, "paused", "Off", f'{PAUSED}"Off" is a text: send false'),
        (CONFIGURE, "paused", "perhaps", f'{PAUSED}"perhaps" is a text'),
        (CONFIGURE, "paused", 2, f"{PAUSED}2 is a number"),
        (CONFIGURE, "paused", "1", f'{PAUSED}"1" is a text: send true'),
        (CONFIGURE, "paused", 1, f"{PAUSED}1 is a number: send true"),
        (CONFIGURE, "paused", 0, f"{PAUSED}0 is a number: send false"),
        (CONFIGURE, "deliveryMode", "Silent", f'{MODE}"Silent" is neither: send "silent"'),
        (CONFIGURE, "deliveryMode", " silent", f'{MODE}" silent" is neither: send "silent"'),
        (CONFIGURE, "deliveryMode", "loud", f'{MODE}"loud" is neither'),
        (CONFIGURE, "deliveryMode", "", f'{MODE}"" is neither'),
        (CONFIGURE, "deliveryMode", True, f'{MODE}true is a boolean'),
        (CONFIGURE, "message", 5, f'{MESSAGE}5 is a number: send "5"'),
        (ADD, "message", 2, f'{MESSAGE}2 is a number: send "2"'),
        (ADD, "message", -2.5, f'{MESSAGE}-2.5 is a number: send "-2.5"'),
        (ADD, "message", " \t\r\n", rf'{MESSAGE}" \t\r\n" is blank'),
        (ADD, "message", "\u3000\u2003", f'{MESSAGE}"\u3000\u2003" is blank'),
        (ADD, "message", "\u200b\u2060\ufeff", f'{MESSAGE}"\u200b\u2060\ufeff" is blank'),
        (ADD, "message", "\x00\x1c\x85", rf'{MESSAGE}"\x00\x1c\x85" is blank'),
        (ADD, "message", True, f'{MESSAGE}true is a boolean: send "true"'),
        (ADD, "message", ["tea"], f'{MESSAGE}["tea"] is a list: send "tea"'),
        (ADD, "message", [""], f'{MESSAGE}[""] is a list'),
        (ADD, "message", {"text": "tea"}, f'{MESSAGE}{{"text":"tea"}} is an object'),
        (ADD, "message", [["tea"]], f'{MESSAGE}[["tea"]] is a list'),
        (ADD, "message", {"text": "a\u2028b\x7f"}, rf'{MESSAGE}{{"text":"a\u2028b\x7f"}} is an object'),
        (ADD, "message", "q" * 100_001, f"{MESSAGE}{TOO_LONG} is too long"),
        (ADD, "message", ["q" * 99], f'{MESSAGE}["{"q" * 58}… is a list'),
        (ADD, "atIso", 1_790_000_000, f"{A_TIME}1790000000 is a number"),
        (ADD, "atIso", False, f"{A_TIME}false is a boolean"),
        (ADD, "atIso", ["2026-02-01"], f'{A_TIME}["2026-02-01"] is a list: send "2026-02-01"'),
        (CANCEL, "id", 5, f'id must be {AN_ID}; 5 is a number: send "5"'),
        (CANCEL, "id", ["rem_1"], f'id must be {AN_ID}; ["rem_1"] is a list: send "rem_1"'),
        (ADD, "message", None, f"message is missing; it must be {A_TEXT}"),
        (CANCEL, "id", None, f"id is missing; it must be {AN_ID}"),
    ],
)  # fmt: skip
def test_a_wrong_value_is_named_with_what_is_allowed_and_what_was_meant(
    tool: str, name: str, value: object, said: str
) -> None:
    """6.8"""
    assert problems(Bench(), tool, {**RIGHT[tool], name: value}) == [said]


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("1e999", "Infinity"),
        ("-1e999", "-Infinity"),
        ("1" + "0" * 400, "1" + "0" * 59 + "…"),
        ("1" + "0" * 100_000, "1" + "0" * 59 + "…"),
        ("-" + "9" * 400, "-" + "9" * 59 + "…"),
        ("1e300", "1e+300"),
        ("3155760000.001", "3155760000.001"),
    ],
)
def test_numbers_beyond_every_range_are_out_of_range_as_the_wire_has_them(written: str, shown: str) -> None:
    """6.8, 2.2"""
    sent = read(f'{{"message": "tea", "inSeconds": {written}}}')
    (problem,) = problems(Bench(), ADD, sent)
    assert problem == f"inSeconds must be a number from 0 to 3155760000; {shown} is out of range"


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (float("nan"), "NaN is out of range"),
        (float("inf"), "Infinity is out of range"),
        (10**5000, "is out of range"),
        (5 + 0j, "is no JSON value"),
        (b"5", "is no JSON value"),
        (_Odd(), "what was sent is no JSON value"),
        (DEEP, "what was sent is a list"),
        (["\ud800"], "what was sent is a list"),
        ("\ud800", '"\ufffd" is a text'),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_only_an_agent_in_the_same_process_can_send_is_refused_like_the_rest(
    value: object, said: str
) -> None:
    """9.2"""
    (problem,) = problems(Bench(), ADD, {"message": "tea", "inSeconds": value})
    assert problem.startswith("inSeconds must be a number from 0 to 3155760000; ")
    assert problem.endswith(said)


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        (CONFIGURE, {"intervalSeconds": 60}),
        (CONFIGURE, {"intervalMinutes": 1.0}),
        (CONFIGURE, {"intervalMinutes": 0.5, "intervalSeconds": 30}),
        (CONFIGURE, {"intervalSeconds": 59.9996}),
        (CONFIGURE, {"intervalHours": 876600}),
        (CONFIGURE, {"intervalHours": 0, "intervalMinutes": 0, "intervalSeconds": 60}),
        (CONFIGURE, {"paused": True, "deliveryMode": "silent", "message": "x"}),
        (CONFIGURE, {"message": "x" * 100_000}),
        (CONFIGURE, {"message": "  x  "}),
        (CONFIGURE, {"message": "\ud83d\ude00"}),
        (CONFIGURE, {}),
        (ADD, {"message": "x", "inSeconds": 0.0006}),
        (ADD, {"message": "x", "inSeconds": 0, "inMinutes": -0.0, "inHours": 1e-3}),
        (ADD, {"message": "x", "inHours": 876600}),
        (ADD, {"message": "x", "inSeconds": CENTURY}),
        (ADD, {"message": "x", "everySeconds": 5}),
        (ADD, {"message": "x", "everySeconds": 4.9996}),
        (ADD, {"message": "x", "everyMinutes": 0.05, "everySeconds": 2}),
        (ADD, {"message": "x", "everyHours": 1, "inSeconds": 1}),
        (ADD, {"message": "x", "everyHours": 1, "atIso": "2026-02-01"}),
        (ADD, {"message": "x", "atIso": "2026-02-01", "inHours": None}),
        (ADD, {"message": "😀" * 100_000, "inHours": 1}),
        (ADD, {"message": "null", "inHours": 1}),
        (ADD, {"message": "\ud800", "inHours": 1}),
        (STATUS, None),
        (STATUS, {}),
        (TRIGGER, {}),
        (LIST, None),
    ],
)
def test_a_right_value_is_taken(tool: str, arguments: object) -> None:
    """6.8"""
    assert not Bench().toolbox.call(tool, arguments).is_error


# Sums


@pytest.mark.parametrize(
    ("tool", "arguments", "said"),
    [
        (
            CONFIGURE,
            "intervalSeconds=59",
            f"comes to 59 s, {OF_INTERVAL}; leave them out to keep it as it is",
        ),
        (CONFIGURE, "intervalSeconds=59.9994", f"comes to 59.999 s, {OF_INTERVAL}; leave "),
        (CONFIGURE, "intervalMinutes=0", f"comes to 0 s, {OF_INTERVAL}; leave "),
        (CONFIGURE, "intervalSeconds=29 intervalMinutes=0.5", f"come to 59 s, {OF_INTERVAL}; leave "),
        (CONFIGURE, "intervalSeconds=1 intervalHours=876600", f"come to 3155760001 s, {OF_INTERVAL}"),
        (ADD, "inSeconds=0", f"comes to 0 s, {OF_DELAY}; for no delay leave it out"),
        (ADD, "inSeconds=0.0004", f"comes to 0 s, {OF_DELAY}; for no delay "),
        (ADD, "inSeconds=0 inMinutes=0 inHours=0", f"come to 0 s, {OF_DELAY}; for no delay "),
        (ADD, "inSeconds=0.001 inHours=876600", f"come to 3155760000.001 s, {OF_DELAY}"),
        (
            ADD,
            "everySeconds=4.9994",
            f"comes to 4.999 s, {OF_RECURRENCE}; for a reminder that comes once leave it out",
        ),
        (
            ADD,
            "everyMinutes=0 everyHours=0",
            f"come to 0 s, {OF_RECURRENCE}; for a reminder that comes once ",
        ),
    ],
)
def test_a_sum_out_of_range_is_one_problem_and_shows_what_was_added(
    tool: str, arguments: str, said: str
) -> None:
    """6.2, 6.4, 5.3: what counts is what would be kept."""
    parts = [part.split("=") for part in arguments.split()]
    sent = {name: float(value) if "." in value else int(value) for name, value in parts}
    (problem,) = problems(Bench(), tool, {**({"message": "tea"} if tool == ADD else {}), **sent})
    sums = arguments.replace(" ", " + ").replace("=", " ")
    assert problem.startswith(f"{sums} {said}")


def test_where_a_part_is_wrong_nobody_knows_the_sum() -> None:
    """6.8"""
    (problem,) = problems(Bench(), CONFIGURE, {"intervalHours": "1", "intervalSeconds": 1})
    assert problem.startswith("intervalHours must be a number")


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        (CONFIGURE, {"intervalHours": 876600}),
        (ADD, {"message": "x", "inHours": 876600}),
        (ADD, {"message": "x", "everyHours": 876600}),
    ],
)
def test_a_length_that_ends_after_the_year_9999_is_out_of_range(tool: str, arguments: object) -> None:
    """6.8"""
    bench = Bench(clock=FakeClock(datetime(9950, 1, 1, tzinfo=UTC)))
    (problem,) = problems(bench, tool, arguments)
    assert problem.endswith("which is out of range: from now that is past the year 9999")


def test_a_length_that_ends_after_the_year_9999_of_the_agent_zone_is_out_of_range_too() -> None:
    """6.8"""
    ahead = AgentZone("Pacific/Kiritimati", timezone(timedelta(hours=14)))
    bench = Bench(clock=FakeClock(datetime(9999, 12, 31, 9, tzinfo=UTC)), zone=ahead)
    assert not problems(bench, ADD, {"message": "x", "inMinutes": 59})
    assert problems(bench, ADD, {"message": "x", "inMinutes": 60})


# When


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({}, ["it does not say when: send a delay"]),
        ({"inHours": 1, "atIso": "2026-02-01"}, ["inHours and atIso both say when it"]),
        ({"inHours": 1, "inSeconds": 1, "atIso": "2026-02-01"}, ["inSeconds + inHours and atIso both say"]),
        ({"inHours": 1, "atIso": 5}, ["atIso must be", "inHours and atIso both say"]),
        ({"inHours": "1", "atIso": "soon"}, ["inHours must be", "inHours and atIso", "atIso is not"]),
        ({"inHours": 1, "atIso": "x"}, ["inHours and atIso both say", "atIso is not an ISO 8601"]),
        ({"atIso": "17:00"}, ["atIso is not an ISO 8601 date or date and time; write a full date"]),
        ({"atIso": "2026"}, ["atIso is not an ISO 8601"]),
        ({"atIso": "tomorrow"}, ["atIso is not an ISO 8601"]),
        ({"atIso": "2026-02-30"}, ["atIso has a day that does not exist: 2026-02-30"]),
        ({"atIso": "2026-02-01T25:00"}, ["atIso has a time of day that does not exist"]),
        ({"atIso": "0000-01-01"}, ["atIso is out of range"]),
    ],
)  # fmt: skip
def test_what_is_said_of_when_must_be_one_thing_and_make_sense(
    arguments: dict[str, object], said: list[str]
) -> None:
    """6.4, 6.5"""
    lines = problems(Bench(), ADD, {"message": "tea", **arguments})
    assert len(lines) == len(said)
    assert all(line.startswith(start) for line, start in zip(lines, said, strict=True))


def test_a_time_that_is_none_is_answered_with_what_was_sent_and_the_time_now() -> None:
    """6.5: a model that was told no date cannot write a full one otherwise."""
    (problem,) = problems(Bench(), ADD, {"message": "tea", "atIso": "tomorrow\n8 am" + "!" * 99})
    assert problem.endswith(
        r'; it was "tomorrow\n8 am' + "!" * 47 + '…" (the first 60 of 112 characters), '
        "and it is now 2026-01-01T00:00:00+00:00 [UTC]"
    )


# No object


@pytest.mark.parametrize("tool", TAKES)
@pytest.mark.parametrize(
    ("sent", "said"),
    [
        ('{"paused": true}', '"{"paused": true}" is a text: send the object itself, not its JSON as a text'),
        ("", '"" is a text: send the object itself, not its JSON as a text'),
        ([{"paused": True}], '[{"paused":true}] is a list'),
        ([], "[] is a list"),
        (5, "5 is a number"),
        (1.5, "1.5 is a number"),
        (True, "true is a boolean"),
        (_Odd(), "what was sent is no JSON value"),
    ],
    ids=["object as text", "empty text", "list", "empty list", "integer", "number", "boolean", "odd"],
)
def test_arguments_that_are_no_object_are_refused_with_a_hint(tool: str, sent: object, said: str) -> None:
    """6.8"""
    (problem,) = problems(Bench(), tool, sent)
    assert problem.startswith(f"arguments must be a JSON object, and {said}; {tool} takes ")


@pytest.mark.parametrize("tool", TAKES)
def test_arguments_as_a_text_of_megabytes_get_a_short_answer(tool: str) -> None:
    """6.8"""
    (problem,) = problems(Bench(), tool, "q" * 4_000_000)
    assert len(problem) < 500


def test_no_wording_of_a_library_shows() -> None:
    """Messages are the product's own."""
    wrong: list[object] = [5, "q" * 200_000, True, [], {}, -1, float("nan"), "", None]
    everything = [
        line
        for tool, names in TAKES.items()
        for name in names
        for value in wrong
        for line in problems(Bench(), tool, {**RIGHT[tool], name: value})
    ]
    assert everything
    assert not [line for line in everything if re.search("pydantic|[Ii]nput should|valid|Errno|<class", line)]
