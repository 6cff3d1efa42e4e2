"""Help: the page of a command, and one sentence for a command line that cannot be parsed."""
