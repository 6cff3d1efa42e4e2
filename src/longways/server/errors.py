"""What the server says when it cannot answer: a status and one sentence."""

from __future__ import annotations

from longways.errors import LongwaysError


class RequestError(LongwaysError):
    """A request that cannot be answered, with its HTTP status."""

    def __init__(self, message: str, status: int = 400, retry_seconds: int | None = None) -> None:
        super().__init__(message)
        self.status, self.retry_seconds = status, retry_seconds
