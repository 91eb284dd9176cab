"""Which unknown names are slips, and for what (6.9), with names that the tools take."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from heartbeat_core.tools import slips
from heartbeat_core.tools.slips import Slip, find_slips

TAKES = {
    "heartbeat_status": (),
    "heartbeat_configure": (
        "intervalSeconds",
        "intervalMinutes",
        "intervalHours",
        "paused",
        "deliveryMode",
        "message",
    ),
    "heartbeat_trigger": (),
    "reminder_add": (
        "message",
        "inSeconds",
        "inMinutes",
        "inHours",
        "atIso",
        "everySeconds",
        "everyMinutes",
        "everyHours",
    ),
    "reminder_list": (),
    "reminder_cancel": ("id",),
}
ALL = list(dict.fromkeys(name for names in TAKES.values() for name in names))

unhurried = settings(deadline=None)

tools = st.sampled_from(list(TAKES))
known_names = st.sampled_from([(tool, name) for tool, names in TAKES.items() for name in names])
letters = st.sampled_from("abcdefghijklmnopqrstuvwxyzABCXYZ_09é")
names = st.text(letters, max_size=20)


def weigh(tool: str, *sent: str) -> tuple[list[Slip], list[str]]:
    elsewhere = [name for other, names in TAKES.items() if other != tool for name in names]
    slips = find_slips(sent, TAKES[tool], elsewhere)
    known = {*TAKES[tool], *(slip.sent for slip in slips)}
    return slips, [name for name in sent if name not in known]


# The table


@pytest.mark.parametrize(
    ("tool", "sent", "found", "ignored"),
    [
        ("heartbeat_configure", "mode", [Slip("mode", ("deliveryMode",))], []),
        (
            "heartbeat_configure",
            "heartbeatIntervalMinutes",
            [Slip("heartbeatIntervalMinutes", ("intervalMinutes",))],
            [],
        ),
        ("heartbeat_configure", "paused pausedReason", [], ["pausedReason"]),
        ("heartbeat_configure", "paused pausedMessage", [Slip("pausedMessage", ("message",))], []),
        ("heartbeat_configure", "pausedReason", [Slip("pausedReason", ("paused",))], []),
        ("heartbeat_configure", "Paused paused", [Slip("Paused", ("paused",))], []),
        ("heartbeat_configure", "intervalMins", [Slip("intervalMins", ("intervalMinutes",))], []),
        (
            "heartbeat_configure",
            "interval",
            [Slip("interval", ("intervalSeconds", "intervalMinutes", "intervalHours"))],
            [],
        ),
        ("heartbeat_configure", "everyHours paused", [Slip("everyHours", (), ("everyHours",))], []),
        ("heartbeat_configure", "note", [], ["note"]),
        ("heartbeat_status", "verbose", [], ["verbose"]),
        ("heartbeat_trigger", "message", [Slip("message", (), ("message",))], []),
        ("reminder_add", "message inHours inMinutess", [Slip("inMinutess", ("inMinutes",))], []),
        ("reminder_cancel", "reminderId", [], ["reminderId"]),
    ],
)
def test_the_names_of_a_call_are_weighed_as_the_table_has_it(
    tool: str, sent: str, found: list[Slip], ignored: list[str]
) -> None:
    """6.9, the table"""
    assert weigh(tool, *sent.split()) == (found, ignored)


# Each rule, from both sides


@pytest.mark.parametrize(
    ("tool", "sent", "meant"),
    [
        # (a)
        ("heartbeat_configure", "PAUSED", "paused"),
        ("heartbeat_configure", "deliverymode", "deliveryMode"),
        ("heartbeat_configure", "MeSsAgE", "message"),
        ("reminder_add", "atISO", "atIso"),
        ("reminder_add", "inhours", "inHours"),
        ("reminder_cancel", "ID", "id"),
        ("reminder_cancel", "Id", "id"),
        # (b) one edit for two letters
        ("reminder_cancel", "ids", "id"),
        ("reminder_cancel", "i", "id"),
        ("reminder_cancel", "di", "id"),
        ("reminder_cancel", "ix", "id"),
        ("reminder_cancel", "I_D", "id"),
        # (b) two for up to seven
        ("heartbeat_configure", "pause", "paused"),
        ("heartbeat_configure", "puased", "paused"),
        ("heartbeat_configure", "apusde", "paused"),
        ("heartbeat_configure", "pawsd", "paused"),
        ("heartbeat_configure", "masage", "message"),
        ("heartbeat_configure", "massages", "message"),
        ("reminder_add", "at_iso", "atIso"),
        ("reminder_add", "at__iso", "atIso"),
        ("reminder_add", "aitso", "atIso"),
        ("reminder_add", "inHuors", "inHours"),
        # (b) three from eight
        ("heartbeat_configure", "delivery_mode", "deliveryMode"),
        ("heartbeat_configure", "deliverMod", "deliveryMode"),
        ("heartbeat_configure", "interval_hours", "intervalHours"),
        ("heartbeat_configure", "interval__hors", "intervalHours"),
        ("heartbeat_configure", "itnervlaHorus", "intervalHours"),
        ("reminder_add", "evrySecnds", "everySeconds"),
        ("reminder_add", "every_hours", "everyHours"),
        ("reminder_add", "inMins", "inMinutes"),
        ("reminder_add", "evreyMinuts", "everyMinutes"),
        # (c)
        ("heartbeat_configure", "mod", "deliveryMode"),
        ("heartbeat_configure", "delivery", "deliveryMode"),
        ("heartbeat_configure", "seconds", "intervalSeconds"),
        ("heartbeat_configure", "HOURS", "intervalHours"),
        ("heartbeat_configure", "msg", ""),
        ("heartbeat_configure", "mes", "message"),
        ("heartbeat_configure", "se", ""),
        ("reminder_add", "iso", "atIso"),
        ("reminder_add", "minutes", "inMinutes everyMinutes"),
        ("reminder_add", "every", "everySeconds everyMinutes everyHours"),
        ("reminder_add", "in", ""),
        ("reminder_add", "at", ""),
        # (d)
        ("heartbeat_configure", "isPausedNow", "paused"),
        ("heartbeat_configure", "wakeMessageText", "message"),
        ("heartbeat_configure", "pausedMessage", "paused message"),
        ("reminder_add", "remindInMinutesFromNow", "inMinutes"),
        ("reminder_add", "atIsoString", "atIso"),
        ("reminder_cancel", "reminder_id", ""),
        ("reminder_cancel", "identifier", ""),
        # One edit too many, and other names that mean nothing here
        ("reminder_cancel", "idid", ""),
        ("reminder_cancel", "x", ""),
        ("reminder_cancel", "", ""),
        ("heartbeat_configure", "paxxxd", ""),
        ("heartbeat_configure", "pse", ""),
        ("heartbeat_configure", "upasde", ""),
        ("reminder_add", "sio", ""),
        ("heartbeat_configure", "missing", ""),
        ("heartbeat_configure", "delixxxxMode", ""),
        ("heartbeat_configure", "enabled", ""),
        ("heartbeat_configure", "intervalDays", ""),
        ("heartbeat_configure", "reason", ""),
        ("heartbeat_configure", "cron", ""),
        ("reminder_add", "days", ""),
        ("reminder_add", "inDays", ""),
        ("reminder_add", "timezone", ""),
        ("reminder_add", "until", ""),
        ("reminder_add", "repeat", ""),
        ("reminder_add", "title", ""),
        ("reminder_add", "priority", ""),
        ("reminder_add", "_meta", ""),
        ("heartbeat_status", "", ""),
        ("reminder_list", "limit", ""),
    ],
)
def test_a_name_alone_is_a_slip_for_these_names_of_its_tool(tool: str, sent: str, meant: str) -> None:
    """6.9 (a) to (d)"""
    expected = [Slip(sent, tuple(meant.split()))] if meant else []
    assert weigh(tool, sent) == (expected, [] if meant else [sent])


@pytest.mark.parametrize(
    ("tool", "sent", "elsewhere"),
    [
        ("heartbeat_trigger", "Paused", "paused"),
        ("heartbeat_trigger", "mesage", "message"),
        ("heartbeat_status", "mode", "deliveryMode"),
        ("heartbeat_status", "interval", "intervalSeconds intervalMinutes intervalHours"),
        ("heartbeat_configure", "atIso", "atIso"),
        ("heartbeat_configure", "inMinutess", "inMinutes"),
        ("heartbeat_configure", "id", "id"),
        ("reminder_cancel", "reminderMessage", "message"),
        ("reminder_add", "deliveryMode", "deliveryMode"),
        ("reminder_add", "ID", "id"),
        ("reminder_list", "id", "id"),
        # A name of two letters has no edits, parts or longer names in other tools
        ("reminder_list", "ids", ""),
        ("reminder_list", "is", ""),
        ("reminder_add", "d", ""),
        ("heartbeat_status", "width", ""),
    ],
)
def test_a_name_that_is_nothing_here_may_be_a_slip_for_one_of_another_tool(
    tool: str, sent: str, elsewhere: str
) -> None:
    """6.9"""
    expected = [Slip(sent, (), tuple(elsewhere.split()))] if elsewhere else []
    assert weigh(tool, sent) == (expected, [] if elsewhere else [sent])


def test_names_of_other_tools_are_not_looked_at_where_this_tool_has_one() -> None:
    """6.9"""
    assert weigh("heartbeat_configure", "hours") == ([Slip("hours", ("intervalHours",))], [])


@pytest.mark.parametrize(
    ("sent", "found"),
    [
        ("message messages", "messages"),
        ("message myMessage", "myMessage"),  # two edits, so (b) catches it whatever else is sent
        ("message reminderMessage", ""),
        ("messages reminderMessage", "messages reminderMessage"),
        ("Message reminderMessage", "Message reminderMessage"),
        ("inHours hours", "hours"),
        ("inHours checkInHoursLater", ""),
        ("everyHours checkInHoursLater", "checkInHoursLater"),
    ],
)
def test_only_a_longer_name_is_excused_by_the_known_name_beside_it(sent: str, found: str) -> None:
    """6.9 (d)"""
    assert [slip.sent for slip in weigh("reminder_add", *sent.split())[0]] == found.split()


def test_letters_that_differ_only_in_case_are_the_same_in_every_script() -> None:
    """6.9 (a): a long s is an s."""
    assert find_slips(["\u017f" * 4], ["ssss"], []) == [Slip("\u017f" * 4, ("ssss",))]


def test_the_closest_name_comes_first() -> None:
    """6.9: what was probably meant."""
    found = find_slips(["lamp"], ["lampshade", "limps", "lamps", "LAMP", "clamp"], [])
    assert found == [Slip("lamp", ("LAMP", "lamps", "clamp", "limps", "lampshade"))]


def test_an_edit_between_swapped_letters_costs_no_more_than_itself() -> None:
    """6.9 (b): unrestricted Damerau-Levenshtein; optimal string alignment would find three edits."""
    assert find_slips(["xyzca"], ["xyzabc"], []) == [Slip("xyzca", ("xyzabc",))]
    assert find_slips(["xyabc"], ["xyca"], []) == []  # one edit is allowed here, and it takes two


@pytest.mark.parametrize(
    ("known", "allowed"), [("abcd", 1), ("abcde", 2), ("abcdefg", 2), ("abcdefgh", 3), ("abcdefghijkl", 3)]
)
def test_longer_names_forgive_more_edits(known: str, allowed: int) -> None:
    """6.9 (b)"""
    assert find_slips(["1" * allowed + known[allowed:]], [known], [])
    assert not find_slips(["1" * (allowed + 1) + known[allowed + 1 :]], [known], [])


def test_slips_and_ignored_names_keep_the_order_sent() -> None:
    """6.9"""
    found, ignored = weigh("reminder_add", "zebra", "hours", "message", "apple", "Message", "atIsos")
    assert [slip.sent for slip in found] == ["hours", "Message", "atIsos"]
    assert ignored == ["zebra", "apple"]


# For all names


@given(tools, st.data())
def test_a_name_that_the_tool_takes_is_neither_a_slip_nor_ignored(tool: str, data: st.DataObject) -> None:
    """6.9"""
    sent = data.draw(st.lists(st.sampled_from(TAKES[tool]) if TAKES[tool] else st.nothing(), unique=True))
    assert weigh(tool, *sent) == ([], [])


@given(tools, st.sampled_from(ALL), st.data())
def test_any_case_variant_of_any_known_name_is_a_slip_for_it(
    tool: str, known: str, data: st.DataObject
) -> None:
    """6.9 (a)"""
    upper = data.draw(st.lists(st.booleans(), min_size=len(known), max_size=len(known)))
    sent = "".join(c.upper() if up else c.lower() for c, up in zip(known, upper, strict=True))
    assume(sent not in TAKES[tool])
    [slip], ignored = weigh(tool, sent, *(name for name in TAKES[tool] if name != sent))
    assert ignored == []
    assert (slip.meant or slip.elsewhere)[0] == known


def edited(name: str) -> Iterator[str]:
    """Every name that is one edit away, with one letter for all letters."""
    for at in range(len(name) + 1):
        yield name[:at] + "q" + name[at:]
        if at < len(name):
            yield name[:at] + name[at + 1 :]
            yield name[:at] + "q" + name[at + 1 :]
        if at + 1 < len(name):
            yield name[:at] + name[at + 1] + name[at] + name[at + 2 :]


@pytest.mark.parametrize(
    ("tool", "known"),
    [(tool, name) for tool in TAKES for name in ALL if name != "id" or TAKES[tool] == ("id",)],
)
def test_every_single_edit_of_a_known_name_is_a_slip_for_it(tool: str, known: str) -> None:
    """6.9 (b), in its own tool and in every other, and whether or not the name itself is sent too."""
    for sent, others in product(set(edited(known)) - set(ALL), ((), TAKES[tool])):
        [slip], ignored = weigh(tool, sent, *others)
        assert ignored == []
        assert known in (slip.meant if known in TAKES[tool] else slip.elsewhere) or slip.meant


@given(known_names, st.data())
def test_any_part_of_three_letters_or_more_is_a_slip_for_its_name(
    known: tuple[str, str], data: st.DataObject
) -> None:
    """6.9 (c)"""
    tool, name = known
    assume(len(name) > 3)
    start = data.draw(st.integers(0, len(name) - 3))
    sent = name[start : data.draw(st.integers(start + 3, len(name)))]
    assume(sent not in TAKES[tool])
    [slip], _ = weigh(tool, sent, *TAKES[tool])
    assert name in slip.meant


@given(known_names, names, names)
def test_any_longer_name_is_a_slip_unless_the_name_itself_is_sent(
    known: tuple[str, str], before: str, after: str
) -> None:
    """6.9 (d)"""
    tool, name = known
    sent = f"{before}{name}{after}"
    assume(len(name) >= 3 and sent not in TAKES[tool])
    [slip], _ = weigh(tool, sent)
    assert name in slip.meant
    if len(sent) - len(name) > 3:  # too long for (b)
        assert all(name not in slip.meant for slip in weigh(tool, sent, name)[0])


@unhurried
@given(tools, st.lists(names | st.sampled_from(ALL), unique=True))
def test_the_order_of_names_does_not_matter_to_what_is_found(tool: str, sent: list[str]) -> None:
    """6.9"""
    found, ignored = weigh(tool, *sent)
    backwards, also_ignored = weigh(tool, *reversed(sent))
    assert backwards == found[::-1]
    assert also_ignored == ignored[::-1]


@unhurried
@given(tools, st.lists(names, unique=True))
def test_each_name_is_weighed_on_its_own(tool: str, sent: list[str]) -> None:
    """6.9: no unknown name changes what another one is."""
    unknown = [name for name in sent if name not in TAKES[tool]]
    alone = [weigh(tool, name) for name in unknown]
    assert weigh(tool, *unknown) == (
        [slip for found, _ in alone for slip in found],
        [name for _, ignored in alone for name in ignored],
    )


def damerau_levenshtein(one: str, other: str) -> int:
    """The textbook table, to compare with: a row a letter, and where each letter was last seen."""
    far = len(one) + len(other)
    table = {(-1, -1): far}
    for i in range(len(one) + 1):
        table[i, -1], table[i, 0] = far, i
    for j in range(len(other) + 1):
        table[-1, j], table[0, j] = far, j
    last_row: dict[str, int] = {}
    for i, mine in enumerate(one, 1):
        last_column = 0
        for j, yours in enumerate(other, 1):
            k, m = last_row.get(yours, 0), last_column
            if mine == yours:
                last_column = j
            table[i, j] = min(
                table[i - 1, j - 1] + (mine != yours),
                table[i - 1, j] + 1,
                table[i, j - 1] + 1,
                table[k - 1, m - 1] + (i - k - 1) + 1 + (j - m - 1),
            )
        last_row[mine] = i
    return table[len(one), len(other)]


few_letters = st.text("abc", max_size=9)


@settings(unhurried, max_examples=1000)
@given(few_letters, st.text("abc", min_size=8, max_size=11))
def test_edits_are_counted_as_the_textbook_counts_them(sent: str, known: str) -> None:
    """6.9 (b), against the whole table: three edits for names of eight letters and more."""
    caught = bool(find_slips([sent], [known], []))
    is_part = len(sent) >= 3 and sent in known
    assert caught is (sent != known and (damerau_levenshtein(sent, known) <= 3 or is_part))


def test_long_names_cost_no_edit_to_compare(monkeypatch: pytest.MonkeyPatch) -> None:
    """6.9: a thousand names of a thousand letters are told from the known ones by their length."""
    steps = count_steps(monkeypatch)
    sent = ["x" * at + "y" * (1000 - at) for at in range(1000)]
    assert weigh("heartbeat_configure", *sent) == ([], sent)
    assert len(steps) <= 3 * len(sent) * len(ALL)


def test_names_of_the_worst_kind_cost_a_fixed_number_of_steps_each(monkeypatch: pytest.MonkeyPatch) -> None:
    """6.9: all as long as a known name and made of its letters."""
    steps = count_steps(monkeypatch)
    sent = ["intervalminutes"[at:] + "intervalminutes"[:at] for at in range(1, 15)]
    weigh("heartbeat_configure", *sent)
    assert len(steps) <= 80 * len(sent) * len(ALL)


def count_steps(monkeypatch: pytest.MonkeyPatch) -> list[None]:
    """A list that grows by one with each pair of names, or rests of names, that is compared."""
    steps: list[None] = []
    compare = slips._within

    def counted(edits: int, one: str, other: str) -> bool:
        steps.append(None)
        return compare(edits, one, other)

    monkeypatch.setattr(slips, "_within", counted)
    return steps
