"""What stands before OpenEnv's application, without it: who comes in, and what is no message."""

import asyncio
import json

import pytest

from gem_ma.serving.middleware import AccessMiddleware

TOKEN = "open-sesame"
BEARER = {b"authorization": b"Bearer open-sesame"}
ORIGIN = {b"origin": b"http://elsewhere"}
HTTP = {"extensions": {"websocket.http.response": {}}}


def knock(kind, path="/ws", headers=None, *, token=None, events=(), limit=5.0, **more):
    """Return what came through a gate, and what was sent back."""
    coming, through, sent = iter(events), [], []

    async def receive():
        event = next(coming, None)
        if event is None:
            await asyncio.sleep(60)
        return event

    async def send(event):
        sent.append(event)

    async def app(scope, receive, send):
        through.append(scope["type"])
        while scope["type"] == "websocket" and through[-1] != "websocket.disconnect":
            event = await receive()
            through.append(event.get("text", event["type"]))
        await send({"type": "last"})

    scope = {"type": kind, "path": path, "headers": list((headers or {}).items()), **more}
    asyncio.run(AccessMiddleware(app, token, limit, limit)(scope, receive, send))
    return through, sent


@pytest.mark.parametrize(
    "path", ["/ws", "/health", "/schema", "/metadata", "/openapi.json", "/mcp"]
)
def test_what_there_is(path):
    assert knock("http", path) == (["http"], [{"type": "last"}])
    assert knock("http", path, BEARER, token=TOKEN) == (["http"], [{"type": "last"}])


def test_starting_and_stopping_asks_for_no_token():
    assert knock("lifespan", token=TOKEN)[0] == ["lifespan"]


@pytest.mark.parametrize(
    ("path", "headers", "token", "status", "words"),
    [
        (
            "/reset",
            {},
            None,
            404,
            "there are /ws, /health, /schema, /metadata, /openapi.json, /mcp: an",
        ),
        ("/ws", ORIGIN, None, 403, "a browser's page has to have a token"),
        ("/ws", {}, TOKEN, 401, "send the header Authorization: Bearer"),
        ("/ws", {b"authorization": b"Bearer open"}, TOKEN, 401, "send the header"),
        ("/reset", BEARER | ORIGIN, TOKEN, 404, "there are"),
    ],
)
def test_who_is_turned_away(path, headers, token, status, words):
    event = {"type": "websocket.connect"}
    for kind, more in (("http", {}), ("websocket", HTTP)):
        through, (start, body) = knock(kind, path, headers, token=token, events=[event], **more)
        name = "http.response" if kind == "http" else "websocket.http.response"
        assert through == []
        assert (start["type"], start["status"]) == (f"{name}.start", status)
        assert body["type"] == f"{name}.body"
        assert json.loads(body["body"])["detail"].startswith(words)
    through, (close,) = knock("websocket", path, headers, token=token, events=[event])
    assert (through, close["type"], close["code"]) == ([], "websocket.close", 1008)
    assert close["reason"].startswith(words)


def test_a_websocket_is_only_at_its_path():
    event = {"type": "websocket.connect"}
    through, (start, _) = knock("websocket", "/mcp", events=[event], **HTTP)
    assert (through, start["status"]) == ([], 404)


def test_a_page_with_the_token_comes_in():
    assert knock("http", headers=BEARER | ORIGIN, token=TOKEN)[0] == ["http"]


@pytest.mark.parametrize(
    ("message", "words"),
    [
        ({"text": "{}"}, ""),
        ({"text": '{"a": "\\u00e9"}'}, ""),
        ({"text": '{"a": "\\ud83d\\ude00"}'}, ""),
        ({"bytes": b"{}"}, "expected text with a JSON object, got bytes"),
        ({"text": "{"}, "no JSON: "),
        ({"text": "[" * 100_000}, "no JSON: "),
        ({"text": '{"a": "\\ud800"}'}, "no JSON: "),
        ({"text": "[]"}, "expected a JSON object, got list"),
    ],
)
def test_what_is_no_message(message, words):
    end = {"type": "websocket.disconnect"}
    through, sent = knock("websocket", events=[{"type": "websocket.receive", **message}, end])
    if not words:
        assert through == ["websocket", message["text"], "websocket.disconnect"]
        assert sent == [{"type": "last"}]
    else:
        assert through == ["websocket", "websocket.disconnect"]
        told = json.loads(sent[0]["text"])
        assert (told["type"], told["data"]["code"]) == ("error", "INVALID_JSON")
        assert told["data"]["message"].startswith(words)


def test_who_says_nothing_is_hung_up_on():
    through, sent = knock("websocket", limit=0.001)
    assert through == ["websocket", "websocket.disconnect"]
    close = {"type": "websocket.close", "code": 1008, "reason": "no message within 0.001 seconds"}
    assert sent == [close]  # and nothing after it
