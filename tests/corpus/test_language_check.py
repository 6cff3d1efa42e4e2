# ruff: noqa: RUF001 - Chinese marks look like ASCII ones
"""Swapped languages of a corpus are noticed and said."""

import pytest

from longways.corpus.document import Document
from longways.corpus.language_check import are_swapped, with_checked_languages
from longways.errors import CorpusError

TEXTS = {
    "en": "Save the file before you close the window, or your changes are lost.",
    "de": "Speichern Sie die Datei, bevor Sie das Fenster schließen, sonst gehen sie verloren.",
    "fr": "Enregistrez le fichier avant de fermer la fenêtre, sinon vous perdez tout.",
    "zh": "关闭窗口之前请保存文件，否则 nginx 的更改会丢失。"
    "这一点非常重要，请不要忘记，也请告诉您的同事。",
    "ja": "ウィンドウを閉じる前にファイルを保存してください。"
    "保存しないと変更は失われます。ご注意ください。",
    "ru": "Сохраните файл, прежде чем закрыть окно, иначе изменения пропадут.",
}  # fmt: skip


@pytest.mark.parametrize(
    "pair", [("en", "de"), ("zh", "en"), ("en", "ru"), ("fr", "de"), ("ja", "zh"), ("en", "ja")]
)
def test_swapped_sides_are_noticed_in_every_pair(pair):
    document = Document("d", [TEXTS[pair[0]]], [TEXTS[pair[1]]])
    assert not are_swapped([document], pair)
    assert are_swapped([document], pair[::-1])


def test_they_are_said_and_the_documents_of_good_files_stay():
    documents = [Document(str(n), [TEXTS["en"]] * 30, [TEXTS["de"]] * 30) for n in range(5)]
    assert list(with_checked_languages(iter(documents), ("en", "de"), "a.tsv")) == documents
    with pytest.raises(CorpusError, match=r"^a\.tsv: the languages are swapped\. .*: en-de\.$"):
        list(with_checked_languages(iter(documents), ("de", "en"), "a.tsv"))


@pytest.mark.parametrize(
    ("source", "target"),
    [("OK", "确定"), ("12345 " * 20, "67890 " * 20), (TEXTS["en"], TEXTS["en"]),
     (TEXTS["zh"], TEXTS["zh"]), ("ka lo mi ne " * 9, "sa to pu re " * 9)],
)  # fmt: skip
def test_short_copied_and_invented_texts_are_not_swapped(source, target):
    document = Document("d", [source], [target])
    assert not any(are_swapped([document], p) for p in (("zh", "en"), ("en", "zh"), ("qa", "qb")))
