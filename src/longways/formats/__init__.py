"""File formats: bytes into passages with markup, and passages back into bytes."""
