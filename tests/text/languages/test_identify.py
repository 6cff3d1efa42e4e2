"""The language of a text is identified by its script first, then by its letters."""

import pytest

from longways.text.languages.identify import identified

ALL = ("en", "de", "fr", "es", "ru", "zh", "ja", "ko")


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Bitte speichern Sie die Datei, bevor Sie das Fenster schließen.", "de"),
        ("Enregistrez le fichier avant de fermer la fenêtre.", "fr"),
        ("Guarde el archivo antes de cerrar la ventana, por favor.", "es"),
        ("请保存文件", "zh"), ("ファイルを保存する", "ja"), ("파일을 저장하세요", "ko"),
        ("Файл", "ru"),
    ],
)  # fmt: skip
def test_languages_are_identified(text, language):
    assert identified(text, ALL) == (language, True)


def test_only_the_given_languages_are_answers_in_their_own_spelling():
    text = "Bitte speichern Sie die Datei, bevor Sie das Fenster schließen."
    assert identified(text, ["zh", "de-DE", "fr"]).language == "de-DE"
    assert identified(text, ["zh", "fr"]) == ("fr", True)
    assert identified(text, ["zh", "ja"]) == (None, True)
    assert identified("12 + 3", ALL).language is None


def test_short_texts_are_not_certain():
    assert not identified("Menu", ("en", "de", "fr")).is_certain
