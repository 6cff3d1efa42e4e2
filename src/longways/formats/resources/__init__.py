"""Resource files: the texts of a program, each under a key."""
