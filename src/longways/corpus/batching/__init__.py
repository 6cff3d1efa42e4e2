"""Batching: windows of a split grouped into padded batches."""
