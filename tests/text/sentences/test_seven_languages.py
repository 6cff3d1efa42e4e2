# ruff: noqa: RUF001 - Chinese and Russian have letters and marks that look like Latin ones
"""Sentences of seven languages end where their readers see the end; `|` marks each."""

import pytest

from longways.text.sentences.splitter import split_text

SENTENCES = {
    "en": [
        'He said "Go." | Then he left.',
        "See e.g. Fig. 5. | Then go on to no. 6.",
        "Mr. Smith of the U.S. Army left. | He came.",
        "Use Node.js. | It works with Python 3.11. | Fine.",
        "Ver. 3.5 is out. | It is new.",
    ],
    "de": [
        "Das kostet z. B. 5 Euro. | Danach geht es weiter.",
        "Siehe Nr. 5 und Abb. 3. | Dann folgt mehr.",
        "Er sagte: „Komm her!“ | Dann ging er.",
        "„Ja.“ | „Nein.“ | Er ging.",
        "»Komm!«, rief sie. | »Gleich.« | Er kam.",
        "‚Gut.‘ | Das war alles.",
        "Am 3. Mai 2024 war es so weit. | Der 2. Abschnitt folgt.",
        "Dr. med. Müller und Prof. Dr. rer. nat. Schmidt kamen. | Sie blieben.",
        "Die GmbH & Co. KG ist groß. | Ende.",
    ],
    "fr": [
        "M. Dupont est venu. | Il est parti.",
        "Attention ! | Cliquez ici : c’est prêt ; fermez.",
        "« Oui ! » dit-il. | « Non. » | Fin.",
        "«\u202fBonjour. | Ça va\u202f?\u202f» | Il partit.",
        "Voir p. ex. la page 5. | Ensuite, fermez. | Mme Curie vit.",
        "Le n° 5 est là. | Cf. art. 5 du code. | Fin.",
    ],
    "es": [
        "El Sr. García vino. | ¿Y tú? | ¡Claro! | Vale.",
        "Véase p. ej. la página 5. | Luego cierre.",
        "EE. UU. es grande. | La Dra. Pérez vino.",
        "«Hola.» | Dijo adiós. | —¿Qué? —preguntó. | Fin.",
        "El art. 5 y la pág. 3. | Fin.",
    ],
    "ru": [
        "Это т. е. так. | И т. д. | Потом идёт другое.",
        "См. рис. 5. | Затем откройте.",
        "А. С. Пушкин родился в 1799 г. в Москве. | Он поэт.",
        "«Да!» — сказал он. | «Нет.» | Конец.",
    ],
    "ja": [
        "これはペンです。|あれは本です。",
        "「はい。」と彼は言った。|そして行った。",
        "「行くの？」|「うん。」|「ところで。」|ところが来ない。",
        "これは例（例です。）です。|次。",
        "本当?|はい!|行きます。",
        "すごい！！|そうか…。|「はい。」|はいと言った。",
        "Ver. 3.5が出た。|値は3.5です。",
    ],
    "it": ["Il sig. Rossi è qui. | Vada a pag. 5. | «Sì.» | Fine."],
    "nl": ["Dhr. Jansen kwam. | Zie bijv. blz. 5. | Klaar."],
    "pl": ["Zob. np. str. 5. | „Tak.” | Nie."],
    "ko": ["안녕하세요. | 반갑습니다! | 끝."],
    "zh": [
        "他说：“你好。”|然后走了。|再见！",
        "真的吗？|是的！|好……走吧。",
        "“走。”|“好。”|他说。",
        "版本3.5发布了。|请更新。",
    ],
}


@pytest.mark.parametrize(
    ("language", "marked"), [(code, text) for code, texts in SENTENCES.items() for text in texts]
)
def test_sentences_end_where_their_readers_see_the_end(language, marked):
    wanted = [part.strip() for part in marked.split("|")]
    text = marked.replace(" | ", " ").replace("|", "")
    assert [segment.text for segment in split_text(text, language)] == wanted


def test_closing_quotes_of_german_open_sentences_in_chinese():
    assert split_text("他走了。“好。”她说。", "zh")[0].text == "他走了。"
    assert split_text("Er ging. “Yes.” Sie kam.", "de")[0].text == "Er ging."
