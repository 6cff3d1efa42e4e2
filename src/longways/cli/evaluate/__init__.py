"""`longways evaluate`: the command, the checks of its options, and the tables it prints."""

from longways.cli.evaluate.command import evaluate

__all__ = ["evaluate"]
