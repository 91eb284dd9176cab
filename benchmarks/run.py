"""Measures this server beside the floor that the machine sets, and beside any other command.

python benchmarks/run.py [--vs 'node … --stdio'] [--quick] [--json out.json] [--picture out.png]
"""

from measuring.command_line import main

if __name__ == "__main__":
    main()
