"""Inline text of AsciiDoc: its markup as marks, and back."""
