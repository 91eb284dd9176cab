"""What is in memory and what is stored, kept together, and the schema of what is stored (section 8)."""
