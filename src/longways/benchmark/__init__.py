"""Measurements: each prints a table, checks itself, and ends in one JSON line."""
