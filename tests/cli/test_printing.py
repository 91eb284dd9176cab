"""Commands whose stdout or stderr is closed or full, and starts with too little: never a traceback."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from heartbeat_cli.printing import last_words

HELLO = json.dumps({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {}})
STATUS = json.dumps(
    {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "heartbeat_status"}}
)
ASKED = f"{HELLO}\n{STATUS}\n"

COMMANDS = ["--help", "--version", "check --help", "recipe --host mcp", "check", "check --json"]
CLOSED = [">&-", "2>&-", ">&- 2>&-", "<&- >&-", "<&- >&- 2>&-"]


@dataclass
class Ended:
    code: int
    out: str
    err: str


def run(
    arguments: str,
    folder: Path,
    redirected: str = "",
    before: str = "",
    stdin: str = "",
    program: str = "-m heartbeat_cli",
) -> Ended:
    """Run the command in a shell, as people do, with stdout and stderr in files unless redirected."""
    out, err = folder / "out", folder / "err"
    script = f'exec >{out} 2>{err} {redirected}; {before} exec "$0" {program} {arguments}'
    done = subprocess.run(
        ["/bin/sh", "-c", script, sys.executable],
        input=stdin.encode(),
        cwd=folder,
        env={"PATH": os.environ["PATH"]},
        timeout=60,
        check=False,
    )
    return Ended(done.returncode, out.read_text(), err.read_text())


@pytest.mark.parametrize("redirected", CLOSED)
@pytest.mark.parametrize("command", COMMANDS)
def test_what_is_printed_to_a_closed_descriptor_goes_nowhere_and_the_exit_code_is_the_same(
    command: str, redirected: str, tmp_path: Path
) -> None:
    """1.7: as with `/dev/null`; a script may want nothing but the exit code."""
    ended = run(command, tmp_path, redirected)
    assert ended.code == 0
    assert "Traceback" not in ended.err


@pytest.mark.parametrize("command", [*COMMANDS, "demo"])
def test_a_full_disk_under_stdout_is_one_line_and_exit_code_1(command: str, tmp_path: Path) -> None:
    """9: whoever waits for what is printed does not get it, and hears why."""
    ended = run(command, tmp_path, ">/dev/full")
    assert ended.code == 1
    assert "No space left on device" in ended.err
    assert len(ended.err.strip().splitlines()) == 1


@pytest.mark.parametrize("command", ["--help", "check", "recipe --host mcp"])
def test_a_full_disk_under_stderr_takes_nothing_from_stdout(command: str, tmp_path: Path) -> None:
    """1.3"""
    assert run(command, tmp_path, "2>/dev/full").code == 0
    assert (tmp_path / "out").read_text() != ""


A_COMMAND_OF_ITS_OWN = """
import os, sys, types
import click
import heartbeat_cli.main

@click.command()
def check():
    {body}

sys.modules["heartbeat_cli.check"] = types.SimpleNamespace(check=check)
sys.argv = ["heartbeat-mcpl", "check"]
heartbeat_cli.main.main()
"""


def run_a_command(body: str, folder: Path, redirected: str) -> Ended:
    """Run a command that does just this, in place of `check`."""
    (folder / "script.py").write_text(A_COMMAND_OF_ITS_OWN.format(body=body))
    return run("", folder, redirected, program="script.py")


def test_what_was_printed_and_not_written_at_the_end_is_the_same_line_and_exit_code(tmp_path: Path) -> None:
    """9: Python itself would say it in two lines, with an exit code of 120."""
    ended = run_a_command("sys.stdout.write('x')", tmp_path, ">/dev/full")
    assert ended.code == 1
    assert ended.err == "[heartbeat-mcpl] stopped: No space left on device; mend that, and try again\n"


def test_no_file_that_a_command_opens_becomes_its_stdout(tmp_path: Path) -> None:
    """1.7"""
    body = "fd = os.open('data', os.O_CREAT | os.O_WRONLY); os.write(fd, str(fd).encode())"
    assert run_a_command(body, tmp_path, "<&- >&- 2>&-").code == 0
    assert int((tmp_path / "data").read_text()) > 2


@pytest.mark.parametrize("redirected", ["", ">/dev/full", ">/dev/full 2>/dev/full", "2>&-"])
def test_what_is_mistyped_is_exit_code_2_whatever_can_be_printed(redirected: str, tmp_path: Path) -> None:
    """1.5"""
    assert run("--mistyped", tmp_path, redirected).code == 2
    assert run("recipe", tmp_path, redirected).code == 2


@pytest.mark.parametrize("seconds", ["nan", "inf", "-inf", "-1", "0", "1e-9", "1e300", "soon"])
def test_a_time_to_answer_within_that_is_none_is_refused(seconds: str, tmp_path: Path) -> None:
    """1.2"""
    ended = run(f"--stdio --answer-within {seconds}", tmp_path, stdin=HELLO)
    assert (ended.code, ended.out) == (2, "")
    assert "--answer-within" in ended.err.splitlines()[-1]


@pytest.mark.parametrize("descriptors", range(5, 12))
def test_a_start_with_too_few_descriptors_is_a_line_that_says_what_to_do(
    descriptors: int, tmp_path: Path
) -> None:
    """1.3, 1.4: unless there are enough after all."""
    ended = run("--stdio", tmp_path, before=f"ulimit -n {descriptors};", stdin=ASKED)
    assert all(line.startswith("[heartbeat-mcpl] ") for line in ended.err.splitlines())
    assert "Traceback" not in ended.err
    if ended.code != 0:
        assert ended.code == 1
        assert ended.err.endswith("stopped: too many files are open; allow it more (ulimit -n)\n")


@pytest.mark.parametrize(
    "why",
    [
        MemoryError(),
        OSError(errno.ENOMEM, "Cannot allocate memory", "/lib/asyncio"),
        ImportError("/lib/providers.abi3.so: cannot map zero-fill pages"),
        ImportError("/lib/core.so: failed to map segment from shared object"),
        ImportError("/lib/core.so: cannot allocate memory in static TLS block"),
        ImportError("Error loading shared library /lib/core.so: Out of memory"),
    ],
)
def test_memory_that_is_missing_is_called_that_wherever_it_is_missing(
    why: OSError | MemoryError | ImportError, capfd: pytest.CaptureFixture[str]
) -> None:
    """1.3: a loader has words of its own for it, for which nothing is to be installed anew."""
    last_words(why)
    assert capfd.readouterr().err == "[heartbeat-mcpl] stopped: no memory is left; allow it more\n"


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere there is no such limit")
@pytest.mark.parametrize("kilobytes", [14_000, 20_000, 24_000])
def test_a_start_with_too_little_memory_is_a_line_and_no_busy_loop(kilobytes: int, tmp_path: Path) -> None:
    """1.3: a server that cannot start ends, which a host sees.

    Where exactly the memory ends is the machine's to say: the standard library and compiled parts may have
    words of their own then, but few.
    """
    ended = run("--stdio", tmp_path, before=f"ulimit -d {kilobytes};", stdin=ASKED)
    assert len(ended.err) < 20_000
    if ended.code == 1:
        assert ended.err.endswith("stopped: no memory is left; allow it more\n")
