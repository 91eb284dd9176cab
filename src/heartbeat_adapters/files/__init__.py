"""The JSON files: replaced whole, durable, locked, and watched for what others write (section 8)."""
