"""Our own API over HTTP."""

import json
from http.client import HTTPConnection

import pytest

JSON = {"Content-Type": "application/json"}
TEXTS = ["打开终端。", "运行它。\n\n然后关闭它。", "", "8 GB"]


def test_a_text_is_translated_with_its_paragraphs(server, translator):
    status, found = server.ask("POST", "/v1/translate", {"text": TEXTS[1], "target": "en"})
    assert status == 200
    wanted = translator.translate(TEXTS[1], beam=1)
    assert found == {
        "translation": wanted,
        "source": "zh",
        "target": "en",
        "model": "zh-en-docs",
    }
    assert "\n\n" in wanted


def test_a_list_is_one_document_unless_said_otherwise(server, translator):
    whole = {"text": TEXTS, "source": "zh_CN", "target": "eng"}
    _, found = server.ask("POST", "/v1/translate", whole)
    assert found["translation"] == translator.translate(TEXTS, beam=1)
    _, found = server.ask("POST", "/v1/translate", {**whole, "document": False})
    assert found["translation"] == [translator.translate(text, beam=1) for text in TEXTS]


def test_a_glossary_and_the_beam_are_options_of_a_request(server):
    body = {"text": "打开终端。", "target": "en", "glossary": {"终端": "console"}, "beam": 4}
    status, found = server.ask("POST", "/v1/translate", body)
    assert status == 200
    assert "console" in found["translation"]


def test_languages_and_health_are_answered(server):
    assert server.ask("GET", "/v1/languages") == (200, [{"source": "zh", "target": "en"}])
    assert server.ask("GET", "/health") == (200, {"status": "ok"})


@pytest.mark.parametrize(
    ("body", "status", "words"),
    [
        ({"text": "你好", "target": "de"}, 400, "No model here translates from"),
        ({"text": "你好", "source": "fr", "target": "en"}, 400, "This server translates zh to en."),
        ({"target": "en"}, 400, "text: Field required"),
        ({"text": "你好", "target": "en", "taget": "de"}, 400, "taget: Extra inputs"),
        ({"text": "你好", "target": "en", "beam": 0}, 400, "beam: Input should be"),
        ({"text": "你" * 2_001, "target": "en"}, 413, "2,000 are the most"),
        ({"text": ["你"] * 21, "target": "en"}, 413, "21 texts, but 20 are the most"),
        ({"text": "你好", "target": "en", "glossary": {"": "x"}}, 400, "glossary"),
        ("{", 400, "JSON"),
        ("x" * 100_000, 413, "The body has more than 77,536 bytes"),
    ],
)
def test_mistakes_are_said_in_one_sentence(server, body, status, words):
    found, answer = server.ask("POST", "/v1/translate", body)
    assert found == status
    assert list(answer) == ["error"]
    assert words in answer["error"]


def test_unknown_addresses_and_methods_are_said(server):
    status, answer = server.ask("GET", "/v1/nothing")
    assert (status, answer["error"]) == (
        404,
        "There is nothing at /v1/nothing. See /docs for what there is.",
    )
    status, answer = server.ask("GET", "/v1/translate")
    assert status == 405
    assert "does not take GET" in answer["error"]


def test_the_api_describes_itself_with_examples(server):
    status, found = server.ask("GET", "/openapi.json")
    assert status == 200
    assert {"/v1/translate", "/translate", "/v2/translate", "/health"} <= set(found["paths"])
    assert found["components"]["schemas"]["TranslateRequest"]["examples"]


@pytest.mark.parametrize(
    ("path", "key"), [("/v1/translate", "error"), ("/v2/translate", "message")]
)
def test_a_body_without_a_length_is_read_up_to_the_limit(server, path, key):
    connection = HTTPConnection("127.0.0.1", server.port, timeout=60)
    chunks = (b"x" * 10_000 for _ in range(20))
    try:
        connection.request("POST", path, chunks, JSON, encode_chunked=True)
        answer = connection.getresponse()
        assert answer.status == 413
        assert "more than 77,536 bytes" in json.loads(answer.read())[key]
    finally:
        connection.close()
