"""Qt Linguist: translation sources of programs."""
