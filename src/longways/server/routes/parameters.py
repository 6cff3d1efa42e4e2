"""Parameters of a request in JSON, in a form, or in the address, as older APIs take them."""

from __future__ import annotations

import json
from typing import Any

from fastapi import Request

from longways.server.errors import RequestError

Parameters = dict[str, Any]


async def read_parameters(request: Request) -> Parameters:
    """All parameters of a request; the body overrides the address.

    A name that occurs several times has a list of values.
    """
    found: Parameters = _several(request.query_params.multi_items())
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind in ("application/x-www-form-urlencoded", "multipart/form-data"):
        items = (await request.form()).multi_items()
        return {**found, **_several([(key, value) for key, value in items])}
    body = await request.body()
    if not body.strip():
        return found
    return {**found, **_json(body)}


def _json(body: bytes) -> Parameters:
    try:
        values = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise RequestError(f"The body is not JSON: {error}.") from error
    if not isinstance(values, dict):
        raise RequestError("The body is not a JSON object with parameters.")
    return values


def _several(items: list[tuple[str, Any]]) -> Parameters:
    found: dict[str, list[Any]] = {}
    for key, value in items:
        found.setdefault(key, []).append(value)
    return {key: values[0] if len(values) == 1 else values for key, values in found.items()}


def text_of(parameters: Parameters, name: str) -> str:
    """A parameter that must be a string."""
    value = parameters.get(name)
    if value is None:
        raise RequestError(f"The parameter {name} is missing.")
    if not isinstance(value, str) or not value.strip():
        raise RequestError(f"{name} is {value!r:.80}, but it must be a string with text.")
    return value


def texts_of(value: Any, name: str) -> list[str]:
    """A parameter that must be a list of strings."""
    if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
        raise RequestError(f"{name} is {value!r:.80}, but it must be a string or a list of them.")
    return value
