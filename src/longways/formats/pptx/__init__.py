"""Presentations: slides, their notes, and what they show."""
