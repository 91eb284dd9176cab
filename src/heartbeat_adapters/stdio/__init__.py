"""Bytes on descriptors 0, 1 and 2: the poll loop, signals, and the log on stderr."""
