"""Settings of the filter step."""

from __future__ import annotations

from dataclasses import dataclass

from longways.errors import ConfigError

SPLITS = ("train", "dev", "test")


@dataclass(frozen=True, kw_only=True)
class FilterConfig:
    """Which pairs the filter step drops. Without `splits` it drops nothing."""

    splits: tuple[str, ...] = ()
    """The splits that are filtered, as in ["train"]; by default none, so that prepared data stays
    as it is. Scores on a filtered dev or test split cannot be compared with others."""
    duplicates: bool = True
    """Drop a document whose text an earlier one has, and a pair that repeats the pair before it."""
    length_ratio: float = 3.0
    """Drop pairs one side of which is more than this many times as long as the other; 0: none. A
    Chinese or Japanese character counts as three letters, and short texts may differ by more."""
    wrong_language: bool = True
    """Drop pairs with a side in another language, by its script, then by its letters."""
    copied_source: bool = True
    """Drop pairs with the same words on both sides, unless they are few, as names are."""
    numbers: bool = True
    """Drop pairs with different numbers."""

    def __post_init__(self) -> None:
        unknown = [split for split in self.splits if split not in SPLITS]
        if unknown:
            raise ConfigError(
                f"splits has {unknown[0]!r}, but the splits are {', '.join(SPLITS)}. Name these, "
                'as in ["train"].'
            )
        if self.length_ratio != 0 and not self.length_ratio > 1:
            raise ConfigError(
                f"length_ratio is {self.length_ratio}, but it must be above 1, or 0 for no limit. "
                "The default is 3.0."
            )
