"""What a person has changed is known again, sentence by sentence."""

import hashlib

import pytest

from longways.formats.markdown.format import Markdown
from longways.translation.files.updates.edits import find_edits
from longways.translation.files.updates.kept import Head, Kept, KeptPassage, KeptSentence
from longways.translation.files.updates.lines import TEXT_LINES

PAGE = """\
# Harbour

The ship is big. It sails at night. We wait.

- See [the map](a.md) and [the list](b.md).
- Press **Save** now.

```sh
# 不要
run
```

The `lamp` is out.
"""


def kept(text=PAGE, form=None):
    """Pairs as if the page had been translated from sentences that count."""
    document = (form or Markdown()).read(text.encode(), "en")
    passages = [
        KeptPassage(passage, passage, tuple(_sentences(passage.text)))
        for passage in document.passages
    ]
    head = Head("a", "b", "", hashlib.sha256(text.encode()).hexdigest(), "markdown", {})
    return Kept(head, passages)


def _sentences(text):
    parts = text.replace(". ", ".\n").split("\n")
    return [KeptSentence(f"源{part}", part) for part in parts]


def edits(text, form=None):
    form = form or Markdown()
    return find_edits(kept(form=form), form.read(text.encode(), "en"), "en")


def corrected(found):
    return [one for passage in found.passages for one in passage.sentences if one.corrected]


def test_nothing_is_edited():
    found = edits(PAGE)
    assert (found.corrected, found.is_all_kept, corrected(found)) == (0, True, [])


@pytest.mark.parametrize("form", [Markdown(), TEXT_LINES])
def test_a_corrected_sentence_is_found_between_others(form):
    found = edits(PAGE.replace("It sails at night", "She leaves after dark"), form)
    assert (found.corrected, found.is_all_kept) == (1, True)
    assert corrected(found) == [
        KeptSentence("源It sails at night.", "She leaves after dark.", corrected=True)
    ]


def test_text_in_marks_is_corrected_with_its_marks():
    found = edits(PAGE.replace("**Save** now", "the **Store** button"))
    one = found.passages[3]
    assert one.target.text == "Press the Store button."
    assert [(m.start, m.end) for m in one.target.marks] == [(10, 15)]
    assert found.is_all_kept


def test_links_that_changed_their_places_keep_their_addresses():
    found = edits(PAGE.replace("[the map](a.md) and [the list](b.md)",
                               "[the list](b.md) before [the map](a.md)"))  # fmt: skip
    first, second = found.passages[2].target.marks
    tags = [mark.tag for mark in found.passages[2].source.marks]
    assert [first.tag, second.tag] == tags[::-1]


@pytest.mark.parametrize(
    ("before", "after"),
    [("# 不要", "# no"), ("(a.md)", "(c.md)"), ("```sh", "```bash"), ("# Harbour", "## Harbour")],
)
def test_changes_outside_of_the_text_are_noticed(before, after):
    found = edits(PAGE.replace(before, after))
    assert found.elsewhere
    assert not found.is_all_kept


def test_marks_that_were_added_are_noticed_and_the_text_is_kept():
    found = edits(PAGE.replace("The ship is big", "The **great ship** is big"))
    assert found.elsewhere
    assert corrected(found)[0].target == "The great ship is big."
    assert not found.passages[1].is_whole


def test_paragraphs_that_were_added_and_removed_are_named():
    found = edits(PAGE.replace("We wait.", "We wait.\n\nNote of the translator."))
    assert found.added == ("Note of the translator.",)
    found = edits(PAGE.replace("- Press **Save** now.\n", ""))
    assert found.removed == ("Press Save now.",)


def test_a_paragraph_that_was_wrapped_otherwise_has_no_corrections():
    found = edits(PAGE.replace("big. It", "big.\nIt"))
    assert corrected(found) == []


def test_a_sentence_that_was_joined_to_another_has_no_translation_of_its_own():
    found = edits(PAGE.replace("The ship is big. It sails at night. We", "Big ships sail, so we"))
    assert [one.target for one in corrected(found)] == ["", "", "we wait."]
    assert found.passages[1].target.text == "Big ships sail, so we wait."
