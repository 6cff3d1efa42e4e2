"""Attention: feature maps, sentential gates, the forms of RFA, and layers built from them."""
