"""The entry point of the console script.

Lives here: what has to come before anything slow is imported. The commands are in `commands`.
"""

from __future__ import annotations

from heartbeat_adapters.stop_signals import install_stop_signals


def main() -> None:
    """Run the command line; never returns. A signal stops the process from the first line on (1.4)."""
    signals = install_stop_signals()

    from heartbeat_cli.commands import cli

    cli(obj=signals)
