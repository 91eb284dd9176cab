"""The command line: a thin adapter that parses, builds the container, runs, and gives exit codes."""
