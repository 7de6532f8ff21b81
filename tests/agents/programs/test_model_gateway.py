"""The gateway between hostile servers and hostile programs: secrets, redirects, halves, cuts."""

import asyncio
import base64
import contextlib
import http.client
import json
import random
import socket
import string
import time
import urllib.error
import urllib.request

import pytest
from needed import needed
from stub_server import StubServer, body, completion, cut, garble, half, hang, raw, response, status

from gem_ma.agents.programs.gateway import PROXIED_ENDPOINTS, ModelGateway

needed("aiohttp", install="'gem-ma[gateway]'")
needed("openai", install="'gem-ma[openai]'")

KEY = "sk-a/secret+that-nobody=may-read"
WORD = "pass-wörd/that-nobody-may-read"
ASKED = {"model": "m", "messages": [{"role": "user", "content": "hi"}]}


@pytest.fixture(autouse=True)
def key(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)


@contextlib.contextmanager
def gate(server, user="", **settings):
    """Open a gateway to a server, and yield it with a seat."""
    url = server.url.replace("//", f"//{user}") if server else None
    with ModelGateway(url, **settings) as gateway:
        yield gateway, gateway.open_seat("left", "e")


def serve(*answers):
    """Return a server that gives these answers, and then the last."""
    server = StubServer(None)
    server.answer = lambda message, attempt: answers[min(len(server.requests), len(answers)) - 1]
    return server


def post(url, content, method="POST", **headers):
    """Return status and text of what is answered to these bytes, by no client's library."""
    data = content if isinstance(content, bytes) else json.dumps(content).encode()
    request = urllib.request.Request(url, data, headers, method=method)
    try:
        with urllib.request.urlopen(request, timeout=20) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read().decode()


def client_of(seat):
    import openai

    return openai.OpenAI(base_url=seat.address, api_key="none", max_retries=0, timeout=20)


def events(*data):
    """Answer with a stream of these events, and end it."""

    async def write(writer):
        text = "".join(f"data: {one}\n\n" for one in data).encode()
        writer.write(response(text, kind="text/event-stream"))
        await writer.drain()
        return True

    return write


def chunk(text, **more):
    choice = {"index": 0, "delta": {"content": text}, "finish_reason": None}
    base = {"id": "x", "object": "chat.completion.chunk", "created": 0, "model": "stub"}
    return json.dumps({**base, "choices": [choice], **more})


SPELLED = [
    KEY,
    json.dumps({"error": {"message": f"bad key Bearer {KEY}"}}),
    json.dumps({"error": {"message": f"bad key Bearer {KEY}"}}).replace("/", "\\/"),
    "http://h/v1?said=sk-a%2Fsecret%2Bthat-nobody%3Dmay-read",
    "x" * 190 + KEY,
]


@pytest.mark.parametrize("said", SPELLED)
@pytest.mark.parametrize("code", [400, 401, 403, 404, 429, 500, 503])
def test_a_refusal_comes_without_the_key(said, code):
    async def refuse(writer):
        writer.write(response(said.encode(), f"{code} Fault", f"X-Key: {KEY}"))
        await writer.drain()
        return True

    with serve(refuse) as server, gate(server) as (_, seat):
        found, text = post(f"{seat.address}/chat/completions", ASKED)
        assert server.headers[0]["authorization"] == f"bearer {KEY}".lower()
        assert found == code
        assert "secret" not in text
        assert "$OPENAI_API_KEY" in text
        assert "secret" not in post(f"{seat.address}/models", None or b"", method="GET")[1]


def test_the_real_client_reads_a_refusal_without_the_key():
    import openai

    said = status(401, message=f"Incorrect API key provided: {KEY}")
    with serve(said) as server, gate(server) as (_, seat), client_of(seat) as client:
        with pytest.raises(openai.AuthenticationError) as error:
            client.chat.completions.create(**ASKED)
        with pytest.raises(openai.AuthenticationError) as other:
            client.models.list()
    for one in (error, other):
        assert "secret" not in str(one.value)
        assert "Incorrect API key provided: $OPENAI_API_KEY" in str(one.value)


