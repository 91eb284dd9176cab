"""The names of a call: which the tool takes, which are slips, which ask for what it cannot do (6.9)."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from heartbeat_core.tools.arguments import Arguments, takes
from heartbeat_core.tools.shown import MOST_NAMES, all_of, either, shown_name
from heartbeat_core.tools.slips import Slip, find_slips
from heartbeat_core.tools.texts import is_blank

Elsewhere = Mapping[str, Collection[str]]
"""By tool, the names that the other tools take."""


def judge_names(
    model: type[Arguments], tool: str, sent: Mapping[str, object], elsewhere: Elsewhere
) -> tuple[list[str], list[str]]:
    """Give what is wrong with the names, one line each, and the names to ignore, in the order sent."""
    unknown = [name for name in sent if name not in model.model_fields]
    if not unknown:
        return [], []
    found = {name: _advice(name, model.unsupported) for name in unknown}
    advice = {name: words for name, words in found.items() if words is not None}
    asking = [name for name in advice if not _is_false_or_empty(sent[name])]
    problems = [f"{shown_name(name)} is not supported: {advice[name]}" for name in asking]
    others = dict.fromkeys(name for names in elsewhere.values() for name in names)
    weighed = [name for name in sent if name not in advice]
    slips = find_slips(weighed, list(model.model_fields), list(others))
    problems += [_slip(slip, model, tool, elsewhere) for slip in slips]
    refused = {*asking, *(slip.sent for slip in slips)}
    return _first_of(problems), [name for name in unknown if name not in refused]


def _advice(name: str, unsupported: Mapping[str, str]) -> str | None:
    """What to use instead of a name that asks for what the tool cannot do; None for other names.

    It does not matter how the name is written: `everyDay`, `every_days` and `EVERY-DAYS` are one.
    """
    plain = "".join(filter(str.isalnum, name.casefold()))
    variants = (plain, f"{plain}s", plain.removesuffix("s"))
    return next((unsupported[word] for word in variants if word in unsupported), None)


def _is_false_or_empty(value: object) -> bool:
    """Whether it is `false`, 0, a blank text or an empty list: what some clients must send (6.9)."""
    if isinstance(value, str):
        return is_blank(value)
    return isinstance(value, bool | int | float | list | tuple) and not value


def _slip(slip: Slip, model: type[Arguments], tool: str, elsewhere: Elsewhere) -> str:
    start = f"{shown_name(slip.sent)} is no argument of {tool}"
    if slip.meant:
        return f"{start}; did you mean {either(slip.meant)}?"
    if slip.sent in slip.elsewhere:
        return f"{start}, but of {_homes(slip.sent, elsewhere)}; {takes(model, tool)}"
    homes = [f"{name} of {_homes(name, elsewhere)}" for name in slip.elsewhere]
    return f"{start}; it looks like {either(homes)}; {takes(model, tool)}"


def _homes(name: str, elsewhere: Elsewhere) -> str:
    return all_of([tool for tool, names in elsewhere.items() if name in names])


def _first_of(problems: list[str]) -> list[str]:
    """All of them, unless they are so many that the rest of the reply would be cut by the host."""
    more = len(problems) - MOST_NAMES
    return problems if more <= 0 else [*problems[:MOST_NAMES], f"{more} more names are refused like these"]
