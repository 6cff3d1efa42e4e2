"""Search: which of all translations to write down. Bookkeeping over small arrays, no engine."""

from longways.search.beam import Limits, SearchConfig, beam_search
from longways.search.hypothesis import Hypothesis

__all__ = ["Hypothesis", "Limits", "SearchConfig", "beam_search"]
