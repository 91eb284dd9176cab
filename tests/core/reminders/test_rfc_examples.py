"""The examples of RFC 5545, section 3.8.5.3, that the parts of 10.1 can express, with the RFC's times.

Left out are those by hour or minute, by week of the year and by day of the year. Where the RFC goes
on without an end, as many of its times are compared as it prints.
"""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from calendars import NEW_YORK, calendar, times_of

TUESDAY = "1997-09-02"


def days(text: str) -> list[str]:
    """Days written short: `1997 9/2 9/3 1998 1/1`."""
    found = []
    year = 0
    for word in text.split():
        if "/" in word:
            month, day = map(int, word.split("/"))
            found.append(date(year, month, day).isoformat())
        else:
            year = int(word)
    return found


def all_days(first: str, last: str, step: int = 1) -> list[str]:
    begin, end = date.fromisoformat(first), date.fromisoformat(last)
    return [(begin + timedelta(each)).isoformat() for each in range(0, (end - begin).days + 1, step)]


JANUARIES = [day for year in (1998, 1999, 2000) for day in all_days(f"{year}-01-01", f"{year}-01-31")]
EVERY_OTHER_WEEK = days("1997 9/2 9/16 9/30 10/14 10/28 11/11 11/25 12/9 12/23 1998 1/6 1/20 2/3 2/17")
FIVE_WEEKS = days("1997 9/2 9/4 9/9 9/11 9/16 9/18 9/23 9/25 9/30 10/2")
FIRST_AND_LAST_SUNDAY = days("1997 9/7 9/28 11/2 11/30 1998 1/4 1/25 3/1 3/29 5/3 5/31")

