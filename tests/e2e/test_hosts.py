"""A real server process with each kind of host that there is, from handshake to stop.

What only a real process shows; rules are proved on the core. Each host is played by the
shipped `ScriptedHost`, which fails by itself where stdout carries anything but JSON-RPC.
"""

from __future__ import annotations

import re

import pytest

from heartbeat_adapters.testing.push_answers import (
    Accept,
    CarefulHost,
    ForgetfulHost,
    Refuse,
    leave_unanswered,
    refuse_empty,
)
from heartbeat_adapters.testing.scripted_host import Direction, HostError, ScriptedHost
from server_folder import ServerFolder, epoch_ms, row

TOOLS = {
    "heartbeat_status",
    "heartbeat_configure",
    "heartbeat_trigger",
    "reminder_add",
    "reminder_update",
    "reminder_list",
    "reminder_cancel",
}
TIME = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+0[12]:00 \[Europe/Berlin\]"
STOPS_WITHIN = 3.0
"""A second (1.4), and what a busy test machine adds; a server that hangs takes longer."""

IMPATIENT = ("--answer-within", "0.3")


def add_reminder(host: ScriptedHost, message: str, seconds: float, **more: object) -> str:
    reply = host.call("reminder_add", message=message, inSeconds=seconds, **more)
    assert not reply.is_error, reply
    return re.findall(r"rem_\w+", reply.text)[0]  # type: ignore[no-any-return]


def list_until(host: ScriptedHost, part: str) -> str:
    """The list of reminders, as soon as it says `part`."""
    for _ in range(200):
        text = host.call("reminder_list").text
        if part in text:
            return text
        host.listen(0.02)
    raise AssertionError(f"the list never said {part!r}: {text}")


def stop_as_hosts_do(host: ScriptedHost) -> None:
    """SIGTERM; the server ends by itself within a second, exit code 0 (1.4)."""
    host.terminate()
    assert host.wait(STOPS_WITHIN) == 0
    assert not any("Traceback" in line for line in host.log_lines)
    assert host.server.half_line == b""


# A host that speaks MCPL 0.5 and looks closely


def test_a_careful_host_gets_the_handshake_that_it_reads(folder: ServerFolder) -> None:
    """3.1, 4.1, 4.5: hello, receipt and tools, in the order and shapes that a full host checks."""
    with folder.host(CarefulHost()) as host:
        hello = host.initialize()
        assert hello["protocolVersion"] == "2024-11-05"
        assert hello["serverInfo"]["name"] == "heartbeat-mcpl"
        assert hello["capabilities"]["tools"] == {}
        mcpl = hello["capabilities"]["experimental"]["mcpl"]
        assert (mcpl["version"], mcpl["pushEvents"]) == ("0.5", True)
        assert mcpl["featureSets"]["heartbeat"]["uses"] == ["tools", "pushEvents"]
        assert mcpl["featureSets"]["heartbeat"]["rollback"] is False
        host.initialized()
        receipt = host.update_policy()
        assert receipt == {"accepted": True, "mode": "full", "unavailableFeatures": [], "notes": []}
        listed = host.request("tools/list")
        assert {tool["name"] for tool in listed["tools"]} == TOOLS
        assert "nextCursor" not in listed
        stop_as_hosts_do(host)
    assert all(crossing.line.isascii() for crossing in host.transcript)
    assert all(line.startswith("[heartbeat-mcpl] ") for line in host.log_lines)


def test_a_triggered_beat_arrives_after_its_reply_and_leaves_the_countdown(folder: ServerFolder) -> None:
    """4.6, 4.10, 6.3, 6.10: one beat now, in full."""
    with folder.host(CarefulHost()) as host:
        host.handshake()
        host.call("heartbeat_configure", message="Look around.")
        before = folder.config["nextFireAt"]
        assert host.call("heartbeat_trigger").text.startswith("Heartbeat fired. Heartbeat ACTIVE | ")
        wake = host.next_wake()
        assert wake.params["featureSet"] == "heartbeat"
        assert wake.origin == {"source": "heartbeat", "reason": "manual"}
        assert wake.text is not None
        assert re.fullmatch(rf"\[current time: {TIME}\] Look around\.", wake.text)
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", wake.timestamp)
        host.no_wake_for(0.1)
        assert folder.config["nextFireAt"] == before
        stop_as_hosts_do(host)


