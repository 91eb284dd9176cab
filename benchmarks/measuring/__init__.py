"""What is measured, one row of the table a file, and what the measuring takes."""
