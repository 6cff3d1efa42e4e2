"""A model is picked by its languages; the message says which and how to choose."""

from pathlib import Path

import pytest

from longways.errors import CheckpointError
from longways.translation.installed.choice import chosen
from longways.translation.installed.found import ADDED, BUNDLED, InstalledModel


def model(name: str, source: str, target: str, origin: str = ADDED) -> InstalledModel:
    return InstalledModel(name, Path(name), origin, source, target)


MODELS = [
    model("mine", "zh", "en"),
    model("pt", "en", "pt"),
    model("pt-br", "en", "pt-BR"),
    model("zh", "en", "zh"),
    model("hant", "de", "zh-Hant", "some-package 1.0"),
    model("docs", "zh", "en", BUNDLED),
]


@pytest.mark.parametrize(
    ("source", "target", "name"),
    [
        ("zh", "en", "mine"), ("zh-CN", "en-US", "mine"), ("zho", "eng", "mine"),
        ("zh-TW", "en", "mine"), ("zt", "en", "mine"), (None, "en", "mine"),
        ("en", "pt", "pt"), ("en", "pb", "pt-br"), ("en", "pt-BR", "pt-br"), ("en", "pt-PT", "pt"),
        ("en", "cmn-Hans", "zh"), ("de", "zt", "hant"), ("de", "zh-HK", "hant"),
        ("de", None, "hant"),
    ],
)  # fmt: skip
def test_codes_of_other_tools_pick_the_model(source, target, name):
    assert chosen(MODELS, source, target).model.name == name


@pytest.mark.parametrize(("source", "target"), [("en", "zh-TW"), ("de", "zh"), ("en", "zt")])
def test_traditional_chinese_is_not_simplified_chinese(source, target):
    with pytest.raises(CheckpointError, match="No installed model translates"):
        chosen(MODELS, source, target)


def test_of_two_models_one_is_taken_and_the_other_named():
    choice = chosen(MODELS, "zh", "en")
    assert choice.note == (
        "2 models translate from zh to en: mine is taken, since you have added it; the others are "
        "docs. Choose with --model NAME."
    )
    assert chosen(MODELS, "en", "zh").note == ""


def test_without_a_model_the_error_says_what_there_is_and_what_to_do():
    with pytest.raises(CheckpointError) as caught:
        chosen(MODELS[-1:], "de", "fr")
    assert str(caught.value) == (
        "No installed model translates from de into fr. Installed are: docs (zh to en). Add a "
        "folder, a wheel or a package with `longways models add`, or import an OPUS-MT model and "
        "add it: longways import opus-mt-de-fr -o de-fr; longways models add de-fr"
    )
    with pytest.raises(CheckpointError, match="None is installed"):
        chosen([], "de", "fr")
