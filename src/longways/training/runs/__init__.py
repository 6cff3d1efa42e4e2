"""Training runs on disk: settings, logs, summaries and curves."""
