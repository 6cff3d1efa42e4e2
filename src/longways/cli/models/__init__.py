"""Installed models on the command line."""
