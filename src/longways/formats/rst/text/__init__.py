"""Inline text of reStructuredText: its markup as marks, and back."""