def test_a_scheduled_beat_comes_at_the_time_that_the_file_says(folder: ServerFolder) -> None:
    """5.2, 8.2: the countdown of the life before goes on, and its beat comes while the host is there."""
    due = epoch_ms(1.2)
    folder.write_config(intervalSeconds=600, nextFireAt=due)
    with folder.host(CarefulHost()) as host:
        host.handshake()
        assert "next in ~" in host.call("heartbeat_status").text
        wake = host.next_wake()
        assert wake.origin == {"source": "heartbeat", "reason": "schedule"}
        assert epoch_ms(0) >= due
        host.call("heartbeat_status")
        assert folder.config["nextFireAt"] == due + 600_000
        stop_as_hosts_do(host)


def test_a_beat_from_the_downtime_comes_once_after_the_receipt(folder: ServerFolder) -> None:
    """4.6, 8.2: it was due long ago, several times over."""
    folder.write_config(intervalSeconds=600, nextFireAt=epoch_ms(-2000))
    with folder.host(CarefulHost()) as host:
        host.initialize()
        host.initialized()
        host.no_wake_for(0.3)
        host.update_policy()
        assert host.wakes == []
        assert host.next_wake().origin["reason"] == "schedule"
        host.no_wake_for(0.2)
        assert folder.config["nextFireAt"] == pytest.approx(epoch_ms(400), abs=10_000)


def test_a_reminder_that_the_host_takes_is_gone_from_the_file_before_the_next_reply(
    folder: ServerFolder,
) -> None:
    """6.10, 7.2: the text, the origin and the file of a one-shot reminder."""
    with folder.host(CarefulHost()) as host:
        host.handshake()
        reminder_id = add_reminder(host, "Mom: wäsche 🧺", 0.2)
        assert [kept["id"] for kept in folder.reminders] == [reminder_id]
        wake = host.next_wake()
        assert wake.origin == {"source": "reminder", "reminderId": reminder_id, "recurring": False}
        assert wake.text is not None
        header = rf"\[reminder {reminder_id}, set {TIME} · current time: {TIME}\]"
        assert re.fullmatch(rf"{header} Mom: wäsche 🧺", wake.text)
        assert host.call("reminder_list").text == "No reminders set."
        assert folder.reminders == []
        stop_as_hosts_do(host)


def test_a_recurring_reminder_that_the_host_takes_moves_to_its_next_time(folder: ServerFolder) -> None:
    """6.4, 6.10, 7.2: first at its delay, then whole intervals from there."""
    with folder.host(CarefulHost()) as host:
        host.handshake()
        reminder_id = add_reminder(host, "stretch", 0.2, everyHours=1)
        first = folder.reminders[0]["fireAt"]
        wake = host.next_wake()
        assert wake.origin == {"source": "reminder", "reminderId": reminder_id, "recurring": True}
        assert wake.text is not None
        assert f"[reminder {reminder_id}, repeats every 3600s · current time: " in wake.text
        host.call("heartbeat_status")
        assert folder.reminders[0]["fireAt"] == first + 3_600_000


def test_a_restart_keeps_countdown_and_reminders_and_sends_again_what_was_out(folder: ServerFolder) -> None:
    """4.12, 7.4, 8.2: the wake that was out when the server stopped carries its event id again."""
    with folder.host(leave_unanswered) as host:
        host.handshake()
        add_reminder(host, "still to come", 3600)
        add_reminder(host, "out when stopped", 0.05)
        out = host.next_wake()
        before, countdown = folder.reminders, folder.config["nextFireAt"]
        stop_as_hosts_do(host)
    assert (folder.reminders, folder.config["nextFireAt"]) == (before, countdown)
    with folder.host(CarefulHost()) as host:
        host.handshake()
        again = host.next_wake()
        assert again.event_id == out.event_id
        assert "still to come" in list_until(host, "1 reminder(s):")
        assert folder.config["nextFireAt"] == countdown
        host.no_wake_for(0.1)


def test_a_host_that_knows_silent_beats_is_woken_without_a_text(folder: ServerFolder) -> None:
    """6.11: the marker that such a host looks for, exactly."""
    careful = CarefulHost()
    with folder.host(careful) as host:
        host.handshake()
        host.call("heartbeat_configure", deliveryMode="silent")
        host.call("heartbeat_trigger")
        wake = host.next_wake()
        assert wake.has_silent_marker
        assert wake.origin == {"source": "heartbeat", "reason": "manual", "silent": True}
        host.no_wake_for(0.1)
        assert "mode=silent |" in host.call("heartbeat_status").text
    assert careful.heard == [wake]


