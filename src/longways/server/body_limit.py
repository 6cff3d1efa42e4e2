"""No body of a request is read beyond a limit, whatever its header says about its length."""

from __future__ import annotations

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from longways.server.errors import RequestError, error_answer


class BodyLimit:
    """Refuses requests with too large a body, by their header or while they are read."""

    def __init__(self, app: ASGIApp, limit: int) -> None:
        self.app, self.limit = app, limit

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, and count its bytes as they are read."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        if _announced(scope) > self.limit:
            await self._refuse(scope, receive, send)
            return
        read, is_refused = 0, False

        async def counted() -> Message:
            nonlocal read
            message = await receive()
            read += len(message.get("body", b""))
            if read > self.limit:
                raise self._error
            return message

        async def answered(message: Message) -> None:
            """Our own answer in place of any other, once the body was too large."""
            nonlocal is_refused
            if read <= self.limit:
                await send(message)
            elif not is_refused:
                is_refused = True
                await self._refuse(scope, receive, send)

        await self.app(scope, counted, answered)

    @property
    def _error(self) -> RequestError:
        return RequestError(
            f"The body has more than {self.limit:,} bytes, which is the most. Send less at a time.",
            413,
        )

    async def _refuse(self, scope: Scope, receive: Receive, send: Send) -> None:
        response = error_answer(scope["path"], self._error.status, str(self._error))
        await response(scope, receive, send)


def _announced(scope: Scope) -> int:
    """The length of the body that the header names, 0 without one."""
    for name, value in scope["headers"]:
        if name == b"content-length" and value.isdigit():
            return int(value)
    return 0
