"""OpenDocument files: texts, presentations and spreadsheets."""
