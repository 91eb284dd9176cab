"""What people are told: the words of the log, and its floods as counts."""
