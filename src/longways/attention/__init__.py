"""Attention: random features, sentential gates, and the forms that compute with them."""
