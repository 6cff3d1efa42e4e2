"""Text: sentences of two languages become ids, and ids become sentences again.

`learn` makes a `TextPipeline` from sentence pairs. Nothing heavy is loaded until one is made.
"""

from longways.text.config import TextConfig
from longways.text.pipeline import TextPipeline, learn
from longways.text.side import Side, round_trip_share

__all__ = ["Side", "TextConfig", "TextPipeline", "learn", "round_trip_share"]