def test_a_policy_without_the_capability_is_answered_as_degraded_and_nothing_is_sent(
    folder: ServerFolder,
) -> None:
    """4.5, 4.9, 7.1: and what falls due waits until a policy lets it through."""
    folder.write_reminders(row("rem_due", -1))
    with folder.host(CarefulHost()) as host:
        host.initialize()
        host.initialized()
        receipt = host.update_policy(enabled=["heartbeat"], effectiveCapabilities=["tools"])
        assert receipt["mode"] == "degraded"
        assert receipt["unavailableFeatures"][0]["missingCapabilities"] == ["pushEvents"]
        host.no_wake_for(0.2)
        assert "(overdue)" in host.call("reminder_list").text
        assert "delivery=BLOCKED (capability not granted: pushEvents)" in host.call("heartbeat_status").text
        assert host.call("heartbeat_trigger").is_error
        host.update_policy()
        assert host.next_wake().reminder_id == "rem_due"
        host.no_wake_for(0.1)


# Hosts before 0.5


def test_a_host_that_sends_its_policy_as_a_notification_is_sent_no_wake_and_told_why(
    folder: ServerFolder,
) -> None:
    """4.1, 4.7, 4.8, 7.5: any push would be a failure."""
    folder.write_reminders(row("rem_due", -1))
    folder.write_config(intervalSeconds=600, nextFireAt=epoch_ms(2.0))
    with folder.host() as host:
        hello = host.initialize(mcpl="0.4")
        feature_sets = hello["capabilities"]["experimental"]["mcpl"]["featureSets"]
        assert [entry["name"] for entry in feature_sets] == ["heartbeat"]
        host.initialized()
        host.notify_policy()
        reason = "host sent featureSets/update only as a Notification"
        assert f"delivery=BLOCKED ({reason})" in host.call("heartbeat_status").text
        assert host.call("heartbeat_trigger").is_error
        assert "no reminder will fire" in host.call("reminder_add", message="x", inSeconds=0.1).text
        assert "no reminder will fire" in host.call("reminder_list").text
        host.wait_for_log("WARNING: initial policy has still not arrived as a Request.")
        host.wait_for_log(f"suppressed heartbeat push/event — {reason}")
        host.no_wake_for(0.1)
        stop_as_hosts_do(host)
    assert len(folder.reminders) == 2


def test_a_host_that_never_sends_a_policy_is_sent_no_wake(folder: ServerFolder) -> None:
    """4.8: tools answer all the same."""
    folder.write_reminders(row("rem_due", -1))
    with folder.host() as host:
        host.initialize(mcpl="0.4")
        host.initialized()
        assert "delivery=BLOCKED (no valid featureSets/update Request" in host.call("heartbeat_status").text
        host.no_wake_for(0.3)
        stop_as_hosts_do(host)


# A host that speaks MCP only


def test_an_mcp_only_host_gets_tools_and_no_word_of_mcpl(folder: ServerFolder) -> None:
    """3.2, 3.5, 4.1, 4.2, 7.5: tools that answer, and a reason for everything that will not happen."""
    with folder.host() as host:
        hello = host.initialize(protocol="2025-06-18", mcpl=None, client="mcp-only")
        assert hello["protocolVersion"] == "2025-06-18"
        assert hello["capabilities"] == {"tools": {}}
        host.initialized()
        assert host.request("ping") == {}
        for method in ("resources/list", "prompts/list", "featureSets/update"):
            with pytest.raises(HostError) as refused:
                host.request(method)
            assert refused.value.code == -32601
        host.notify_policy()
        assert "delivery=BLOCKED (host is MCP-only)" in host.call("heartbeat_status").text
        assert "no reminder will fire" in host.call("reminder_add", message="x", inSeconds=0.1).text
        assert host.call("heartbeat_trigger").is_error
        host.no_wake_for(0.3)
        host.close_stdin()
        assert host.wait(STOPS_WITHIN) == 0


# Hosts that refuse, forget, or take their time


def test_a_silent_beat_refused_as_empty_is_sent_again_as_a_message(folder: ServerFolder) -> None:
    """6.11: with a fresh id and a mark, one warning a process, and a status that says so."""
    with folder.host(refuse_empty) as host:
        host.handshake()
        host.call("heartbeat_configure", deliveryMode="silent", message="Look around.")
        for _ in range(2):
            host.call("heartbeat_trigger")
            silent, message = host.next_wake(), host.next_wake()
            assert silent.origin["silent"] is True
            assert message.origin == {"source": "heartbeat", "reason": "manual", "silentFallback": True}
            assert message.text is not None
            assert message.text.endswith("Look around.")
            assert message.event_id != silent.event_id
        host.no_wake_for(0.1)
        assert "mode=silent (the host refused a silent wake" in host.call("heartbeat_status").text
        stop_as_hosts_do(host)
    assert len([line for line in host.log_lines if "WARNING" in line and "silent" in line]) == 1


