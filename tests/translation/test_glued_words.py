# ruff: noqa: RUF001 - Chinese marks look like ASCII ones
"""Words that a translation writes without the space before them."""

import time

import pytest

from longways.translation.glued_words import without_glued_words


@pytest.mark.parametrize(
    ("source", "glued", "apart"),
    [
        ("该图未使用hooks。", "The chart does not usehooks.", "The chart does not use hooks."),
        ("构造一个DFA，任何DFA", "Make anDFA, any DFA", "Make an DFA, any DFA"),
        ("构造一个DFA，任何DFA", "Make anDFA, anyDFA", "Make an DFA, any DFA"),
        ("列5和第16和84行", "Column5 and lines 16 and84", "Column 5 and lines 16 and 84"),
        ("键为主机IP", "Keys are HostIP", "Keys are Host IP"),
        ("设置了Thread.sleep(10)", "has aThread.sleep(10)", "has a Thread.sleep(10)"),
        ("前端页面html内容", "the page andhtml content", "the page and html content"),
        ("第5章Thread", "Chapter 5Thread", "Chapter 5 Thread"),
        ("转为HTML", "convert toHTML", "convert to HTML"),
        ("保存到EEPROM中", "Save it to anEEPROM", "Save it to an EEPROM"),
        ("请求ID，必填", "RequestID, required", "Request ID, required"),
        ("集群ID列表", "A list of clusterIDs", "A list of cluster IDs"),
        ("修复icon大小", "Fix the size of theicon", "Fix the size of the icon"),
        ("第三方ES接入", "Third-partyES", "Third-party ES"),
        ("定价799元，共256个", "It costs799 and contains256", "It costs 799 and contains 256"),
    ],
)
def test_a_copied_word_gets_its_space_back(source, glued, apart):
    assert without_glued_words(glued, source) == apart


@pytest.mark.parametrize(
    ("source", "translation"),
    [
        ("用 hooks 工具", "the webhooks tool"),  # the model saw a space
        ("用git管理，git库", "a digit with git and git"),  # git is there as often as it should be
        ("版本2", "v2"),
        ("用js写的nodejs程序", "a nodejs program"),  # a word of the source itself
        ("第3章", "Chapter Three"),
        ("是64位", "amd64x is x6464"),
        ("在Go里", "Let it go. Ergo"),
        ("没有外来词", "abc123"),
        ("", "abc"),
        ("按键a", "extra"),
        ("读取ADC的值", "Read the AADC value"),
        ("5个KB", "5KB"),
        ("用Script写", "Write it in JavaScript"),
        ("作者zzhu", "by zzzhu"),
        ("返回nodeID和ID", "Returns nodeID and ID"),
        ("ID在 /a/nodeID 里", "The ID in /a/nodeID"),
        ("无符号32位整数", "an uint32"),
        ("part 是零件", "It is apart"),
    ],
)
def test_other_words_stay_whole(source, translation):
    assert without_glued_words(translation, source) == translation


def test_time_is_linear_in_the_length():
    source, glued = "用Ab" * 20_000, "useAb " * 20_000
    start = time.perf_counter()
    assert without_glued_words(glued, source) == "use Ab " * 20_000
    assert time.perf_counter() - start < 2
