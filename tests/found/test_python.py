"""Defects of the Python interface: options that were ignored, results without a score or place."""

import asyncio
import inspect
import threading
from dataclasses import FrozenInstanceError

import pytest

import longways
from longways.errors import CheckpointError, ConfigError, TextError
from longways.translation.translator import Translator

TEXT = "# 安装\n\n打开终端。  运行安装命令。\n\n  12345\n请确认你的电脑至少有 8 GB 内存。"
CALLS = (
    "translate", "translate_results", "stream_results", "translate_documents", "translate_file",
    "stream", "stream_text", "translate_async", "stream_async",
)  # fmt: skip


@pytest.fixture(scope="module")
def translator():
    return longways.load(threads=1)


class TestF2OptionsAndResults:
    """Unknown options raise, help lists the known ones, and results are objects."""

    @pytest.mark.parametrize("name", CALLS)
    def test_every_call_lists_its_options(self, name):
        known = inspect.signature(getattr(Translator, name)).parameters
        options = {"window", "beam", "length_penalty", "glossary", "keep", "report"}
        assert options <= set(known)
        assert all(one.kind is not inspect.Parameter.VAR_KEYWORD for one in known.values())
        assert all(one.annotation for one in known.values() if one.name != "self")
        assert inspect.getdoc(getattr(Translator, name))

    @pytest.mark.parametrize("name", CALLS)
    def test_an_unknown_option_raises_at_once(self, translator, name):
        for option in ({"glosary": {}}, {"bem": 1}):
            with pytest.raises(TypeError, match="unexpected keyword argument"):
                getattr(translator, name)(["好。"], **option)

    def test_an_option_out_of_range_raises_at_once(self, translator):
        with pytest.raises(ConfigError):
            translator.translate("好。", beam=0)

    @pytest.mark.parametrize(
        ("name", "value"),
        [
            ("keep", "终端"), ("keep", 5), ("keep", [5]), ("keep", [""]), ("beam", "4"),
            ("beam", True), ("beam", None), ("beam", 10**20), ("window", "2"), ("window", 1.5),
            ("length_penalty", float("nan")), ("length_penalty", float("inf")),
            ("length_penalty", "1"), ("glossary", "终端"), ("glossary", [("终端", "x")]),
            ("glossary", {"终端": 5}), ("glossary", {"终端": ""}), ("report", 5), ("context", "3"),
        ],
    )  # fmt: skip
    def test_an_option_of_another_type_is_named(self, translator, name, value):
        with pytest.raises(ConfigError, match=f"^(.*{name}|beams|.*terms must be)"):
            translator.translate("打开终端。", **{"beam": 1, name: value})

    @pytest.mark.parametrize("text", [None, 5, b"x", [None], ["好。", 5], [["好。"]]])
    def test_a_text_of_another_type_is_named(self, translator, text):
        with pytest.raises(TextError, match="must be a"):
            translator.translate(text)

    def test_a_string_is_not_a_list_of_its_characters(self, translator):
        for call in (
            lambda: list(translator.stream("打开终端。")),
            lambda: translator.translate_documents(["打开终端。"]),
            lambda: translator.translate_documents("打开终端。"),
        ):
            with pytest.raises(TextError, match="must be a list of strings"):
                call()

    @pytest.mark.parametrize("path", ["-", "."])
    def test_a_file_is_a_file(self, translator, path):
        with pytest.raises(TextError, match="translate_file takes one"):
            translator.translate_file(path)

    @pytest.mark.parametrize("threads", [0, -1, "2", 1.5, True, 10**6])
    def test_a_number_of_threads(self, threads):
        with pytest.raises(ConfigError, match="threads is"):
            longways.load(threads=threads)

    def test_a_simple_call_gives_strings(self, translator):
        assert isinstance(translator.translate("打开终端。", beam=1), str)
        assert isinstance(translator.translate(["打开终端。"], beam=1), list)

    def test_a_text_gives_a_result_for_each_sentence_with_its_place(self, translator):
        results = translator.translate_results(TEXT, beam=1)
        sources = ["# 安装", "打开终端。", "运行安装命令。", "12345"]
        assert [one.source for one in results] == [*sources, "请确认你的电脑至少有 8 GB 内存。"]
        assert all(TEXT[one.start : one.end] == one.source for one in results)
        assert results[1].score < 0
        assert (results[3].text, results[3].score) == ("12345", None)
        whole = translator.translate(TEXT, beam=1)
        assert all(one.text in whole for one in results)
        assert [one.confidence is None for one in results] == [False] * 3 + [True, False]
        with pytest.raises(FrozenInstanceError):
            results[0].text = ""

    def test_a_list_gives_a_result_for_each_item(self, translator):
        given = ["打开终端。", "", "运行\n安装命令。"]
        results = translator.translate_results(given, beam=1)
        assert [one.source for one in results] == given
        assert [one.item for one in results] == [0, 1, 2]
        assert [str(one) for one in results] == translator.translate(given, beam=1)

    def test_alternatives_are_the_best_hypotheses(self, translator):
        (one,) = translator.translate_results("打开终端。", beam=4, nbest=3)
        assert one.alternatives[0] == (one.text, one.score)
        assert len(one.alternatives) == 3
        scores = [other.score for other in one.alternatives]
        assert scores == sorted(scores, reverse=True)
        assert translator.translate_results("打开终端。")[0].alternatives == ()

    @pytest.mark.parametrize(
        "text", ["使用 Docker 安装容器运行时。", ["使用 Docker\n安装运行时。"]]
    )
    def test_an_alignment_has_spans_of_both_texts(self, translator, text):
        (one,) = translator.translate_results(text, alignment=True)
        assert one.alignment
        for (a, b), (c, d) in one.alignment:
            assert 0 <= a < b <= len(one.source)
            assert 0 <= c < d <= len(one.text)
        pairs = {one.source[a:b]: one.text[c:d] for (a, b), (c, d) in one.alignment}
        assert pairs["Docker"] == "Docker"

    def test_asynchronous_calls_give_the_same_and_leave_the_loop_free(self, translator):
        texts = [f"打开终端 {number}。运行安装命令。" for number in range(6)]

        async def all_at_once():
            ticks = 0

            async def tick():
                nonlocal ticks
                while True:
                    ticks += 1
                    await asyncio.sleep(0)

            ticking = asyncio.create_task(tick())
            calls = [translator.translate_async(text, beam=1) for text in texts]
            found = await asyncio.gather(*calls, _collected(translator, texts))
            ticking.cancel()
            return found, ticks

        (*found, streamed), ticks = asyncio.run(all_at_once())
        assert found == [translator.translate(text, beam=1) for text in texts]
        assert streamed == translator.translate(texts, beam=1)
        assert ticks > len(texts)
        assert sum(one.name.startswith("longways-translator") for one in threading.enumerate()) == 1

    def test_a_model_is_found_by_its_languages_and_its_name(self):
        assert longways.load(source="zh", target="en").target_language == "en"
        assert longways.load("zh-en-docs", "zh").source_language == "zh"
        with pytest.raises(CheckpointError, match="No installed model translates from de into en"):
            longways.load(source="de", target="en")
        with pytest.raises(ConfigError, match="translates from zh into en, not from zh into fr"):
            longways.load("zh-en-docs", target="fr")


async def _collected(translator, sentences):
    return [one async for one in translator.stream_async(sentences, beam=1)]
