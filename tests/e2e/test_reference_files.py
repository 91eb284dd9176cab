"""Files in the reference's format: a real server takes them as they are and uses what they say (8.1)."""

from __future__ import annotations

import json

from heartbeat_adapters.testing.push_answers import CarefulHost
from server_folder import ServerFolder, epoch_ms, row

REMINDER_MEMBERS = {"id", "message", "createdAt", "fireAt", "everySeconds"}


def test_files_of_the_reference_load_unchanged_and_are_used(folder: ServerFolder) -> None:
    """8.1, 8.2: schedule, countdown and reminders go on where the other server left them."""
    due = epoch_ms(1800)
    folder.write_config(intervalSeconds=5400, message="Schau nach. 🫀", nextFireAt=due)
    overdue = row("rem_k3j9x_a1", -120, message="Mom: überfällig")
    daily = row("rem_k3j9x_b2", 3600, every=86400, message="daily")
    folder.write_reminders(overdue, daily)
    before = folder.config_file.read_bytes()
    with folder.host(CarefulHost()) as host:
        host.handshake()
        status = host.call("heartbeat_status").text
        assert status.startswith("Heartbeat ACTIVE | mode=message | interval=5400s (1.50h) | next in ~1")
        assert 'message="Schau nach. 🫀"' in status
        wake = host.next_wake()
        assert wake.reminder_id == overdue["id"]
        assert ", due " in str(wake.text)
        assert str(wake.text).endswith("] Mom: überfällig")
        host.no_wake_for(0.1)
        assert "repeats every 86400s" in host.call("reminder_list").text
    assert folder.config == json.loads(before)
    assert folder.reminders == [daily]
    assert folder.names == {folder.config_file.name, folder.reminders_file.name}


def test_what_is_written_is_what_the_reference_reads(folder: ServerFolder) -> None:
    """8.1: the same members with the same types, indented for people."""
    with folder.host(CarefulHost()) as host:
        host.handshake()
        host.call("heartbeat_configure", intervalHours=1)
        host.call("reminder_add", message="ä\u2028\n", inHours=1, everySeconds=7.5)
        host.call("reminder_add", message="b", inHours=2)
    config = folder.config
    assert {name: type(value) for name, value in config.items()} == {
        "intervalSeconds": int,
        "paused": bool,
        "message": str,
        "deliveryMode": str,
        "nextFireAt": int,
    }
    first, second = folder.reminders
    assert set(first) == set(second) == REMINDER_MEMBERS
    assert (first["message"], first["everySeconds"], second["everySeconds"]) == ("ä\u2028\n", 7.5, None)
    assert first["fireAt"] - first["createdAt"] == 3_600_000
    assert folder.config_file.read_text().startswith('{\n  "intervalSeconds"')


def test_a_config_from_before_countdowns_were_kept_starts_one(folder: ServerFolder) -> None:
    """8.2: `nextFireAt` is saved at the first start."""
    folder.config_file.write_text('{"intervalSeconds": 600, "paused": false, "message": "Hi."}')
    with folder.host(CarefulHost()) as host:
        host.handshake()
        host.call("heartbeat_status")
    assert 590_000 < folder.config["nextFireAt"] - epoch_ms(0) <= 600_000
    assert folder.config["message"] == "Hi."
