"""Translation memories on the command line."""
