"""`longways serve` as users start and stop it."""

import json
import signal
import socket
from http.client import HTTPConnection
from time import monotonic, sleep

import pytest

from tests.command import Command, longways


def ask(port, path, body=None):
    connection = HTTPConnection("127.0.0.1", port, timeout=60)
    try:
        headers = {"Content-Type": "application/json"} if body else {}
        connection.request("POST" if body else "GET", path, body and json.dumps(body), headers)
        return json.loads(connection.getresponse().read())
    finally:
        connection.close()


@pytest.fixture
def port():
    with socket.create_server(("127.0.0.1", 0)) as free:
        return free.getsockname()[1]


def test_a_server_is_started_asked_and_stopped(port):
    command = Command("serve", "--port", port, "--threads", 1, "--beam", 1)
    end = monotonic() + 60
    while monotonic() < end:
        try:
            assert ask(port, "/health") == {"status": "ok"}
            break
        except OSError:
            sleep(0.05)
    found = ask(port, "/v1/translate", {"text": "打开终端。", "target": "en"})
    command.send_signal(signal.SIGINT)
    done = command.wait()
    assert found["translation"] == "Open the terminal."
    assert f"http://127.0.0.1:{port} translates" in done.stderr
    assert done.returncode == 0, done.stderr


def test_a_port_that_is_taken_is_said():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        done = longways("serve", "--port", taken.getsockname()[1])
    assert done.returncode == 2
    assert "Stop what listens there, or choose another --port." in done.stderr


def test_a_model_that_is_not_installed_is_said():
    done = longways("serve", "--model", "none")
    assert done.returncode == 2
    assert "There is no model folder at none" in done.stderr
