"""Passages inside of the markup of other passages: notes in a sentence, links in a note."""
