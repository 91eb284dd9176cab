"""The text of a recurrence rule (10.1): what is taken, what is refused, and what is said of it."""

from __future__ import annotations

from datetime import UTC, date, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from heartbeat_core.reminders.recurrence_rule import Frequency, Rule, RuleDay, needs_time_of_day
from heartbeat_core.reminders.rrule_text import Problems, parse_rule


def rule_of(text: str) -> Rule:
    rule = parse_rule(text)
    assert isinstance(rule, Rule), rule
    return rule


def problems_of(text: str) -> tuple[str, ...]:
    problems = parse_rule(text)
    assert isinstance(problems, Problems), problems
    return problems.lines


# What is taken


def test_every_part_is_read() -> None:
    """10.1"""
    text = (
        "FREQ=MONTHLY;INTERVAL=2;BYMONTH=3,1;BYMONTHDAY=-1,15;BYDAY=FR,MO,-1SU;BYHOUR=9,17;BYMINUTE=30,0;"
        "BYSECOND=5;BYSETPOS=1,-1;WKST=SU;COUNT=10"
    )
    assert rule_of(text) == Rule(
        frequency=Frequency.MONTHLY,
        interval=2,
        months=(1, 3),
        month_days=(-1, 15),
        days=(RuleDay(0), RuleDay(4), RuleDay(6, -1)),
        hours=(9, 17),
        minutes=(0, 30),
        second=5,
        positions=(-1, 1),
        week_start=6,
        count=10,
    )


def test_what_is_not_sent_is_left_open() -> None:
    """10.1, 10.2"""
    assert rule_of("FREQ=DAILY") == Rule(Frequency.DAILY)


@pytest.mark.parametrize(
    "text",
    [
        "freq=weekly;byday=mo,fr;byhour=9",
        "RRULE:FREQ=WEEKLY;BYDAY=MO,FR;BYHOUR=9",
        "rrule : Freq = Weekly ; ByDay = Mo , Fr ; ByHour = 9 ; ",
        "\tFREQ=WEE KLY;\r\n BYDAY=MO,FR;BYHOUR=9;\n",
    ],
)
def test_case_blanks_the_name_before_and_the_last_semicolon_do_not_matter(text: str) -> None:
    """10.1"""
    assert rule_of(text).text == "FREQ=WEEKLY;BYDAY=MO,FR;BYHOUR=9"


def test_parts_come_in_any_order_and_values_too() -> None:
    """10.1"""
    assert rule_of("BYHOUR=9,8;BYDAY=FR,MO;FREQ=WEEKLY") == rule_of("FREQ=WEEKLY;BYDAY=MO,FR,MO;BYHOUR=08,9")


@pytest.mark.parametrize("end", ["COUNT=5", "UNTIL=20261224"])
def test_the_kept_text_has_no_end_in_it(end: str) -> None:
    """10.6, 10.8"""
    assert rule_of(f"RRULE:freq=daily;{end};byhour=9").text == "FREQ=DAILY;BYHOUR=9"


def test_a_kept_text_reads_as_the_rule_without_its_end() -> None:
    """10.8"""
    rule = rule_of("FREQ=DAILY;COUNT=5;BYHOUR=9")
    assert rule_of(rule.text) == rule.without_end()


@pytest.mark.parametrize(
    ("value", "until"),
    [
        ("20261224", date(2026, 12, 24)),
        ("20261224T093000", datetime(2026, 12, 24, 9, 30)),
        ("20261224t093000z", datetime(2026, 12, 24, 9, 30, tzinfo=UTC)),
    ],
)
def test_an_end_is_a_day_a_local_time_or_a_moment(value: str, until: date) -> None:
    """10.1, 10.4"""
    read = rule_of(f"FREQ=DAILY;UNTIL={value}").until
    assert read == until
    assert type(read) is type(until)


@pytest.mark.parametrize(
    "text", ["FREQ=DAILY;COUNT=10000", "FREQ=DAILY;INTERVAL=10001", "FREQ=DAILY;COUNT=0005"]
)
def test_numbers_up_to_their_bound_are_taken(text: str) -> None:
    """10.1"""
    rule_of(text)


def test_numbers_of_days_may_have_a_plus() -> None:
    """10.1"""
    rule = rule_of("FREQ=MONTHLY;BYDAY=+2TU;BYMONTHDAY=+15;BYSETPOS=+1")
    assert (rule.days, rule.month_days, rule.positions) == ((RuleDay(1, 2),), (15,), (1,))


def test_a_text_of_a_thousand_characters_is_read() -> None:
    """10.1"""
    rule_of("FREQ=DAILY;BYHOUR=9".ljust(1000))


@pytest.mark.parametrize(
    ("text", "needs"),
    [
        ("FREQ=DAILY", True),
        ("FREQ=DAILY;BYMINUTE=30", True),
        ("FREQ=DAILY;BYHOUR=0", False),
        ("FREQ=DAILY;BYHOUR=9;BYMINUTE=30", False),
    ],
)
def test_a_rule_without_an_hour_needs_a_time_of_day(text: str, needs: bool) -> None:
    """10.2"""
    assert needs_time_of_day(rule_of(text)) is needs


