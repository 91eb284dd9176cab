"""Tasks in plain words, what models send for them from the tool list alone, and what they read then.

Each was tried on the descriptions as hosts show them. What can be meant is done at the first try; where a
model reaches for an argument that there is not, one reply is enough to send the right call next.
"""

from __future__ import annotations

from datetime import timedelta

import pytest

from heartbeat_adapters.testing import Bench

Call = tuple[str, dict[str, object]]

CONFIGURE, ADD, UPDATE, CANCEL = "heartbeat_configure", "reminder_add", "reminder_update", "reminder_cancel"
WEEKDAYS = "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR;BYHOUR=9"


def at(hour: str) -> str:
    """A full hour of 2026 as the agent reads it."""
    return f"2026-{hour}:00:00+00:00 [UTC]"


@pytest.mark.parametrize(
    ("task", "calls", "said"),
    [
        (
            "remind me every morning at 8",
            [(ADD, {"message": "Good morning.", "atIso": "2026-01-01T08:00", "everyHours": 24})],
            "next 2026-01-01T08:00:00+00:00 [UTC] (~28800s) | repeats every 86400s",
        ),
        (
            "stop waking me until tomorrow",
            [
                (CONFIGURE, {"paused": True}),
                (ADD, {"message": "Resume: heartbeat_configure paused false.", "atIso": "2026-01-02T08:00"}),
            ],
            "next 2026-01-02T08:00:00+00:00 [UTC] (~115200s) | one-shot",
        ),
        (
            "make it every 90 minutes, silently",
            [(CONFIGURE, {"intervalMinutes": 90, "deliveryMode": "silent"})],
            "mode=silent | interval=5400s (1.50h) | next in ~5400s",
        ),
        (
            "wake me once in two days",
            [(ADD, {"message": "Two days have passed.", "inHours": 48})],
            "next 2026-01-03T00:00:00+00:00 [UTC] (~172800s) | one-shot",
        ),
        (
            "weekdays at nine",
            [(ADD, {"message": "Stand-up.", "rrule": WEEKDAYS})],
            (
                f"next {at('01-01T09')} (~32400s) | repeats {WEEKDAYS} [UTC] | "
                f'"Stand-up." | then {at("01-02T09")}, {at("01-05T09")}'
            ),
        ),
        (
            "weekdays at nine, the time of day in atIso",
            [
                (
                    ADD,
                    {
                        "message": "Stand-up.",
                        "atIso": "2026-01-02T09:00",
                        "rrule": "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR",
                    },
                )
            ],
            "| then 2026-01-05T09:00:00+00:00 [UTC], 2026-01-06T09:00:00+00:00 [UTC]",
        ),
        (
            "the first Monday of each month",
            [(ADD, {"message": "Review.", "rrule": "FREQ=MONTHLY;BYDAY=1MO;BYHOUR=10"})],
            (
                f"next {at('01-05T10')} (~381600s) | repeats FREQ=MONTHLY;BYDAY=1MO;BYHOUR=10 [UTC] | "
                f'"Review." | then {at("02-02T10")}, {at("03-02T10")}'
            ),
        ),
        (
            "every other Friday until Christmas",
            [
                (
                    ADD,
                    {
                        "message": "Backup.",
                        "rrule": "FREQ=WEEKLY;INTERVAL=2;BYDAY=FR;BYHOUR=16",
                        "until": "2026-12-25",
                    },
                )
            ],
            f'| until {at("12-18T16")} | "Backup." | then {at("01-16T16")}, {at("01-30T16")}',
        ),
        (
            "remind me in an hour, but not if it is already tomorrow",
            [(ADD, {"message": "Call back.", "inHours": 1, "expiresAfterHours": 23})],
            "(~3600s) | one-shot | expires after 82800s",
        ),
        (
            "five times, an hour apart",
            [(ADD, {"message": "Look at the oven.", "everyHours": 1, "count": 5})],
            "(~3600s) | repeats every 3600s | until 2026-01-01T05:00:00+00:00 [UTC]",
        ),
        (
            "snooze that by ten minutes",
            [
                (ADD, {"message": "Stand-up.", "rrule": WEEKDAYS}),
                (UPDATE, {"id": "rem_1", "atIso": "2026-01-01T09:10"}),
            ],
            f'(~33000s) | repeats {WEEKDAYS} [UTC] | "Stand-up." | then {at("01-02T09")}, {at("01-05T09")}',
        ),
        (
            "make it daily at eight instead",
            [
                (ADD, {"message": "Stand-up.", "rrule": WEEKDAYS}),
                (UPDATE, {"id": "rem_1", "rrule": "FREQ=DAILY;BYHOUR=8"}),
            ],
            "next 2026-01-01T08:00:00+00:00 [UTC] (~28800s) | repeats FREQ=DAILY;BYHOUR=8 [UTC]",
        ),
        (
            "move it to Berlin time",
            [
                (ADD, {"message": "Stand-up.", "rrule": WEEKDAYS}),
                (UPDATE, {"id": "rem_1", "rrule": WEEKDAYS, "timezone": "Europe/Berlin"}),
            ],
            f"next {at('01-01T08')} (~28800s) | repeats {WEEKDAYS} [Europe/Berlin]",
        ),
        (
            "check the build in 20 minutes, then every 10",
            [(ADD, {"message": "Check the build.", "inMinutes": 20, "everyMinutes": 10})],
            "next 2026-01-01T00:20:00+00:00 [UTC] (~1200s) | repeats every 600s",
        ),
        (
            "wake me up in an hour and a half",
            [(ADD, {"message": "It is time.", "inHours": 1.5})],
            "(~5400s) | one-shot",
        ),
        (
            "let the heartbeat ask for open threads instead",
            [(CONFIGURE, {"message": "Look for open threads."})],
            'next in ~14400s | reminders=0 | delivery=ok | message="Look for open threads."',
        ),
        (
            "see whether wakes arrive",
            [("heartbeat_trigger", {})],
            "Heartbeat fired. Heartbeat ACTIVE",
        ),
        (
            "a call from a host that fills what was left out",
            [
                (
                    ADD,
                    {
                        "message": "Tea.",
                        "inMinutes": 5,
                        "inSeconds": 0,
                        "inHours": None,
                        "atIso": None,
                        "everySeconds": None,
                        "everyMinutes": None,
                        "everyHours": None,
                    },
                )
            ],
            "(~300s) | one-shot",
        ),
    ],
    ids=lambda value: value if isinstance(value, str) and "|" not in value else "",
)
def test_what_can_be_meant_is_done_at_the_first_try(task: str, calls: list[Call], said: str) -> None:
    """6.2 to 6.5, 10, 11.2"""
    bench = Bench()
    replies = [bench.call(tool, **arguments) for tool, arguments in calls]
    assert not [reply.text for reply in replies if reply.is_error], task
    assert said in replies[-1].text


