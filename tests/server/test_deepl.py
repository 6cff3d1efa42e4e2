"""The API of DeepL with its official client."""

import deepl
import pytest

TEXT = "打开终端。"


@pytest.fixture(scope="module")
def client(server):
    found = deepl.DeepLClient("any-key", server_url=server.url, send_platform_info=False)
    yield found
    found.close()


def test_its_client_translates_a_text_and_a_list(client, translator):
    found = client.translate_text(TEXT, target_lang="EN-US")
    assert found.text == translator.translate(TEXT, beam=1)
    assert found.detected_source_lang == "ZH"
    several = client.translate_text([TEXT, "运行它。"], source_lang="ZH", target_lang="EN-GB")
    wanted = [translator.translate(text, beam=1) for text in (TEXT, "运行它。")]
    assert [one.text for one in several] == wanted


def test_context_is_translated_before_the_text_and_left_out(client, translator):
    found = client.translate_text("运行它。", target_lang="EN-US", context=TEXT)
    assert found.text == translator.translate([TEXT, "运行它。"], beam=1)[1]


def test_languages_and_usage_are_answered(client):
    assert [one.code for one in client.get_source_languages()] == ["ZH"]
    assert [(one.code, one.name) for one in client.get_target_languages()] == [("EN", "English")]
    before = client.get_usage().character.count
    client.translate_text(TEXT, target_lang="EN-US")
    assert client.get_usage().character.count == before + len(TEXT)


def test_mistakes_have_the_shape_of_deepl(client, server):
    with pytest.raises(deepl.DeepLException, match="No model here translates from any language"):
        client.translate_text(TEXT, target_lang="DE")
    status, found = server.ask("POST", "/v2/translate", {"target_lang": "EN"})
    assert (status, found) == (
        400,
        {"message": "text is None, but it must be a string or a list of them."},
    )
    with pytest.raises(deepl.DeepLException, match="texts without tags"):
        client.translate_text(TEXT, target_lang="EN-US", tag_handling="html")
