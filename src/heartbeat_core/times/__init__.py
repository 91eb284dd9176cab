"""Lengths, moments and zones as values, and both clocks read together."""
