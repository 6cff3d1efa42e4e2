"""Terminology: glossaries, and search that is constrained to follow them."""
