"""Workbooks: cells, comments, drawings, and messages of sheets."""
