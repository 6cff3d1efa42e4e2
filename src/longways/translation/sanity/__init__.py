"""Checks of translations, and a second search where one fails."""
