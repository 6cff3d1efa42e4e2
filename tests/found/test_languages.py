"""Defects of other languages: the direction of writing, abbreviations and ordinal numbers."""

import pytest

from longways.formats.base import Passage
from longways.formats.html.format import Html
from longways.text.direction import is_right_to_left
from longways.text.sentences.splitter import split_text


def sentences(text, language):
    return [segment.text for segment in split_text(text, language)]


def written(page, source, target, *, bilingual=False):
    document = Html().read(page.encode(), source)
    new = [Passage("x", passage.marks) for passage in document.passages]
    return document.write(new, target, bilingual=bilingual).decode()


class TestF8LanguagesOfTheWorld:
    """Text from right to left says so, and full stops of abbreviations and ordinals end nothing."""

    @pytest.mark.parametrize(
        ("page", "target", "start"),
        [
            ("<html><p>a</p>", "ar", '<html dir="rtl" lang="ar">'),
            ('<html lang="en"><p>a</p>', "he-IL", '<html dir="rtl" lang="he-IL">'),
            ('<html lang="en" dir="ltr"><p>a</p>', "fa", '<html lang="fa" dir="rtl">'),
            ('<html lang="en" dir="auto"><p>a</p>', "fa", '<html lang="fa" dir="auto">'),
            ('<html lang="en" xml:lang="en"><p>a</p>', "ur", '<html dir="rtl" lang="ur" xml:la'),
            ('<html lang="en"><p>a</p>', "de", '<html lang="de"><p>x'),
            ('<html lang="en" dir="ltr"><p>a</p>', "de", '<html lang="de" dir="ltr">'),
        ],
    )
    def test_html_has_the_direction_of_the_target(self, page, target, start):
        assert written(page, "en", target).startswith(start)

    def test_from_right_to_left_to_the_other_direction(self):
        page = '<html lang="ar" dir="rtl"><p>a</p>'
        assert written(page, "ar", "en") == '<html lang="en" dir="ltr"><p>x</p>'
        assert written("<html><p>a</p>", "ar", "en") == '<html lang="en"><p>x</p>'

    def test_the_source_of_a_bilingual_page_has_its_own_direction(self):
        assert '<span lang="en" dir="ltr" class' in written(
            "<html><p>a</p>", "en", "ar", bilingual=True
        )

    @pytest.mark.parametrize(
        ("tag", "expected"),
        [("ar-EG", True), ("az-Arab", True), ("ar-Latn", False), ("en", False), ("ckb", True)],
    )
    def test_the_script_of_a_tag_decides(self, tag, expected):
        assert is_right_to_left(tag) is expected

    @pytest.mark.parametrize(
        ("language", "text"),
        [
            ("de", "Wir treffen uns am 3. Mai. Danach gehen wir."),
            ("de", "Siehe Abb. 3 und Tab. 4. Die Werte sind gut."),
            ("de", "Der 2. Weltkrieg endete im 20. Jahrhundert. So war es."),
            ("de", "Frist vom 3. bis 5. Oktober, z. B. am 4. 10. 2024. Dann ist Schluss."),
            ("de", "Er kam am 3. Die Sonne schien."),
            ("fr", "Voir fig. 3, p. 12, avec M. Dupont. Ensuite vient Mme Durand."),
            ("fr", "Publié le 3 janv. 2024, c.-à-d. hier. Fin."),
            ("es", "El Sr. Pérez vio la fig. 3, pág. 5, en EE.UU. y salió. Luego volvió."),
            ("es", "Véase el art. 5 y la Dra. Gil. Después, nada."),
            ("ru", "См. рис. 3 и разд. 4 на ул. Мира. Потом ушли."),
            ("ru", "Столы, стулья и т. д. Затем он ушёл."),
            ("en", "See Fig. 3 by Dr. Smith. Then leave."),
        ],
    )
    def test_full_stops_that_end_nothing(self, language, text):
        assert len(sentences(text, language)) == 2
