"""What servers of models answer to programs, and what programs that know no API send."""

import json
import urllib.error
import urllib.request

from stub_server import StubServer, response


def answers(*given):
    """Return a server that gives these answers, and then the last."""
    server = StubServer(None)
    server.answer = lambda body, attempt: given[min(len(server.requests), len(given)) - 1]
    return server


def events(*lines):
    """Answer with a stream of these lines."""

    async def write(writer):
        text = "".join(f"{one}\n\n" for one in lines).encode()
        writer.write(response(text, kind="text/event-stream"))
        await writer.drain()
        return True

    return write


def delta(**message):
    return "data: " + json.dumps({"choices": [{"index": 0, "delta": message}]})


def as_body(text):
    async def write(writer):
        writer.write(response(text.encode()))
        await writer.drain()
        return True

    return write


ODD = [None, True, -1, 1.5, "text", [], {}, [[]], [{}], [None], {"a": 1}, "\ud800", 10**200]


def make_odd(value, rng, depth=0):
    """Return a value in which some things have been put in the place of others."""
    if rng.random() < 0.1 or depth > 9:
        return rng.choice(ODD)
    if isinstance(value, dict):
        return {name: make_odd(one, rng, depth + 1) for name, one in value.items()}
    if isinstance(value, list):
        return [make_odd(one, rng, depth + 1) for one in value]
    return value


def post(url, content):
    """Return the status and the bytes of what is answered to these bytes."""
    request = urllib.request.Request(url, content, {"Content-Type": "application/json"})
    try:
        with urllib.request.urlopen(request, timeout=20) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read()
