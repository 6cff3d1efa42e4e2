"""Alignment of texts with their translations, by length and by what both sides share."""
