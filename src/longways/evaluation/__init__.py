"""Evaluation: scores of translations, comparisons of systems, and tests of consistency."""
