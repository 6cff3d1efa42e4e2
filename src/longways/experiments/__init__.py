"""Experiments: train, evaluate and compare several models that one file describes."""
