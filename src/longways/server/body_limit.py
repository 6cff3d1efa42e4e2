"""No body of a request is read beyond a limit, whatever its header says about its length."""

from __future__ import annotations

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from longways.server.errors import RequestError


class BodyLimit:
    """Refuses requests with too large a body, by their header or while they are read."""

    def __init__(self, app: ASGIApp, limit: int) -> None:
        self.app, self.limit = app, limit

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, and count its bytes as they are read."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        read = 0

        async def counted() -> Message:
            nonlocal read
            message = await receive()
            read += len(message.get("body", b""))
            if read > self.limit:
                raise self._error(scope)
            return message

        try:
            if _announced(scope) > self.limit:
                raise self._error(scope)
            await self.app(scope, counted, send)
        except RequestError as error:
            await _refuse(scope, receive, send, error)

    def _error(self, scope: Scope) -> RequestError:
        return RequestError(
            f"The body has more than {self.limit:,} bytes, which is the most. Send less at a time.",
            413,
        )


def _announced(scope: Scope) -> int:
    """The length of the body that the header names, 0 without one."""
    for name, value in scope["headers"]:
        if name == b"content-length" and value.isdigit():
            return int(value)
    return 0


async def _refuse(scope: Scope, receive: Receive, send: Send, error: RequestError) -> None:
    from starlette.requests import Request

    from longways.server.app import answer

    await answer(Request(scope), error.status, str(error))(scope, receive, send)
