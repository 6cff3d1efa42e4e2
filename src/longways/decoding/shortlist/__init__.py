"""Shortlists: the target tokens among which search chooses, by the tokens of the source."""
