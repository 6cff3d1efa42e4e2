"""A server with the bundled model on a port of its own, asked by real clients over HTTP."""

from __future__ import annotations

import json
from collections.abc import Iterator
from http.client import HTTPConnection
from threading import Thread
from time import sleep
from typing import Any, NamedTuple

import pytest
import uvicorn

from longways.server.app import create_app
from longways.server.settings import ServerSettings
from longways.translation.translator import Translator, load

SETTINGS = ServerSettings(threads=1, beam=1, max_characters=2_000, max_texts=20)


class Server(NamedTuple):
    """A running server."""

    port: int

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def ask(
        self, method: str, path: str, body: Any = None, kind: str = "application/json"
    ) -> tuple[int, Any]:
        """The status and the JSON of an answer."""
        connection = HTTPConnection("127.0.0.1", self.port, timeout=60)
        sent = body if isinstance(body, bytes | str) or body is None else json.dumps(body)
        connection.request(method, path, sent, {"Content-Type": kind} if body is not None else {})
        try:
            answer = connection.getresponse()
            return answer.status, json.loads(answer.read())
        finally:
            connection.close()


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    config = uvicorn.Config(create_app(SETTINGS), port=0, log_level="error")
    running = uvicorn.Server(config)
    thread = Thread(target=running.run, daemon=True)
    thread.start()
    while not running.started:
        sleep(0.01)
    yield Server(running.servers[0].sockets[0].getsockname()[1])
    running.should_exit = True
    thread.join(10)


@pytest.fixture(scope="session")
def translator() -> Translator:
    return load(threads=1)
