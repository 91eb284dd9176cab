"""From due to heard: what is coming and when, sending it, and what the host's answer does (4.6 to 4.14)."""
