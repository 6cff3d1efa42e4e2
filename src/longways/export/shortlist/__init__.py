"""Shortlists are learned from prepared data, and added to exported models."""
