"""What happened to a text while it was translated."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass
class Report:
    """Counts of a translation; give one to a call and it is added to as sentences are ready."""

    documents: int = 0
    """Documents begun."""
    sentences: int = 0
    """Sentences that are ready, blank lines not counted."""
    split: int = 0
    """Of these: too long, or over several lines, so translated in pieces and joined again."""
    untranslated: int = 0
    """Of these: left as they are, because nothing in them can be translated."""
    recalled: int = 0
    """Pieces that a job which was ended before had translated."""
    cut: int = 0
    """Pieces whose translation came to the greatest length before its end."""
    terms: int = 0
    """Terms of a glossary or to keep, once for each sentence that has them."""
    missed: int = 0
    """Of these: not in the translation."""
    source_tokens: int = 0
    """Tokens translated from."""
    target_tokens: int = 0
    """Tokens translated into."""
    seconds: float = 0.0
    """From asking for the first sentence to the last one being ready."""

    def __str__(self) -> str:
        """One line for people."""
        speed = max(0, self.sentences - self.recalled) / self.seconds if self.seconds else 0.0
        parts = [f"{self.sentences:,} sentences in {self.seconds:.1f} s ({speed:.1f} a second)"]
        notes = (
            (self.split, "translated in pieces"),
            (self.untranslated, "left as they are"),
            (self.recalled, "taken from the journal"),
            (self.terms - self.missed, f"of {self.terms:,} terms honoured"),
            (self.cut, "cut at their greatest length"),
        )
        return ", ".join(parts + [f"{count:,} {what}" for count, what in notes if count]) + "."
