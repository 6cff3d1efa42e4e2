"""The API of LibreTranslate, for the tools that speak it.

A list of texts is translated text by text, as its clients expect: they send strings of a user
interface, or posts of different people.
"""

from __future__ import annotations

import json
from typing import Any

from fastapi import APIRouter, Request

from longways.server.errors import RequestError
from longways.server.offers import as_code
from longways.server.routes.parameters import Parameters, read_parameters, text_of, texts_of
from longways.server.routes.service import Service
from longways.text.languages.codes import main_language
from longways.text.languages.names import language_name

router = APIRouter(tags=["LibreTranslate"])

AUTO = "auto"


@router.post("/translate")
async def translate(request: Request, service: Service) -> dict[str, Any]:
    """Translate `q`, a text or a list, from `source` (or `auto`) into `target`."""
    parameters = await read_parameters(request)
    texts, is_list = _queries(parameters)
    source, target = text_of(parameters, "source"), text_of(parameters, "target")
    if parameters.get("format", "text") != "text":
        raise RequestError(
            f"format is {parameters['format']!r:.40}, but this server translates format text only."
        )
    is_auto = source.strip().lower() == AUTO
    found = await service.translate(texts, None if is_auto else source, target)
    answer: dict[str, Any] = {"translatedText": found.documents if is_list else found.documents[0]}
    if is_auto:
        detected = [_detected(text, service) for text in texts]
        answer["detectedLanguage"] = detected if is_list else detected[0]
    return answer


@router.post("/detect")
async def detect(request: Request, service: Service) -> list[dict[str, Any]]:
    """The language of the text `q`."""
    texts, _ = _queries(await read_parameters(request))
    return [_detected("\n".join(texts), service)]


@router.get("/languages")
async def languages(service: Service) -> list[dict[str, Any]]:
    """The source languages, each with the languages that it is translated into."""
    pairs = service.offers.pairs
    return [
        {
            "code": as_code(source),
            "name": language_name(source),
            "targets": [as_code(pair.target) for pair in pairs if pair.source == source],
        }
        for source in service.offers.sources
    ]


def _queries(parameters: Parameters) -> tuple[list[str], bool]:
    """The texts of `q`, and whether they came as a list; a form may have a list as JSON."""
    value = parameters.get("q")
    if value is None:
        raise RequestError("The parameter q is missing: the text to translate.")
    if isinstance(value, str) and value.lstrip().startswith("["):
        value = _list_or_text(value)
    if isinstance(value, str):
        return [value], False
    return texts_of(value, "q"), True


def _list_or_text(value: str) -> Any:
    """A list of strings in JSON; any other text as it is."""
    try:
        found = json.loads(value)
    except (ValueError, RecursionError):
        return value
    is_list = isinstance(found, list) and found and all(isinstance(one, str) for one in found)
    return found if is_list else value


def _detected(text: str, service: Service) -> dict[str, Any]:
    """The language of a text, with a confidence in percent: a whole number, as all clients read."""
    found = service.offers.detect(text)
    if found.language is None:
        return {"confidence": 0, "language": main_language(service.offers.sources[0])}
    return {"confidence": 90 if found.is_certain else 50, "language": as_code(found.language)}
