"""Inline markup: word alignment and tag projection."""
