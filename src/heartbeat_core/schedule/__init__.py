"""The ambient schedule as a value, and the rules that change it."""
