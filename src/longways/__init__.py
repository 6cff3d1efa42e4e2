"""Longways translates whole documents in linear time. Nothing heavy is loaded here."""

from longways.errors import LongwaysError

__version__ = "0.1.0"

__all__ = ["LongwaysError", "__version__"]
