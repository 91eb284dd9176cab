"""Schedule, reminders and history of any number of agents in one database (section 16)."""
