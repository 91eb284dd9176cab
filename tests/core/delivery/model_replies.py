"""What the agent is told, against the model: the replies of status and list."""

from __future__ import annotations

from datetime import datetime

from delivery_model import Model


def check_status(reply: str, model: Model) -> None:
    beat, reason = model.beat, model.reason
    assert reply.startswith(f"Heartbeat {'PAUSED' if beat.paused else 'ACTIVE'} | mode={beat.mode}")
    assert f" | reminders={len(model.reminders)} | " in reply
    assert f" | delivery={'ok' if reason is None else f'BLOCKED ({reason})'} | " in reply
    assert ("| next in ~" in reply) == (reason is None and not beat.paused)


def check_list(reply: str, model: Model, now: datetime) -> None:
    lines = reply.splitlines()
    if not model.reminders:
        assert lines[0] == "No reminders set."
        return
    assert lines[0] == f"{len(model.reminders)} reminder(s):"
    shown = lines[1 : 1 + len(model.reminders)]
    assert [line.split(" | ")[0] for line in shown] == [
        r.id for r in sorted(model.reminders.values(), key=lambda r: (r.due, r.id))
    ]
    for line in shown:
        r = model.reminders[line.split(" | ")[0]]
        out = bool(model.outs_of(r.id))
        assert ("(overdue)" in line) == (r.due <= now)
        assert ("wake sent" in line) == out, line
        assert ("held since" in line) == (r.held and not out), line
    notes = "\n".join(lines[1 + len(model.reminders) :])
    assert (str(model.reason) in notes) == (model.reason is not None)