EXAMPLES = [
    ("FREQ=DAILY;COUNT=10", TUESDAY, all_days("1997-09-02", "1997-09-11")),
    ("FREQ=DAILY;UNTIL=19971224T000000Z", TUESDAY, all_days("1997-09-02", "1997-12-23")),
    ("FREQ=DAILY;INTERVAL=2", TUESDAY, all_days("1997-09-02", "1997-12-03", 2)),
    ("FREQ=DAILY;INTERVAL=10;COUNT=5", TUESDAY, days("1997 9/2 9/12 9/22 10/2 10/12")),
    (
        "FREQ=YEARLY;UNTIL=20000131T140000Z;BYMONTH=1;BYDAY=SU,MO,TU,WE,TH,FR,SA",
        "1998-01-01",
        JANUARIES,
    ),
    ("FREQ=DAILY;UNTIL=20000131T140000Z;BYMONTH=1", "1998-01-01", JANUARIES),
    ("FREQ=WEEKLY;COUNT=10", TUESDAY, days("1997 9/2 9/9 9/16 9/23 9/30 10/7 10/14 10/21 10/28 11/4")),
    ("FREQ=WEEKLY;UNTIL=19971224T000000Z", TUESDAY, all_days("1997-09-02", "1997-12-23", 7)),
    ("FREQ=WEEKLY;INTERVAL=2;WKST=SU", TUESDAY, EVERY_OTHER_WEEK),
    ("FREQ=WEEKLY;UNTIL=19971007T000000Z;WKST=SU;BYDAY=TU,TH", TUESDAY, FIVE_WEEKS),
    ("FREQ=WEEKLY;COUNT=10;WKST=SU;BYDAY=TU,TH", TUESDAY, FIVE_WEEKS),
    (
        "FREQ=WEEKLY;INTERVAL=2;UNTIL=19971224T000000Z;WKST=SU;BYDAY=MO,WE,FR",
        "1997-09-01",
        days(
            "1997 9/1 9/3 9/5 9/15 9/17 9/19 9/29 10/1 10/3 10/13 10/15 10/17 10/27 10/29 10/31 "
            "11/10 11/12 11/14 11/24 11/26 11/28 12/8 12/10 12/12 12/22"
        ),
    ),
    (
        "FREQ=WEEKLY;INTERVAL=2;COUNT=8;WKST=SU;BYDAY=TU,TH",
        TUESDAY,
        days("1997 9/2 9/4 9/16 9/18 9/30 10/2 10/14 10/16"),
    ),
    (
        "FREQ=MONTHLY;COUNT=10;BYDAY=1FR",
        "1997-09-05",
        days("1997 9/5 10/3 11/7 12/5 1998 1/2 2/6 3/6 4/3 5/1 6/5"),
    ),
    ("FREQ=MONTHLY;UNTIL=19971224T000000Z;BYDAY=1FR", "1997-09-05", days("1997 9/5 10/3 11/7 12/5")),
    ("FREQ=MONTHLY;INTERVAL=2;COUNT=10;BYDAY=1SU,-1SU", "1997-09-07", FIRST_AND_LAST_SUNDAY),
    (
        "FREQ=MONTHLY;COUNT=6;BYDAY=-2MO",
        "1997-09-22",
        days("1997 9/22 10/20 11/17 12/22 1998 1/19 2/16"),
    ),
    (
        "FREQ=MONTHLY;BYMONTHDAY=-3",
        "1997-09-28",
        days("1997 9/28 10/29 11/28 12/29 1998 1/29 2/26"),
    ),
    (
        "FREQ=MONTHLY;COUNT=10;BYMONTHDAY=2,15",
        TUESDAY,
        days("1997 9/2 9/15 10/2 10/15 11/2 11/15 12/2 12/15 1998 1/2 1/15"),
    ),
    (
        "FREQ=MONTHLY;COUNT=10;BYMONTHDAY=1,-1",
        "1997-09-30",
        days("1997 9/30 10/1 10/31 11/1 11/30 12/1 12/31 1998 1/1 1/31 2/1"),
    ),
    (
        "FREQ=MONTHLY;INTERVAL=18;COUNT=10;BYMONTHDAY=10,11,12,13,14,15",
        "1997-09-10",
        days("1997 9/10 9/11 9/12 9/13 9/14 9/15 1999 3/10 3/11 3/12 3/13"),
    ),
    (
        "FREQ=MONTHLY;INTERVAL=2;BYDAY=TU",
        TUESDAY,
        days(
            "1997 9/2 9/9 9/16 9/23 9/30 11/4 11/11 11/18 11/25 1998 1/6 1/13 1/20 1/27 3/3 3/10 3/17 3/24 "
            "3/31"
        ),
    ),
    (
        "FREQ=YEARLY;COUNT=10;BYMONTH=6,7",
        "1997-06-10",
        days("1997 6/10 7/10 1998 6/10 7/10 1999 6/10 7/10 2000 6/10 7/10 2001 6/10 7/10"),
    ),
    (
        "FREQ=YEARLY;INTERVAL=2;COUNT=10;BYMONTH=1,2,3",
        "1997-03-10",
        days("1997 3/10 1999 1/10 2/10 3/10 2001 1/10 2/10 3/10 2003 1/10 2/10 3/10"),
    ),
    ("FREQ=YEARLY;BYDAY=20MO", "1997-05-19", days("1997 5/19 1998 5/18 1999 5/17")),
    (
        "FREQ=YEARLY;BYMONTH=3;BYDAY=TH",
        "1997-03-13",
        days("1997 3/13 3/20 3/27 1998 3/5 3/12 3/19 3/26 1999 3/4 3/11 3/18 3/25"),
    ),
    (
        "FREQ=YEARLY;BYDAY=TH;BYMONTH=6,7,8",
        "1997-06-05",
        days(
            "1997 6/5 6/12 6/19 6/26 7/3 7/10 7/17 7/24 7/31 8/7 8/14 8/21 8/28 "
            "1998 6/4 6/11 6/18 6/25 7/2 7/9 7/16 7/23 7/30 8/6 8/13 8/20 8/27 "
            "1999 6/3 6/10 6/17 6/24 7/1 7/8 7/15 7/22 7/29 8/5 8/12 8/19 8/26"
        ),
    ),
    (
        "FREQ=MONTHLY;BYDAY=FR;BYMONTHDAY=13",
        TUESDAY,
        days("1998 2/13 3/13 11/13 1999 8/13 2000 10/13"),
    ),
    (
        "FREQ=MONTHLY;BYDAY=SA;BYMONTHDAY=7,8,9,10,11,12,13",
        "1997-09-13",
        days("1997 9/13 10/11 11/8 12/13 1998 1/10 2/7 3/7 4/11 5/9 6/13"),
    ),
    (
        "FREQ=YEARLY;INTERVAL=4;BYMONTH=11;BYDAY=TU;BYMONTHDAY=2,3,4,5,6,7,8",
        "1996-11-05",
        days("1996 11/5 2000 11/7 2004 11/2"),
    ),
    ("FREQ=MONTHLY;COUNT=3;BYDAY=TU,WE,TH;BYSETPOS=3", "1997-09-04", days("1997 9/4 10/7 11/6")),
    (
        "FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-2",
        "1997-09-29",
        days("1997 9/29 10/30 11/27 12/30 1998 1/29 2/26 3/30"),
    ),
    (
        "FREQ=WEEKLY;INTERVAL=2;COUNT=4;BYDAY=TU,SU;WKST=MO",
        "1997-08-05",
        days("1997 8/5 8/10 8/19 8/24"),
    ),
    (
        "FREQ=WEEKLY;INTERVAL=2;COUNT=4;BYDAY=TU,SU;WKST=SU",
        "1997-08-05",
        days("1997 8/5 8/17 8/19 8/31"),
    ),
    (
        "FREQ=MONTHLY;BYMONTHDAY=15,30;COUNT=5",
        "2007-01-15",
        days("2007 1/15 1/30 2/15 3/15 3/30"),
    ),
]


@pytest.mark.parametrize(("text", "start", "expected"), EXAMPLES)
def test_the_examples_of_the_rfc_come_on_its_days_at_nine(text: str, start: str, expected: list[str]) -> None:
    """10.1, 10.4"""
    rule = calendar(text, f"{start}T09:00", NEW_YORK)
    ends = rule.rule.count is not None or rule.rule.until is not None
    times = times_of(rule, len(expected) + ends)  # one more, so that a rule that goes on too long shows
    local = [at.astimezone(rule.zone.tzinfo).replace(tzinfo=None).isoformat() for at in times]
    assert local == [f"{day}T09:00:00" for day in expected]


def test_the_example_of_every_twenty_minutes_of_working_hours_comes_in_the_rfc_s_order() -> None:
    """10.1"""
    rule = calendar("FREQ=DAILY;BYHOUR=9,10,11,12,13,14,15,16;BYMINUTE=0,20,40", f"{TUESDAY}T09:00", NEW_YORK)
    local = [at.astimezone(rule.zone.tzinfo) for at in times_of(rule, 48)]
    assert [f"{at:%d %H:%M}" for at in local] == [
        f"{day} {hour:02}:{minute:02}"
        for day in ("02", "03")
        for hour in range(9, 17)
        for minute in (0, 20, 40)
    ]