def test_cancel_the_plants_one() -> None:
    """6.6, 6.7: the id is in the list, at the start of the line."""
    bench = Bench()
    bench.call(ADD, message="tea", inHours=1)
    bench.call(ADD, message="Water the plants.", everyHours=24)
    listed = bench.call("reminder_list").text.splitlines()
    (line,) = (line for line in listed if "plants" in line)
    assert bench.call(CANCEL, id=line.split(" | ")[0]).text.startswith("Cancelled ")


@pytest.mark.parametrize(
    ("first", "advice", "then"),
    [
        (
            (ADD, {"message": "Two days.", "inDays": 2}),
            ["inDays is not supported: use inHours, 24 for each day"],
            (ADD, {"message": "Two days.", "inHours": 48}),
        ),
        (
            (ADD, {"message": "Stand-up.", "at": "09:00", "days": ["mon", "tue"]}),
            [
                "use atIso with a full date, as in 2026-10-10T08:00",
                "for certain days use rrule, as in FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR;BYHOUR=9",
            ],
            (ADD, {"message": "Stand-up.", "rrule": "FREQ=WEEKLY;BYDAY=MO,TU;BYHOUR=9"}),
        ),
        (
            (ADD, {"message": "Tea.", "atIso": "17:00"}),
            ["write a full date", "it is now 2026-01-01T00:00:00+00:00 [UTC]"],
            (ADD, {"message": "Tea.", "atIso": "2026-01-01T17:00"}),
        ),
        (
            (ADD, {"message": "Tea.", "cron": "0 8 * * *"}),
            ["cron is not supported: use rrule, as in FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR;BYHOUR=9"],
            (ADD, {"message": "Tea.", "rrule": "FREQ=DAILY;BYHOUR=8"}),
        ),
        (
            (ADD, {"message": "Tea.", "inHours": 1, "days": ["mon"]}),
            ["days is not supported: ", "for certain days use rrule, as in FREQ=WEEKLY;BYDAY=MO,"],
            (ADD, {"message": "Tea.", "rrule": "FREQ=WEEKLY;BYDAY=MO;BYHOUR=9"}),
        ),
        (
            (ADD, {"message": "Tea.", "rrule": "FREQ=DAILY", "byday": ["MO"], "byhour": 9}),
            ["rrule does not say at what time of day; add BYHOUR to it, as in ;BYHOUR=9, or send atIso"],
            (ADD, {"message": "Tea.", "rrule": "FREQ=DAILY;BYDAY=MO;BYHOUR=9"}),
        ),
        (
            (ADD, {"message": "Tea.", "freq": "weekly", "byday": "MO", "interval": 2}),
            [
                "it does not say when: send a delay",
                "or a recurrence (everySeconds, everyMinutes, everyHours, or rrule)",
                "interval is no argument of reminder_add",
            ],
            (ADD, {"message": "Tea.", "rrule": "FREQ=WEEKLY;INTERVAL=2;BYDAY=MO;BYHOUR=9"}),
        ),
        (
            (ADD, {"message": "Tea.", "rrule": "every weekday at 9"}),
            ["rrule: ", "FREQ"],
            (ADD, {"message": "Tea.", "rrule": WEEKDAYS}),
        ),
        (
            (ADD, {"message": "Tea.", "rrule": "weekdays at nine"}),
            ["rrule: ", "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR;BYHOUR=9"],
            (ADD, {"message": "Tea.", "rrule": WEEKDAYS}),
        ),
        (
            (ADD, {"message": "Tea.", "rrule": "FREQ=HOURLY;INTERVAL=2"}),
            ["every"],
            (ADD, {"message": "Tea.", "everyHours": 2}),
        ),
        (
            (ADD, {"message": "Tea.", "rrule": "FREQ=DAILY;BYHOUR=9", "tz": "Europe/Berlin"}),
            ["tz is not supported: use timezone, with an IANA name such as Europe/Berlin"],
            (ADD, {"message": "Tea.", "rrule": "FREQ=DAILY;BYHOUR=9", "timezone": "Europe/Berlin"}),
        ),
        (
            (ADD, {"message": "Tea.", "everyHours": 1, "times": 5}),
            ["times is not supported: use count for how often in all"],
            (ADD, {"message": "Tea.", "everyHours": 1, "count": 5}),
        ),
        (
            (UPDATE, {"id": "rem_1", "timezone": "Europe/Berlin"}),
            ["timezone alone changes nothing; send the rule with it as rrule: the rule is FREQ=DAILY;"],
            (UPDATE, {"id": "rem_1", "rrule": "FREQ=DAILY;BYHOUR=9", "timezone": "Europe/Berlin"}),
        ),
        (
            (UPDATE, {"id": "rem_1", "snooze": 10, "minutes": 10}),
            ["did you mean inMinutes, everyMinutes or expiresAfterMinutes?"],
            (UPDATE, {"id": "rem_1", "inMinutes": 10}),
        ),
        (
            (UPDATE, {"reminderId": "rem_1", "inMinutes": 10}),
            ["id is missing"],
            (UPDATE, {"id": "rem_1", "inMinutes": 10}),
        ),
        (
            (CONFIGURE, {"paused": True, "until": "2026-01-02T08:00"}),
            ["a pause until paused is false; use reminder_add to be told when to send it"],
            (CONFIGURE, {"paused": True}),
        ),
        (
            (CONFIGURE, {"everyMinutes": 90, "mode": "silent"}),
            ["did you mean deliveryMode?", "heartbeat_configure takes intervalSeconds, intervalMinutes,"],
            (CONFIGURE, {"intervalMinutes": 90, "deliveryMode": "silent"}),
        ),
        (
            (CONFIGURE, {"intervalMinutes": "90"}),
            ['"90" is a text: send 90'],
            (CONFIGURE, {"intervalMinutes": 90}),
        ),
        (
            (ADD, {"text": "Tea.", "minutes": 5}),
            [
                "message is missing",
                "did you mean inMinutes, everyMinutes or expiresAfterMinutes?",
                "Note: text was ignored; reminder_add takes",
            ],
            (ADD, {"message": "Tea.", "inMinutes": 5}),
        ),
        (
            (CANCEL, {"message": "plants"}),
            ["id is missing; it must be a text, the id of a reminder as reminder_list shows it"],
            ("reminder_list", {}),
        ),
        (
            (ADD, '{"message": "Tea.", "inMinutes": 5}'),
            ["send the object itself, not its JSON as a text"],
            (ADD, {"message": "Tea.", "inMinutes": 5}),
        ),
    ],
    ids=lambda value: str(value[1])[:60] if isinstance(value, tuple) else "",
)
def test_one_refusal_is_enough_to_send_the_right_call_next(
    first: tuple[str, object], advice: list[str], then: Call
) -> None:
    """6.8, 6.9, 10.1, 11.2"""
    bench = Bench()
    bench.call(ADD, message="Plants.", rrule="FREQ=DAILY;BYHOUR=9")
    refused = bench.toolbox.call(*first)
    assert refused.is_error
    assert not [words for words in advice if words not in refused.text]
    assert not bench.call(then[0], **then[1]).is_error


def test_a_time_of_today_that_is_over_shows_in_the_reply() -> None:
    """6.5: a model that does not know the time sees what it has set, and what time it is."""
    bench = Bench()
    bench.clock.advance(timedelta(hours=9))
    text = bench.call(ADD, message="Good morning.", atIso="2026-01-01T08:00", everyHours=24).text
    assert "it is now 2026-01-01T09:00:00+00:00 [UTC], so it is due at once" in text
