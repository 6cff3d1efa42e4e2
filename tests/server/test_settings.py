"""Settings that cannot work are refused before the server starts."""

import pytest

from longways.errors import ConfigError
from longways.server.settings import ServerSettings
from tests.command import longways


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"beam": 0}, "beam is 0"),
        ({"port": 70_000}, "from 0 to 65535"),
        ({"host": "0.0.0.0"}, "listens to this machine only"),
        ({"max_texts": -1}, "max_texts is -1"),
    ],
)
def test_impossible_settings_are_refused(values, message):
    with pytest.raises(ConfigError, match=message):
        ServerSettings(**values)


def test_the_command_refuses_in_one_sentence():
    done = longways("serve", "--host", "0.0.0.0")
    assert done.returncode == 2
    assert "listens to this machine only" in done.stderr
