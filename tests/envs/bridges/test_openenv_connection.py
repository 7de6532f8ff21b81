"""A session at a server that is hostile: where it points to, and what it repeats."""

import json
import socket
import threading

import pytest
from needed import needed

from gem_ma.envs.bridges.openenv_connection import Link, Lost, ServerError

needed("websockets", install="'gem-ma[openenv]'")

TOKEN = "token-of-mine"


@pytest.mark.parametrize("scheme", ["ws", "http"])
def test_nobody_is_followed_to_another_server(scheme):
    with (
        socket.create_server(("127.0.0.1", 0)) as listener,
        socket.create_server(("127.0.0.1", 0)) as other,
    ):
        there = other.getsockname()[1]

        def answer():
            client, _ = listener.accept()
            client.recv(1000)
            moved = f"Location: {scheme}://me:hush@127.0.0.1:{there}/ws\r\nContent-Length: 0"
            client.sendall(f"HTTP/1.1 307 Moved\r\n{moved}\r\n\r\n".encode())
            client.close()

        thread = threading.Thread(target=answer)
        thread.start()
        with pytest.raises(Lost, match=rf"127\.0\.0\.1:{there}.*give that as the URL") as error:
            Link(f"ws://127.0.0.1:{listener.getsockname()[1]}", TOKEN, 20.0)
        thread.join()
        other.settimeout(0.2)
        with pytest.raises(TimeoutError):
            other.accept()
    assert "hush" not in str(error.value)


SAID = f"no Bearer {TOKEN} here"
ANSWERS = [
    {"type": "error", "data": {"message": SAID, "code": "NO"}},
    {"type": "error", "data": {"message": "no", "errors": [{"loc": ["a"], "msg": SAID}]}},
    {"type": "error", "data": {"message": "x" * 995 + TOKEN}},
    {"type": SAID},
]


@pytest.mark.parametrize("answer", ANSWERS)
def test_no_error_repeats_the_token(answer):
    from websockets.sync.server import serve

    def respond(line):
        line.recv()
        line.send(json.dumps(answer))

    with serve(respond, "127.0.0.1", 0) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        link = Link(f"ws://127.0.0.1:{server.socket.getsockname()[1]}", TOKEN, 20.0)
        with pytest.raises((ServerError, Lost)) as error:
            link.ask("state")
        link.close()
        server.shutdown()
    assert "token" not in str(error.value)
    assert "mine" not in str(error.value)
