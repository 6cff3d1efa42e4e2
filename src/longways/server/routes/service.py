"""The service of the application, for the functions of the routes."""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends, Request

from longways.server.texts import TextService


def _service(request: Request) -> TextService:
    service = request.app.state.service
    assert isinstance(service, TextService)
    return service


Service = Annotated[TextService, Depends(_service)]
"""The service, as a parameter of a route."""