@pytest.mark.parametrize("token_ids", [False, True])
def test_an_answer_comes_without_the_key(token_ids):
    with serve(f"it is {KEY}") as server, gate(server, token_ids=token_ids) as (gateway, seat):
        with client_of(seat) as client:
            whole = client.chat.completions.create(**ASKED)
            parts = [one.choices for one in client.chat.completions.create(**ASKED, stream=True)]
            said = "".join(one[0].delta.content or "" for one in parts if one)
        packed, last = gateway.take_calls(seat)
    assert whole.choices[0].message.content == said == last.text == "it is $OPENAI_API_KEY"
    assert "secret" not in json.dumps(packed)


def test_a_short_key_is_a_word(monkeypatch):
    """Users of vLLM write EMPTY, which a model may write too."""
    monkeypatch.setenv("OPENAI_API_KEY", "EMPTY")
    answers = "the board is EMPTY", status(401, message="bad EMPTY")
    with serve(*answers) as server, gate(server) as (_, seat):
        url = f"{seat.address}/chat/completions"
        assert "the board is EMPTY" in post(url, ASKED)[1]
        assert "bad $OPENAI_API_KEY" in post(url, ASKED)[1]


def test_a_password_of_any_letters_is_sent_and_comes_back_from_nowhere():
    basic = base64.b64encode(f"me:{WORD}".encode()).decode()
    refused = status(401, message=f"no {WORD} and no Basic {basic}")
    with serve(refused) as server:
        with gate(server, f"me:{urllib.request.quote(WORD, safe='')}@") as (gateway, seat):
            _, text = post(f"{seat.address}/chat/completions", ASKED)
        assert server.headers[0]["authorization"] == f"basic {basic}".lower()
    assert "nobody" not in text + gateway.model_label
    assert basic not in text


