"""What a decoding step asks of a GPU's cache.

A step reads all weights, states and memories once. The weights are the same in the next step and
nearly fit into the cache of a large GPU; states and memories of many windows do not, and would push
the weights out.
"""

from __future__ import annotations

STREAMED = "evict_first"
"""For states and memories: whatever else is there is more worth keeping."""

KEPT = "evict_last"
"""For weights."""
