"""A reminder as a value, and the rules that move it from firing to firing."""