# What is refused, and what is said

_EXAMPLE = "write one like FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR;BYHOUR=9"


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("", f'"" is no recurrence rule; {_EXAMPLE}'),
        ("every weekday at nine", f'"every weekday at nine" is no recurrence rule; {_EXAMPLE}'),
        ("0 9 * * 1-5", f'"0 9 * * 1-5" is no recurrence rule; {_EXAMPLE}'),
        ("a\0b\nc", f'"a\\u0000b\\u000ac" is no recurrence rule; {_EXAMPLE}'),
        ("BYHOUR=9", "FREQ is missing; add FREQ=DAILY, FREQ=WEEKLY, FREQ=MONTHLY or FREQ=YEARLY"),
        (
            "FREQ=HOURLY;INTERVAL=2",
            (
                'FREQ="HOURLY" is wrong; no rule repeats more often than daily; '
                "send everyHours in place of rrule"
            ),
        ),
        (
            "FREQ=FORTNIGHTLY",
            'FREQ="FORTNIGHTLY" is wrong; write FREQ=DAILY, FREQ=WEEKLY, FREQ=MONTHLY or FREQ=YEARLY',
        ),
        (
            "FREQ=DAILY;INTERVAL=0",
            'INTERVAL="0" is wrong; it takes one whole number of 1 or more, like INTERVAL=2',
        ),
        ("FREQ=DAILY;COUNT=0", 'COUNT="0" is wrong; it takes one whole number from 1 to 10000, like COUNT=2'),
        (
            "FREQ=DAILY;COUNT=10001",
            'COUNT="10001" is wrong; it takes one whole number from 1 to 10000, like COUNT=2',
        ),
        (
            "FREQ=DAILY;BYHOUR=9,24,-1",
            'BYHOUR does not take "24, -1"; BYHOUR takes whole numbers from 0 to 23, like BYHOUR=0,1',
        ),
        (
            "FREQ=MONTHLY;BYMONTHDAY=32",
            (
                'BYMONTHDAY does not take "32"; BYMONTHDAY takes whole numbers from 1 to 31, or -1 to -31 '
                "from the end, like BYMONTHDAY=1,2"
            ),
        ),
        (
            "FREQ=WEEKLY;BYDAY=MON",
            (
                'BYDAY does not take "MON"; BYDAY takes MO, TU, WE, TH, FR, SA, SU, like BYDAY=MO,WE, each '
                "with a number from 1 to 53 or -1 to -53 before it where one of them is meant, like -1FR"
            ),
        ),
        ("FREQ=DAILY;BYSECOND=0,30", 'BYSECOND="0,30" is wrong; it takes one whole number from 0 to 59'),
        (
            "FREQ=WEEKLY;WKST=8",
            'WKST="8" is wrong; it takes one of MO, TU, WE, TH, FR, SA, SU: the day on which weeks begin',
        ),
        (
            "FREQ=DAILY;UNTIL=2026-12-24",
            'UNTIL="2026-12-24" is wrong; it takes 20261224, 20261224T090000, or 20261224T090000Z in UTC',
        ),
        (
            "FREQ=DAILY;UNTIL=20260230",
            (
                'UNTIL="20260230" is wrong; there is no such day or time; it takes 20261224, '
                "20261224T090000, or 20261224T090000Z in UTC"
            ),
        ),
        (
            "FREQ=DAILY;DTSTART=20260101T090000",
            "DTSTART is not taken; send the start as atIso, and its zone as timezone",
        ),
        (
            "FREQ=DAILY;EXDATE=20260101",
            (
                "EXDATE is not taken; a rule takes no exceptions and no extra times; say what is left with "
                "BYDAY, BYMONTH or BYMONTHDAY, and send the start as atIso and its zone as timezone"
            ),
        ),
        ("FREQ=YEARLY;BYYEARDAY=1", "BYYEARDAY is not taken; name the days with BYMONTH and BYMONTHDAY"),
        (
            "FREQ=DAILY;DAYS=MO;X",
            (
                '"DAYS, X" is not taken; a rule takes FREQ, INTERVAL, COUNT, UNTIL, BYMONTH, BYMONTHDAY, '
                "BYDAY, BYHOUR, BYMINUTE, BYSECOND, BYSETPOS, WKST, each as NAME=value"
            ),
        ),
        ("FREQ=DAILY;;BYHOUR=9", "there is an empty part; write one ; between two parts"),
        ("FREQ=DAILY;BYHOUR=9;BYHOUR=9", "BYHOUR is there more than once; send it once"),
        ("FREQ=DAILY;COUNT=2;UNTIL=20261224", "COUNT and UNTIL contradict each other; send one of them"),
        (
            "FREQ=WEEKLY;BYMONTHDAY=1",
            "BYMONTHDAY does not go with FREQ=WEEKLY; use it with FREQ=MONTHLY, or BYDAY in its place",
        ),
        (
            "FREQ=WEEKLY;BYDAY=2TU",
            "BYDAY takes no numbers with FREQ=WEEKLY; use FREQ=MONTHLY, or leave the numbers out",
        ),
        (
            "FREQ=MONTHLY;BYSETPOS=1",
            "BYSETPOS chooses from what another BY part gives; send one with it, like BYDAY=MO,TU,WE,TH,FR",
        ),
        ("FREQ=DAILY".ljust(1001), "has 1001 characters; at most 1000 are taken"),
    ],
)
def test_what_is_wrong_is_said_with_what_to_send(text: str, line: str) -> None:
    """10.1"""
    assert problems_of(text) == (line,)


