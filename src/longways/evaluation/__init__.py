"""Evaluation: how good translations are, and whether a model prefers the consistent one."""

from longways.evaluation.consistency import Consistency, measure_consistency
from longways.evaluation.score import DocumentScores, Score, score_documents

__all__ = ["Consistency", "DocumentScores", "Score", "measure_consistency", "score_documents"]
