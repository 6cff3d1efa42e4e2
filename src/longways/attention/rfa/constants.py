"""Constants that all forms of RFA share."""

FEATURE_SCALE = 0.1
"""Every feature is multiplied by this, so that sums over a window stay near one."""

SPIKY_SCALE = 16.0
"""Sum of the features of the spiky map: so large that the norm is near its floor only for queries
that match no key."""

MIN_NORM = 0.1
"""Floor of the norm phi(q) . z, which random features may estimate near or below zero."""

MIN_KEEP = 1e-30
"""Floor of `keep` before its logarithm is taken."""

MAX_FUSED_FEATURES = 128
"""Most features, and largest head size, that fit the registers of a fused kernel."""

NORM_EPSILON = 1e-3
"""Added to |x| before a query or key is divided by its length."""
