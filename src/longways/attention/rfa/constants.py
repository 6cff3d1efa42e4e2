"""The constants that every form of RFA shares; they are part of the model, not of a kernel."""

FEATURE_SCALE = 0.1
"""Every feature is multiplied by this, so that sums over a window stay near one."""

SPIKY_SCALE = 16.0
"""What the features of the spiky map add up to: so much that only queries which nothing answers
come near the floor under the norm."""

MIN_NORM = 0.1
"""The floor under phi(q) . z: an estimate of a positive number can come out near or below zero."""

MIN_KEEP = 1e-30
"""The smallest share of the past whose logarithm is taken; a keep of 0 forgets as much as this."""

MOST_FEATURES = 128
"""The most features, and the largest head size, that fit the registers of a fused kernel."""

NORM_EPSILON = 1e-3
"""Added to |x| when a query or key is brought to unit length."""
