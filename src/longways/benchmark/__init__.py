"""Benchmarks of the commands `longways bench`: each prints a table and writes a JSON report."""
