"""Sanity of translations: numbers, repetitions, confidence."""
