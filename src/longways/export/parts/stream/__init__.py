"""Attention of stream models in exported graphs: sentence heads, document heads, carried sums."""
