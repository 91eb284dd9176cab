"""The clock of the machine, and its zones."""
