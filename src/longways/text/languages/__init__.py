"""Languages: their codes, and which one a text is in."""
