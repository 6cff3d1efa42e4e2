"""Evaluation: how good translations are, and whether a model prefers the consistent one."""