@pytest.mark.parametrize(
    "part",
    [
        *(
            "BYMONTH=0",
            "BYMONTH=13",
            "BYMONTH=-1",
            "BYMONTH=",
            "BYMONTH=1,",
            "BYMONTHDAY=0",
            "BYMONTHDAY=-32",
        ),
        *(
            "BYHOUR=9.5",
            "BYHOUR=1_0",
            "BYHOUR=+9",
            "BYHOUR=９",
            "BYHOUR=٣",
            "BYHOUR=009",
            "BYMINUTE=60",
            "BYSECOND=60",
        ),
        *(
            "BYSETPOS=0;BYHOUR=1",
            "BYSETPOS=367;BYHOUR=1",
            "INTERVAL=-1",
            "INTERVAL=1.5",
            "INTERVAL=",
            "COUNT=x",
        ),
        *(
            "BYDAY=",
            "BYDAY=+MO",
            "BYDAY=MO;TU",
            "BYDAY=MO TU",
            "WKST=MO,TU",
            "WKST=1MO",
            "UNTIL=",
            "UNTIL=2026",
        ),
        *(
            "UNTIL=20261224T240000",
            "UNTIL=00000101",
            "UNTIL=20261224T0900",
            "UNTIL=20261224T093060",
            "UNTIL=٢0261224",
        ),
        *(
            "BYEASTER=0",
            "BYWEEKNO=1",
            "RDATE=20260101",
            "TZID=Europe/Berlin",
            "DURATION=PT1H",
            "X=1",
            "=",
            "=1",
        ),
    ],
)
def test_no_other_value_is_taken(part: str) -> None:
    """10.1"""
    assert len(problems_of(f"FREQ=DAILY;{part}")) == 1


@pytest.mark.parametrize("part", ["BYDAY=0MO", "BYDAY=54MO", "BYDAY=-54MO", "BYDAY=1", "BYDAY=100MO"])
def test_no_other_number_of_a_weekday_is_taken(part: str) -> None:
    """10.1"""
    assert len(problems_of(f"FREQ=MONTHLY;{part}")) == 1


@pytest.mark.parametrize("text", ["FREQ=DAıLY", "FREQ=DAILY;BYDAY=ſA", "ＦREQ=DAILY"])
def test_letters_that_only_become_those_of_a_rule_are_refused(text: str) -> None:
    """10.1"""
    assert problems_of(text)


def test_all_problems_come_at_once_a_line_each() -> None:
    """10.1, 6"""
    lines = problems_of("FREQ=HOURLY;INTERVAL=0;BYHOUR=99;BYHOUR=1;COUNT=2;UNTIL=x;NAME=1;EXDATE=1")
    assert [line.split(" ")[0].split("=")[0] for line in lines] == [
        "BYHOUR",
        "EXDATE",
        '"NAME"',
        "FREQ",
        "INTERVAL",
        "BYHOUR",
        "UNTIL",
        "COUNT",
    ]


def test_a_frequency_that_is_wrong_forbids_nothing_else() -> None:
    """10.1"""
    assert len(problems_of("FREQ=WEEKS;BYMONTHDAY=1;BYDAY=2TU")) == 1


def test_a_calendar_file_names_its_start_as_what_is_not_taken() -> None:
    """10.1"""
    lines = problems_of("DTSTART;TZID=Europe/Berlin:20260101T090000\nRRULE:FREQ=DAILY")
    assert "DTSTART is not taken; send the start as atIso, and its zone as timezone" in lines


# Whatever the text

_LETTERS = st.sampled_from(
    [*"FREQ=DAILY;BYHOUR:,+-0123456789 ", "\0", "\n", "９", "ı", "ß", "\U0001f600", "\udc80"]
)
_SEEMING = st.lists(
    st.one_of(
        st.sampled_from(
            ["FREQ", "BYDAY", "BYHOUR", "COUNT", "UNTIL", "=", ";", ",", "MO", "-1FR", "20261224", "RRULE:"]
        ),
        _LETTERS,
    ),
    max_size=60,
).map("".join)


@given(st.one_of(st.text(), _SEEMING))
def test_any_text_is_a_rule_or_has_lines_for_a_model(text: str) -> None:
    """10.1"""
    read = parse_rule(text)
    if isinstance(read, Rule):
        assert rule_of(read.text) == read.without_end()
    else:
        assert read.lines
        assert all(line.isprintable() and len(line) < 400 for line in read.lines)
        assert len(set(read.lines)) == len(read.lines) <= 40
