"""Sentence splitting: text into sentences and back, without losing a character."""
