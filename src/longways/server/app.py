"""The application: its routes, its limits, and errors as JSON in the shape of each API."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from longways import __version__
from longways.errors import LongwaysError
from longways.server.body_limit import BodyLimit
from longways.server.errors import RequestError, error_answer
from longways.server.routes import deepl, health, libretranslate, v1
from longways.server.settings import ServerSettings
from longways.server.texts import TextService


def create_app(settings: ServerSettings) -> FastAPI:
    """The application with these settings; its models are opened when they are first used."""
    service = TextService(settings)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        yield
        service.offers.close()

    app = FastAPI(
        title="Longways",
        version=__version__,
        summary="Translation of whole documents",
        lifespan=lifespan,
    )
    app.state.service = service
    for module in (v1, libretranslate, deepl, health):
        app.include_router(module.router)
    app.add_middleware(BodyLimit, limit=settings.max_body)
    app.add_exception_handler(LongwaysError, _on_error)
    app.add_exception_handler(RequestValidationError, _on_invalid)
    app.add_exception_handler(HTTPException, _on_http)
    app.add_exception_handler(Exception, _on_failure)
    return app


async def _on_error(request: Request, error: Exception) -> JSONResponse:
    """Our own sentences: the caller's mistake, unless they say otherwise."""
    status = error.status if isinstance(error, RequestError) else 400
    retry = error.retry_seconds if isinstance(error, RequestError) else None
    headers = None if retry is None else {"Retry-After": str(retry)}
    return error_answer(request.url.path, status, str(error), headers)


async def _on_invalid(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, RequestValidationError)
    found = error.errors()[0]
    where = ".".join(str(part) for part in found["loc"] if part != "body") or "The body"
    return error_answer(
        request.url.path, 400, f"{where}: {found['msg']}. See /docs for what is expected."
    )


async def _on_http(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)
    what = {
        404: f"There is nothing at {request.url.path}. See /docs for what there is.",
        405: f"{request.url.path} does not take {request.method}. See /docs for what it takes.",
    }
    headers = dict(error.headers) if error.headers else None
    return error_answer(
        request.url.path, error.status_code, what.get(error.status_code, error.detail), headers
    )


async def _on_failure(request: Request, _: Exception) -> JSONResponse:
    return error_answer(
        request.url.path, 500, "The server failed at this request; its log says where."
    )
