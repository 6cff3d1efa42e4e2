import pytest

from longways.errors import TextError
from longways.text.optional_import import import_optional


def test_a_missing_package_is_named_with_the_command_that_installs_it():
    with pytest.raises(TextError, match=r"needs the package no-such-thing.*longways\[train\]"):
        import_optional("no_such_thing.inside")
