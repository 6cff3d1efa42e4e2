"""The API of LibreTranslate, with its own Python client, deep-translator, and older forms."""

from urllib.parse import urlencode

import pytest
from deep_translator import LibreTranslator
from libretranslatepy import LibreTranslateAPI

# Both clients leave their connections open.
pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")

TEXT = "打开终端。"
FORM = "application/x-www-form-urlencoded"


@pytest.fixture(scope="module")
def wanted(translator):
    return translator.translate(TEXT, beam=1)


@pytest.mark.parametrize("source", ["zh", "auto", "zh-Hans", "zh-CN", "zt", "zho"])
def test_its_client_translates_from_every_alias(server, wanted, source):
    assert LibreTranslateAPI(server.url).translate(TEXT, source, "en") == wanted


def test_its_client_detects_and_lists_languages(server):
    client = LibreTranslateAPI(server.url)
    (found,) = client.detect(TEXT)
    assert found == {"confidence": 90, "language": "zh"}
    assert client.languages() == [{"code": "zh", "name": "Chinese", "targets": ["en"]}]


def test_deep_translator_translates(server, wanted):
    client = LibreTranslator("zh", "en", api_key="any", custom_url=f"{server.url}/")
    assert client.translate(TEXT) == wanted


def test_a_list_has_a_list_of_translations_of_each_text(server, translator):
    body = {"q": [TEXT, "运行它。"], "source": "auto", "target": "en", "format": "text"}
    status, found = server.ask("POST", "/translate", body)
    assert status == 200
    assert found["translatedText"] == [translator.translate(text, beam=1) for text in body["q"]]
    assert found["detectedLanguage"] == [{"confidence": 90, "language": "zh"}] * 2


@pytest.mark.parametrize("q", ['["打开终端。"]', "打开终端。"])
def test_forms_have_texts_or_lists_as_json(server, wanted, q):
    form = urlencode({"q": q, "source": "zh", "target": "en"})
    status, found = server.ask("POST", "/translate", form, FORM)
    assert status == 200
    assert found["translatedText"] == ([wanted] if q.startswith("[") else wanted)
    assert server.ask("POST", f"/translate?{form}")[1] == found


def test_a_text_that_begins_like_a_list_is_a_text(server):
    for text in ("[1] 打开终端。", "[]", "[1, 2]"):
        body = {"q": text, "source": "zh", "target": "en"}
        status, found = server.ask("POST", "/translate", body)
        assert status == 200
        assert isinstance(found["translatedText"], str)


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({"source": "zh", "target": "en"}, "q is missing"),
        ({"q": TEXT, "target": "en"}, "source is missing"),
        ({"q": TEXT, "source": "zh", "target": 5}, "target is 5"),
        ({"q": [1], "source": "zh", "target": "en"}, "q is [1]"),
        ({"q": TEXT, "source": "zh", "target": "xx"}, "No model here translates from zh to xx"),
        ({"q": TEXT, "source": "zh", "target": "en", "format": "html"}, "format is 'html'"),
        ([1], "not a JSON object"),
        (b"\xff\xfe", "not JSON"),
    ],
)
def test_mistakes_have_the_shape_of_libretranslate(server, body, words):
    status, found = server.ask("POST", "/translate", body)
    assert status == 400
    assert words in found["error"]
