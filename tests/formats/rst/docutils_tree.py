"""What docutils reads in a file: the shape of its tree, its texts and its complaints."""

import re
from functools import cache

from docutils import nodes
from docutils.core import publish_doctree
from docutils.parsers.rst import Directive, directives, roles

MESSAGE_LEVEL = 2
"""From which level messages of docutils count: warnings."""

_SPHINX = """attention autoclass autofunction automodule card centered class-doc cssclass deprecated
details dropdown envvar function glossary grid group-tab hlist index literalinclude module mermaid
only option program py:function seealso sectionauthor tab tab-item tab-set tabs todo toctree
versionadded versionchanged code-tab currentmodule highlight autoattribute automethod autodata
autoexception method attribute exception data cmdoption describe setting signal reqmeta command"""
_ROLES = """abbr any attr class command data doc download envvar exc file func guilabel index kbd
keyword mailheader makevar menuselection meth mimetype mod newsgroup obj option pep program
py:class ref regexp rfc samp term token numref bdg-primary setting signal reqmeta source dfn py:func
py:meth py:mod commit issue red ref-link"""


class _Content(Directive):
    """A directive whose content is text, with a title."""

    optional_arguments, final_argument_whitespace, has_content = 1, True, True
    option_spec = None

    def run(self):
        node = nodes.container()
        node += [nodes.inline(a, a) for a in self.arguments]
        if self.name in ("toctree", "glossary", "literalinclude", "mermaid", "index"):
            return [node]
        self.state.nested_parse(self.content, self.content_offset, node)
        return [node]


class _Code(Directive):
    """A directive whose content is code, with a caption."""

    optional_arguments, has_content = 1, True
    option_spec = None

    def run(self):
        code = "\n".join(self.content)
        return [nodes.caption("", self.options.get("caption", "")), nodes.literal_block(code, code)]


class _AnyOption(dict):
    """A specification with every option."""

    def __missing__(self, name):
        return directives.unchanged

    def __contains__(self, name):
        return True


@cache
def _with_sphinx():
    _Content.option_spec = _AnyOption()
    _Code.option_spec = {"caption": directives.unchanged, "name": directives.unchanged}
    for name in _SPHINX.split():
        directives.register_directive(name, _Content)
    directives.register_directive("code-block", _Code)
    for name in _ROLES.split():
        roles.register_generic_role(name, nodes.inline)


def tree(text):
    """The document of a text."""
    _with_sphinx()
    settings = {
        "report_level": 5,
        "halt_level": 6,
        "file_insertion_enabled": False,
        "raw_enabled": True,
        "doctitle_xform": False,
        "language_code": "en",
    }
    return publish_doctree(text, settings_overrides=settings)


def shape(document):
    """The nesting of all nodes except targets and complaints, as one string."""
    if isinstance(document, nodes.Text):
        return "T" if document.strip() else ""
    if isinstance(document, (nodes.target, nodes.system_message, nodes.colspec, nodes.problematic)):
        return ""
    if isinstance(document, (nodes.literal_block, nodes.comment, nodes.doctest_block, nodes.raw)):
        return f"{type(document).__name__}({document.astext()!r})"
    inner = [shape(child) for child in document.children]
    if isinstance(document, nodes.TextElement):
        inner = sorted(part for part in inner if part != "T")  # the order of words may change
    return f"{type(document).__name__}({','.join(part for part in inner if part)})"


def complaints(document):
    """The kinds of messages of docutils, sorted."""
    found = [
        re.sub(r'".*"|\d+', "", node.astext().split("\n")[0].split("(ERROR/3)")[-1])
        for node in document.findall(nodes.system_message)
        if node["level"] >= MESSAGE_LEVEL
    ]
    found += [
        re.sub(r'".*"|\d+', "", m.astext().split("\n")[0])
        for m in document.transform_messages
        if m["level"] >= MESSAGE_LEVEL
    ]
    return sorted(re.sub(r"^\S*:\s*(?:\(\w+/\d\))?", "", one) for one in found)


_CODE = (nodes.literal_block, nodes.comment, nodes.literal, nodes.raw, nodes.doctest_block)


def texts(document):
    """The texts of all nodes that hold no code; those of roles without their target."""
    return [
        re.sub(r"(?<=.)\s*<[^<>]*>$", "", node.astext())
        for node in document.findall(nodes.Text)
        if not isinstance(node.parent, (*_CODE, nodes.math_block))
        and not isinstance(node.parent.parent, _CODE)
    ]
