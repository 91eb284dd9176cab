"""The entry point of the console script.

What has to come before anything slow is imported comes here, and what nobody expected becomes an exit code
here. The commands are in `commands`.
"""

from __future__ import annotations

import sys

from heartbeat_adapters.stdio.stop_signals import install_stop_signals, leave
from heartbeat_cli.printing import EXIT_STOPPED, last_words, print_safely


def main() -> None:
    """Run the command line; never returns. A signal stops the process from the first line on (1.4).

    Where there is no room to go on (a full disk under stdout, too few descriptors, too little memory),
    that is one line on stderr.
    """
    signals = install_stop_signals()
    print_safely()
    try:
        from heartbeat_cli.commands import cli

        try:
            cli(obj=signals)
        finally:
            sys.stdout.flush()
    except (OSError, MemoryError) as why:
        last_words(why)
        leave(EXIT_STOPPED)  # Python would try once more to print what could not be printed
