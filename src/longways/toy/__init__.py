"""A toy task that cannot be learned without context, and a model small enough to learn it."""