def test_a_reminder_whose_answer_was_lost_is_heard_once(folder: ServerFolder) -> None:
    """4.11, 4.12, 7.3: the repeat carries the same id, and the host's `duplicate` counts as taken."""
    forgetful = ForgetfulHost()
    with folder.host(forgetful, options=IMPATIENT) as host:
        host.handshake()
        reminder_id = add_reminder(host, "once", 0.05)
        first = host.next_wake()
        assert "held since" in list_until(host, "held since")
        host.update_policy()
        assert host.next_wake().event_id == first.event_id
        assert list_until(host, "No reminders set.")
        stop_as_hosts_do(host)
    assert [wake.reminder_id for wake in forgetful.heard] == [reminder_id]
    assert folder.reminders == []


def test_beats_that_got_no_answer_share_one_event_id_until_the_host_answers(folder: ServerFolder) -> None:
    """4.12: a host that was held up hears one beat, not all of them."""
    with folder.host(ForgetfulHost(), options=IMPATIENT) as host:
        host.handshake()
        ids = []
        for _ in range(3):
            host.call("heartbeat_trigger")
            ids.append(host.next_wake().event_id)
            host.listen(0.5)
    assert ids[0] == ids[1] != ids[2]


def test_answers_that_come_late_and_out_of_order_count_when_they_say_taken(folder: ServerFolder) -> None:
    """7.3: a late refusal changes nothing; what is never answered stays."""
    with folder.host(leave_unanswered, options=IMPATIENT) as host:
        host.handshake()
        for name in ("never", "refused late", "taken late", "taken later"):
            add_reminder(host, name, 0.05)
        wakes = {str(wake.text).rpartition("] ")[2]: wake for wake in (host.next_wake() for _ in range(4))}
        assert "not answered yet" in host.call("reminder_list").text
        list_until(host, "held since")
        host.listen(0.2)
        host.answer(wakes["taken later"], Accept())
        host.answer(wakes["refused late"], Refuse("asleep"))
        host.answer(wakes["taken late"], Accept())
        listed = list_until(host, "2 reminder(s):")
        assert listed.count("held since") == 2
        assert "asleep" not in listed
        stop_as_hosts_do(host)
    assert {kept["message"] for kept in folder.reminders} == {"never", "refused late"}


# Small hosts


def test_a_bridge_that_starts_the_server_bare_is_served(folder: ServerFolder) -> None:
    """1.4, 1.5, 4.4, 4.11: always `enabled`, no inference id, stdin closed and SIGTERM at once."""
    with folder.host(bare=True) as host:
        host.initialize(client="bridge")
        host.initialized()
        assert host.update_policy(enabled=[], effectiveCapabilities=["*"])["mode"] == "degraded"
        assert host.update_policy(enabled=["heartbeat"], effectiveCapabilities=["*"])["mode"] == "full"
        add_reminder(host, "through the bridge", 0.05)
        assert "through the bridge" in str(host.next_wake().text)
        assert host.call("reminder_list").text == "No reminders set."
        host.close_stdin()
        host.terminate()
        assert host.wait(STOPS_WITHIN) == 0
    assert folder.reminders == []


def test_a_harness_that_lists_before_any_policy_is_served(folder: ServerFolder) -> None:
    """3.2, 4.1: it says 0.4, so it is told a list of feature sets; what it asks for is answered."""
    with folder.host() as host:
        hello = host.initialize(mcpl="0.4", client="harness")
        feature_sets = hello["capabilities"]["experimental"]["mcpl"]["featureSets"]
        assert feature_sets[0]["name"] == "heartbeat"
        assert feature_sets[0]["uses"] == ["tools", "pushEvents"]
        assert {tool["name"] for tool in host.list_tools()} == TOOLS
        with pytest.raises(HostError, match="-32601"):
            host.request("channels/list")
        host.initialized()
        host.update_policy()
        host.call("heartbeat_trigger")
        assert host.next_wake().origin["reason"] == "manual"
        host.close_stdin()
        assert host.wait(STOPS_WITHIN) == 0
    said = [crossing.message for crossing in host.transcript if crossing.direction is Direction.TO_HOST]
    assert all(message["jsonrpc"] == "2.0" for message in said)


def test_an_answer_that_was_sent_before_sigterm_counts(folder: ServerFolder) -> None:
    """1.4, 7.2: the host that took a wake and then stops the server does not hear it again."""
    for _ in range(5):
        with folder.host(leave_unanswered) as host:
            host.handshake()
            add_reminder(host, "once", 0.05)
            wake = host.next_wake()
            host.answer(wake, Accept())
            stop_as_hosts_do(host)
        with folder.host(leave_unanswered) as host:
            host.handshake()
            assert host.call("reminder_list").text == "No reminders set."