@pytest.mark.parametrize("key", ["sk-line\nHost: evil", "sk-ü-not-ascii", "two words"])
def test_a_key_that_no_header_carries_is_not_repeated(key, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", key)
    with serve("x") as server, pytest.raises(ValueError, match="OPENAI_API_KEY holds") as error:
        ModelGateway(server.url).__enter__()
    assert key not in str(error.value)
    assert repr(key)[1:-1] not in str(error.value)


def test_spaces_around_a_key_are_no_part_of_it(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", f" {KEY}\r\n")
    with serve("x") as server, gate(server) as (_, seat):
        assert post(f"{seat.address}/chat/completions", ASKED)[0] == 200
        assert server.headers[0]["authorization"] == f"bearer {KEY}".lower()


@pytest.mark.parametrize("code", [300, 301, 302, 303, 305, 307, 308])
@pytest.mark.parametrize("path", ["chat/completions", "responses", "completions", "models"])
def test_nobody_is_followed_to_another_server(code, path):
    with serve("here too") as other:
        there = other.url.replace("//", "//me:hush@") + f"/{path}?api_key=hush"
        with serve(status(code, f"Location: {there}")) as server, gate(server) as (_, seat):
            method, content = ("GET", b"") if path == "models" else ("POST", ASKED)
            found, text = post(f"{seat.address}/{path}", content, method=method)
            assert found == 502
            assert f"127.0.0.1:{other.port}" in text
            assert "give that as model" in text
            assert "hush" not in text
            assert len(server.requests) == 1
        assert not other.requests


HALF = "\ud83d"
HALVES = [
    {"model": HALF, "messages": [{"role": "user", "content": f"a{HALF}b"}]},
    {"model": "m", "messages": [{"role": HALF, HALF: HALF}], HALF: [HALF]},
    {"model": "m", "messages": ASKED["messages"], "tools": [{"function": {"name": HALF}}]},
    {"model": "m", "prompt": HALF, "input": HALF, "instructions": HALF},
]


@pytest.mark.parametrize("asked", HALVES)
@pytest.mark.parametrize("endpoint", PROXIED_ENDPOINTS)
@pytest.mark.parametrize("model", ["", "name@"])
def test_half_a_character_is_replaced_in_a_request(asked, endpoint, model):
    with serve(body("{}")) as server, ModelGateway(f"{model}{server.url}") as gateway:
        seat = gateway.open_seat("left", "e")
        assert post(f"{seat.address}/{endpoint}", asked) == (200, "{}")
        packed, _ = gateway.take_calls(seat)
        json.dumps([packed, server.requests], ensure_ascii=False).encode()
        assert "?" in json.dumps(server.requests)


@pytest.mark.parametrize("token_ids", [False, True])
@pytest.mark.parametrize("stream", [False, True])
def test_half_a_character_is_replaced_in_an_answer(token_ids, stream):
    """Else the real client could not send back what it was given."""
    with serve(f"so {HALF}!", "well") as server, gate(server, token_ids=token_ids) as (g, seat):
        with client_of(seat) as client:
            answer = client.chat.completions.create(**ASKED, stream=stream)
            if stream:
                said = "".join(one.choices[0].delta.content or "" for one in answer if one.choices)
            else:
                said = answer.choices[0].message.content
            assert said == "so ?!"
            again = [*ASKED["messages"], {"role": "assistant", "content": said}]
            assert client.chat.completions.create(model="m", messages=again)
        assert g.take_calls(seat)[0][0]["text"] == "so ?!"


def test_whole_characters_pass_however_they_are_spelled():
    text = "Grüße 東京 \U0001f600 \\u0041 \u2028"
    with serve(text) as server, gate(server) as (_, seat), client_of(seat) as client:
        asked = [{"role": "user", "content": text}]
        said = client.chat.completions.create(model="m", messages=asked)
        assert said.choices[0].message.content == text
        assert server.requests[0]["messages"] == asked


WRONG = [
    b"",
    b"\xff\xfe",
    b'{"messages": "\xed\xa0\x80"}',
    b"[]",
    b"null",
    b"[" * 100_000,
    b'{"a": ' * 5000,
    b'{"messages": [1e999, NaN, Infinity]}',
    b'{"seed": ' + b"9" * 10_000 + b"}",
    b'{"a": "\x00"}',
]


@pytest.mark.parametrize("sent", WRONG[1:])
def test_what_is_no_request_is_a_400_with_a_sentence(sent, caplog):
    with serve("x") as server, gate(server) as (_, seat):
        root = seat.address.rpartition("/")[0]
        for url in (f"{seat.address}/chat/completions", f"{root}/play"):
            code, text = post(url, sent)
            assert code == 400
            assert "no JSON object" in json.loads(text)["error"]["message"]
        assert not server.requests
    assert "Traceback" not in caplog.text


def test_a_request_has_a_largest_size(caplog):
    with serve("x") as server, gate(server, most=1000) as (_, seat):
        code, text = post(f"{seat.address}/chat/completions", {"a": "b" * 2000})
        assert code == 400
        assert "more than 1000 bytes" in text
        assert "Traceback" not in caplog.text


ODD = [None, True, -1, 1.5, "text", [], {}, [[]], [{}], [None], {"a": 1}, "\ud800", 10**200]


def make_odd(value, rng, depth=0):
    """Return an answer in which some things have been put in the place of others."""
    if rng.random() < 0.12 or depth > 8:
        return rng.choice(ODD)
    if isinstance(value, dict):
        return {name: make_odd(one, rng, depth + 1) for name, one in value.items()}
    if isinstance(value, list):
        return [make_odd(one, rng, depth + 1) for one in value]
    return value


CALL = {"id": "c", "index": 0, "type": "function", "function": {"name": "f", "arguments": "{}"}}
SHAPES = [
    {
        "choices": [
            {
                "message": {"content": "a", "tool_calls": [CALL]},
                "delta": {"content": "a", "tool_calls": [CALL]},
                "logprobs": {"content": [{"logprob": -1.0}], "token_logprobs": [-1.0]},
                "token_ids": [1],
                "prompt_token_ids": [1],
                "finish_reason": "stop",
                "text": "a",
            }
        ],
        "usage": {"prompt_tokens": 1},
        "prompt_token_ids": [1, 2],
    },
    {
        "type": "response.completed",
        "response": {
            "output": [
                {"type": "message", "content": [{"text": "a"}]},
                {"type": "function_call", "name": "f", "arguments": "{}", "call_id": "c"},
            ],
            "usage": {"input_tokens": 1, "output_tokens": 1},
            "status": "completed",
        },
    },
]
SHAPES.append(SHAPES[1]["response"])


@pytest.mark.parametrize("seed", range(4))
def test_no_answer_of_any_shape_is_a_traceback(seed, caplog):
    """Whatever comes passes on, or is refused; and what is kept can be written down."""
    rng = random.Random(seed)
    answers, asked = [], []
    for number in range(60):
        shape = make_odd(rng.choice(SHAPES), rng)
        answers.append(body(json.dumps(shape)) if number % 2 else events(json.dumps(shape), "x{"))
        asked.append(make_odd({**ASKED, "tools": [CALL], "input": ["a"], "prompt": "b"}, rng))
    with serve(*answers) as server, gate(server, token_ids=bool(seed % 2)) as (gateway, seat):
        for one in asked:
            code, _ = post(f"{seat.address}/{rng.choice(PROXIED_ENDPOINTS)}", one)
            assert code in (200, 400, 502)
        packed, _ = gateway.take_calls(seat)
    json.dumps(packed, ensure_ascii=False, allow_nan=False).encode()
    assert packed
    assert not [one for one in caplog.records if one.levelname == "ERROR"], caplog.text


async def stops_short(writer):
    """Send two events of a stream that says how long it is, and close."""
    text = f"data: {chunk('ro')}\n\ndata: {chunk('ck')}\n\n".encode()
    writer.write(response(text, length=5000, kind="text/event-stream"))
    await writer.drain()
    writer.close()
    return False


async def sends_on(writer):
    """Send events of a stream without end."""
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n")
    with contextlib.suppress(ConnectionError):
        while True:
            writer.write(f"data: {chunk('ro')}\n\n".encode())
            await writer.drain()
            await asyncio.sleep(0.001)
    return False


def test_a_stream_that_is_cut_is_cut_here_too(caplog):
    """Half an answer is never taken for a whole one, and none of it is kept."""
    import httpx2
    import openai

    settings = {"timeout": 2.0, "most": 20_000}
    with (
        serve(stops_short, sends_on, sends_on) as server,
        gate(server, **settings) as (gateway, seat),
        client_of(seat) as client,
    ):
        for _ in range(2):  # the second is longer than an answer may be
            with pytest.raises((httpx2.HTTPError, openai.APIError)):
                list(client.chat.completions.create(**ASKED, stream=True))
        assert gateway.take_calls(seat) == ([], None)
        with client.chat.completions.create(**ASKED, stream=True) as stream:
            next(stream)  # and the program hangs up
        time.sleep(0.3)
        assert gateway.take_calls(seat) == ([], None)
        server.answer = lambda message, attempt: "rock"
        assert client.chat.completions.create(**ASKED).choices[0].message.content == "rock"
    assert not [one for one in caplog.records if one.levelname == "ERROR"], caplog.text


FAULTS = [cut, half, garble, raw(b"\x1f\x8b junk", "Content-Encoding: gzip"), hang]
FAULTS += [raw(b"{}", "Content-Encoding: zstd"), body("<html>"), body("[1]"), body("")]


@pytest.mark.parametrize("fault", FAULTS)
def test_a_server_that_gives_no_answer_is_a_502_with_a_sentence(fault, caplog):
    with serve(fault) as server, gate(server, timeout=1.0) as (gateway, seat):
        code, text = post(f"{seat.address}/chat/completions", ASKED)
        assert code == 502
        assert "server" in json.loads(text)["error"]["message"]
        assert gateway.take_calls(seat) == ([], None)
    assert not [one for one in caplog.records if one.levelname == "ERROR"], caplog.text


def test_addresses_are_not_guessed():
    """Nothing but the whole address finds a seat, and no two seats share a part of one."""
    rng = random.Random(0)
    with serve("x") as server, gate(server) as (gateway, seat):
        secret = seat.address.split("/")[-2]
        others = [gateway.open_seat("left", str(i)).address.split("/")[-2] for i in range(1000)]
        assert len({one[:8] for one in [secret, *others]}) == 1001
        letters = string.ascii_letters + string.digits + "-_"
        guesses = ["".join(rng.choices(letters, k=22)) for _ in range(500)]
        guesses += [secret[:-1], secret[1:], secret.swapcase(), f"{secret}%00", f"%20{secret}"]
        guesses += ["", ".", "..", "*", "%2e%2e", f"{secret}%2fv1", "{secret}", "%ff", "%ed%a0%80"]
        line = http.client.HTTPConnection("127.0.0.1", gateway.port, timeout=20)
        for guess in guesses:
            for method, path in (
                ("POST", "v1/chat/completions"),
                ("POST", "play"),
                ("GET", "turn"),
            ):
                sent = None if method == "GET" else json.dumps(ASKED)
                line.request(method, f"/seat/{guess}/{path}", sent)
                answer = line.getresponse()
                assert answer.status in (404, 405), (guess, path)
                assert secret not in answer.read().decode()
        line.close()
        assert not server.requests


def test_calls_after_the_end_reach_no_server():
    with serve("x") as server, gate(server) as (gateway, seat):
        other = gateway.open_seat("right", "e")
        seat.end(1.0)
        gateway.close_seat(seat)
        root = seat.address.rpartition("/")[0]
        for path in ("v1/chat/completions", "v1/responses", "play"):
            code, text = post(f"{root}/{path}", ASKED)
            assert code == 404
            assert "its episode is over" in text
        assert post(f"{root}/turn", b"", method="GET")[0] == 404
        assert not server.requests
        assert post(f"{other.address}/chat/completions", ASKED)[0] == 200
    with pytest.raises(OSError, match="refused"):
        post(f"{other.address}/chat/completions", ASKED)


def test_half_a_request_and_noise_do_no_harm(caplog):
    with serve("x") as server, gate(server) as (gateway, seat):
        url = f"{seat.address}/chat/completions"
        path = url.partition(str(gateway.port))[2]
        head = f"POST {path} HTTP/1.1\r\nHost: a\r\nContent-Length: 500\r\n\r\n".encode()
        left = []
        for noise in (head + b"{", b"\x16\x03\x01" * 99, b"GET /\r\n\r\n", b"A" * 100_000, head):
            one = socket.create_connection(("127.0.0.1", gateway.port))
            with contextlib.suppress(ConnectionError):
                one.sendall(noise)
            left.append(one)
        assert post(url, ASKED)[0] == 200
        for one in left:
            one.close()
        assert post(url, ASKED)[0] == 200
    assert not [one for one in caplog.records if one.levelname == "ERROR"], caplog.text


@pytest.mark.skipif(not socket.has_ipv6, reason="this machine has no IPv6: run it on one that has")
def test_an_address_of_ipv6_can_be_called():
    try:
        socket.create_server(("::1", 0), family=socket.AF_INET6).close()
    except OSError:
        pytest.skip("this machine has no IPv6: run it on one that has")
    with serve("x") as server, gate(server, host="::1") as (_, seat):
        assert "[::1]" in seat.address
        assert post(f"{seat.address}/chat/completions", ASKED)[0] == 200


def test_what_is_asked_is_the_same_on_the_way():
    """No field is lost, none is added but those that are told."""
    asked = {**ASKED, "temperature": 0.1, "stop": ["\n"], "n": 1, "x": {"y": [None, True, 1e-9]}}
    with serve("x") as server, gate(server) as (_, seat):
        post(f"{seat.address}/chat/completions", asked)
        assert server.requests == [{**asked, "stream": False}]
        whole = completion("x")
        assert json.loads(post(f"{seat.address}/chat/completions", asked)[1]) == whole
