"""The page that says by JSON-RPC that there are no tools, without a server."""

import json

import pytest

pytest.importorskip("openenv", reason="pip install 'gem-ma[openenv]'")

from gem_ma.serving.openenv_rpc import answer_rpc


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"", -32700),
        (b"\xff", -32700),
        (b"[" * 100_000, -32700),
        (b"{}", -32600),
        (b"[]", -32600),
        (b'{"method": 3}', -32600),
        (b'{"method": "openenv/session/create"}', -32601),
        (b'{"method": "tools/call", "id": {"a": 1}}', -32601),
    ],
)
def test_what_it_refuses(body, code):
    answer = answer_rpc(body)
    assert (answer["jsonrpc"], answer["id"], answer["error"]["code"]) == ("2.0", None, code)


@pytest.mark.parametrize("id", [0, "a", "\ud800", None])
def test_an_answer_has_the_id_of_its_request(id):
    body = json.dumps({"jsonrpc": "2.0", "id": id, "method": "tools/list"}).encode()
    assert answer_rpc(body) == {"jsonrpc": "2.0", "id": id, "result": {"tools": []}}
