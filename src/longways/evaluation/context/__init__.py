"""Context: what the true context, a foreign one and none are worth to a model."""
