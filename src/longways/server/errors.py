"""What the server says when it cannot answer: a status and one sentence."""

from __future__ import annotations

from starlette.responses import JSONResponse

from longways.errors import LongwaysError

DEEPL_PREFIX = "/v2/"
"""Where the addresses of DeepL's API begin."""


class RequestError(LongwaysError):
    """A request that cannot be answered, with its HTTP status."""

    def __init__(self, message: str, status: int = 400, retry_seconds: int | None = None) -> None:
        super().__init__(message)
        self.status, self.retry_seconds = status, retry_seconds


def error_answer(
    path: str, status: int, sentence: str, headers: dict[str, str] | None = None
) -> JSONResponse:
    """An error in the shape of the API that was asked at this path."""
    key = "message" if path.startswith(DEEPL_PREFIX) else "error"
    return JSONResponse({key: sentence}, status, headers)
