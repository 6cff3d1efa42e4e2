"""`longways serve`: translate over HTTP."""

from __future__ import annotations

import socket
from contextlib import suppress
from typing import Annotated

import typer

from longways.cli.standard_streams import say
from longways.errors import ConfigError
from longways.server.settings import ServerSettings

_NEEDED = "The server needs {name}, which is not installed. Run: pip install 'longways[server]'"


def serve(
    host: Annotated[str, typer.Option(help="The address to listen at.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="The port to listen at.")] = 7300,
    model: Annotated[
        list[str] | None,
        typer.Option(help="A model to offer, by name or folder; repeatable. By default all."),
    ] = None,
    threads: Annotated[int | None, typer.Option(help="CPU threads of each model.")] = None,
    beam: Annotated[int, typer.Option(help="Hypotheses in beam search; 1 is greedy.")] = 4,
    max_characters: Annotated[
        int, typer.Option(help="The most characters in the texts of one request.")
    ] = 100_000,
) -> None:
    r"""Translate over HTTP, for your own programs and for tools that know other servers.

    The server answers in its own API, in LibreTranslate's, and in version 2 of DeepL's. It listens
    to this machine only:

        longways serve
        curl localhost:7300/v1/translate -H 'Content-Type: application/json' \
            -d '{"text": "你好。", "target": "en"}'

    A list of texts is one document: later sentences are translated with the earlier ones as
    context. Texts of requests that arrive together are translated together, each as if it were
    alone. http://127.0.0.1:7300/docs shows every address with examples.
    """
    settings = ServerSettings(
        host=host,
        port=port,
        models=tuple(model or ()),
        threads=threads,
        beam=beam,
        max_characters=max_characters,
    )
    try:
        import uvicorn

        from longways.server.app import create_app
    except ModuleNotFoundError as error:
        raise ConfigError(_NEEDED.format(name=error.name)) from error
    app = create_app(settings)
    with _listening(settings) as listener:
        place = f"http://{host}:{listener.getsockname()[1]}"
        say(f"{place} translates; {place}/docs says how. Ctrl-C stops it.")
        config = uvicorn.Config(app, log_level="warning", access_log=False)
        with suppress(KeyboardInterrupt):  # what waits has been answered by then
            uvicorn.Server(config).run([listener])


def _listening(settings: ServerSettings) -> socket.socket:
    """A socket that listens at the address of the settings."""
    try:
        return socket.create_server((settings.host, settings.port))
    except OSError as error:
        raise ConfigError(
            f"{settings.host}:{settings.port} cannot be listened at: {error.strerror}. Stop what "
            "listens there, or choose another --port."
        ) from error
