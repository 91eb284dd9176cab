"""What a call, a change and a burst of wakes cost, in counts that are the same on every machine.

A regression here is a red test; what it costs in time is measured in `benchmarks`. Linux counts for each
process how often it reads and writes, and how many bytes.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from heartbeat_adapters.testing.push_answers import leave_unanswered
from heartbeat_adapters.testing.scripted_host import ScriptedHost
from server_folder import ServerFolder, row

pytestmark = pytest.mark.skipif(
    not Path("/proc/self/io").exists(), reason="there is no /proc to read counts from"
)

CALLS = 20
TOGETHER = 32
BYTES_OF_A_WAKE = 600


class Counted:
    """How often a server reads and writes, and how much, since this was made."""

    def __init__(self, host: ScriptedHost) -> None:
        self._path = Path(f"/proc/{host.server.pid}/io")
        self._before = self._now()

    def _now(self) -> dict[str, int]:
        lines = self._path.read_text().splitlines()
        return {name: int(count) for name, _, count in (line.partition(": ") for line in lines)}

    def __getitem__(self, name: str) -> int:
        return self._now()[name] - self._before[name]


def ready(folder: ServerFolder) -> ScriptedHost:
    """A host whose server has loaded everything, and does nothing by itself."""
    host = folder.host(leave_unanswered)
    host.handshake()
    host.wait_for_log("ready")
    host.call("heartbeat_status")
    return host


def test_a_call_that_changes_nothing_is_one_read_and_one_write(folder: ServerFolder) -> None:
    """2.1, 6.1"""
    with ready(folder) as host:
        counted = Counted(host)
        for _ in range(CALLS):
            host.call("heartbeat_status")
        assert (counted["syscr"], counted["syscw"]) == (CALLS, CALLS)


def test_a_change_writes_its_file_once_and_its_answer_once(folder: ServerFolder) -> None:
    """8.3: a new file is written whole and takes the place of the old one."""
    with ready(folder) as host:
        host.call("reminder_add", message="water the plants", inHours=1)
        counted = Counted(host)
        answer = host.call("reminder_add", message="water the plants", inHours=1).text
        assert (counted["syscr"], counted["syscw"]) == (1, 2)
        assert counted["wchar"] <= folder.reminders_file.stat().st_size + len(answer) + 200


def test_wakes_that_are_due_together_are_few_writes(folder: ServerFolder) -> None:
    """7.4: 32 are out at a time, and each write would wake the host up once."""
    folder.write_reminders(*(row(f"rem_{n:02}", due_in=-1) for n in range(TOGETHER)))
    with folder.host(leave_unanswered) as host:
        host.initialize()
        host.wait_for_log("ready")
        counted = Counted(host)
        host.update_policy()
        assert len([host.next_wake() for _ in range(TOGETHER)]) == TOGETHER
        assert counted["wchar"] <= TOGETHER * BYTES_OF_A_WAKE
        assert counted["syscw"] <= 2 + TOGETHER * BYTES_OF_A_WAKE // 4096


def test_before_the_first_answer_of_others_only_click_is_loaded(folder: ServerFolder) -> None:
    """3.1, and decision 8: and no more than a few dozen modules of our own."""
    program = (
        "import sys; bare = set(sys.modules)\n"
        "from heartbeat_adapters.wire.mcp import McpServer\n"
        "def loaded(*_):\n"
        "    new = {name for name in set(sys.modules) - bare if name.partition('.')[0] not in"
        " sys.stdlib_module_names}\n"
        "    ours = [name for name in new if name.startswith('heartbeat_')]\n"
        "    others = {name.partition('.')[0] for name in new.difference(ours)}\n"
        "    sys.stderr.write(f'{len(ours)} {sorted(others)}')\n"
        "    sys.exit()\n"
        "McpServer.request = loaded\n"
        "sys.argv = ['heartbeat-mcpl', '--stdio']\n"
        "from heartbeat_cli.main import main\n"
        "main()\n"
    )
    asked = b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}\n'
    ran = subprocess.run(
        [sys.executable, "-c", program],
        input=asked,
        capture_output=True,
        cwd=folder.path,
        timeout=30,
        check=False,
    )
    ours, _, others = ran.stderr.decode().splitlines()[-1].partition(" ")
    assert others == "['click']"
    assert int(ours) <= 35
