"""Terms in sentences, and files of them."""

import pytest

from longways.errors import TextError
from longways.translation.terminology.glossary import Terms, spans_inside
from longways.translation.terminology.glossary_files import read_glossary, read_keep


def found(terms, sentence, **options):
    return [(w.source, w.target, w.spans, w.times) for w in terms.find(sentence, **options)]


def test_the_longer_term_wins_where_two_overlap():
    terms = Terms({"环境": "environment", "环境变量": "environment variable"})
    assert found(terms, "设置环境变量和环境") == [
        ("环境变量", "environment variable", ((2, 6),), 1),
        ("环境", "environment", ((7, 9),), 1),
    ]


def test_words_with_letters_are_found_as_whole_words_also_between_chinese_ones():
    terms = Terms({"Pod": "pod", "node": "Knoten"}, language="de")
    assert found(terms, "使用Pod启动") == [("Pod", "pod", ((2, 5),), 1)]
    assert found(terms, "Pods and tripod") == []
    assert found(terms, "Node, nodes") == [("Node", "Knoten", ((0, 4),), 1)]
    assert found(terms, "a pod") == []


@pytest.mark.parametrize(
    ("target", "translation", "is_in"),
    [
        ("node", "All Nodes are up.", True),
        ("node", "All nodal ones.", False),
        ("node", "a node_pool", True),
        ("class", "two classes", True),
        ("policy", "Two policies", True),
        ("policy", "Police", False),
        ("day", "two daies", False),
        ("API server", "the API  server", True),
        ("API server", "the api server", False),
        ("C++", "in C++.", True),
    ],
)
def test_what_counts_as_a_term_in_english(target, translation, is_in):
    (wanted,) = Terms({"词": target}).find("词")
    assert wanted.is_in(translation) is is_in


def test_what_is_kept_is_the_same_to_the_letter_and_as_often():
    (wanted,) = Terms({}, ["Pod"]).find("Pod 和 Pod")
    assert wanted.times == 2
    assert wanted.is_in("Pod and Pod")
    assert not wanted.is_in("Pod and pod")
    assert not wanted.is_in("Pods and Pods")


def test_terms_inside_of_what_is_kept_are_left_alone():
    terms = Terms({"节点": "node"})
    assert found(terms, "节点 `节点`", outside=[(3, 7)]) == [("节点", "node", ((0, 2),), 1)]
    assert spans_inside([(0, 3), (5, 8), (7, 12)], (5, 10)) == [(0, 3)]


def test_no_terms_find_nothing():
    assert Terms({}).find("节点") == []


def test_files_of_terms(tmp_path):
    (tmp_path / "g.tsv").write_bytes(
        "\ufeff# ours\n节点\tnode\r\n\n 集群 \t cluster \n节点\tnode\n".encode()
    )
    assert read_glossary(tmp_path / "g.tsv") == {"节点": "node", "集群": "cluster"}
    (tmp_path / "k.txt").write_text("Pod\n\n# no\nkubectl\nPod\n")
    assert read_keep(tmp_path / "k.txt") == ["Pod", "kubectl"]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ("a\tb\na\tc\n", r"lines 1 and 2: 'a' is 'b' in one and 'c' in the other"),
        ("a\tb\nno tab\n", r"line 2: a glossary has a source, one TAB and a target"),
        ("a\tb\tc\n", r"line 1: a glossary has"),
        ("a\t\n", r"line 1: a glossary has"),
        ("x\n\ta\n", r"line 1: a glossary has"),
        ("Pod\tpod\n", r"line 1: 'Pod' is 'pod' here, but it is also among the words to keep"),
    ],
)
def test_a_glossary_that_cannot_be_used_is_one_sentence(tmp_path, data, message):
    (tmp_path / "g.tsv").write_text(data)
    with pytest.raises(TextError, match=message):
        read_glossary(tmp_path / "g.tsv", ["Pod"])


def test_a_file_of_terms_in_another_encoding_or_nowhere(tmp_path):
    (tmp_path / "g.tsv").write_bytes("a\tb\n节点\tnode\n".encode("gb18030"))
    with pytest.raises(TextError, match=r"g\.tsv, line 2: this is not UTF-8"):
        read_glossary(tmp_path / "g.tsv")
    with pytest.raises(TextError, match=r"nowhere cannot be read: No such file"):
        read_keep(tmp_path / "nowhere")
