"""What is written down of addresses, and how much of an answer is read."""

import asyncio
import gzip
import io
import json
import time
from types import SimpleNamespace
from urllib.parse import quote

import pytest

from gem_ma.validation.endpoints import (
    RedirectRefused,
    SentSecrets,
    UnreadableResponse,
    limit_response_size,
    read_key,
    read_response,
    redact_secrets,
    refuse_redirect,
    split_credentials,
)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("openai:m@http://me:word@host/v1", "openai:m@http://host/v1"),
        ("openai:m@http://me@host:80", "openai:m@http://host:80"),
        ("openai:m@http://me:wo@rd@host/v1?retries=2", "openai:m@http://host/v1?retries=2"),
        ("openai:m@http://me:wo/rd@host/v1", "openai:m@http://host/v1"),
        ("openai:m@http://me:wo?rd@host/v1", "openai:m@http://host/v1"),
        ("openai:m@http://me:wo,rd@host/v1", "openai:m@http://host/v1"),
        ("llm-user:openai:m@https://me:word@[::1]:80/v1", "llm-user:openai:m@https://[::1]:80/v1"),
        ("openai:a@http://h1,openai:b@http://u:p@h2", "openai:a@http://h1,openai:b@http://h2"),
        ("no page at 'https://me:word@host/a b'", "no page at 'https://host/a b'"),
        ("http://h/v1?api_key=x&a=b", "http://h/v1?api_key=...&a=b"),
        ("http://h?X-Amz-Signature=x;apiKey=y#token=z", "http://h?X-Amz-Signature=...;apiKey=...#token=..."),
        ("openai:m@http://h?key=sk-word&seed=1", "openai:m@http://h?key=...&seed=1"),
        # What is no secret stays.
        ("openai:m@http://h?key=MY_KEY&token_ids=true", "openai:m@http://h?key=MY_KEY&token_ids=true"),
        ("openai:org/m:tag@http://127.0.0.1:1/v1?max_tokens=5", None),
        ("openai:m@http://h:8000/@me/v1", None),
        ("hf:some/path?temperature=0", None),
        ("MixtureAgent([RandomAgent()])", None),
    ],
)  # fmt: skip
def test_what_may_be_written_down(text, shown):
    assert redact_secrets(text) == (shown or text)
    assert redact_secrets(redact_secrets(text)) == redact_secrets(text)


@pytest.mark.parametrize(
    "part", ["://", "?a", "?key", "://a:", "://@", "&", "@", "://a?key=", "a", "?key=&"]
)
def test_the_time_grows_with_the_length(part):
    def seconds(count):
        text, start = part * count + "=", time.process_time()
        redact_secrets(text)
        return time.process_time() - start

    short = max(min(seconds(8_000) for _ in range(3)), 1e-4)
    assert min(seconds(64_000) for _ in range(3)) < 30 * short


@pytest.mark.parametrize(
    ("url", "user"),
    [
        ("http://me:wo%40rd@host:80/v1", ("me", "wo@rd")),
        ("http://m%65@host:80/v1", ("me", "")),
        ("http://:word@host:80/v1", ("", "word")),
        ("http://host:80/v1", None),
    ],
)
def test_a_url_without_its_user(url, user):
    assert split_credentials(url) == ("http://host:80/v1", user)


def test_an_answer_has_an_end():
    assert read_response(io.BytesIO(b"12345"), 5) == b"12345"
    with pytest.raises(UnreadableResponse, match="more than 5 bytes"):
        read_response(io.BytesIO(b"123456"), 5)


class Stream:
    """What a library of HTTP gives a hook to read."""

    def __init__(self, parts):
        self.parts = parts

    async def __aiter__(self):
        for part in self.parts:
            yield part


async def read(parts, headers, **given):
    http = SimpleNamespace(StreamError=Exception, AsyncByteStream=object)
    response = SimpleNamespace(headers=headers, stream=Stream(parts))
    await limit_response_size(http, 5, **given)(response)
    return b"".join([part async for part in response.stream])


PACKED = {"content-encoding": " GZIP"}
EVENTS = {"content-type": "text/event-stream; charset=utf-8"}


@pytest.mark.parametrize(
    ("parts", "headers", "given", "found"),
    [
        ([b"123", b"45"], {}, {}, b"12345"),
        ([b"123", b"456"], {"content-encoding": "identity"}, {}, "more than 5 bytes"),
        ([gzip.compress(b"12345")], PACKED, {}, b"12345"),
        ([gzip.compress(b"1" * 100_000)], PACKED, {}, "more than 5 bytes"),
        ([b"12345"], PACKED, {}, "that cannot be unpacked"),
        ([b"12345"], {"content-encoding": "br"}, {}, "packed as 'br'; expected gzip or none"),
        ([b"123456"], EVENTS, {}, "more than 5 bytes"),
        ([b"123456"], EVENTS, {"events": True}, b"123456"),
        ([b"123456"], {"content-type": "text/html"}, {"events": True}, "more than 5 bytes"),
    ],
)
def test_an_answer_that_comes_in_parts_has_an_end(parts, headers, given, found):
    if isinstance(found, bytes):
        assert asyncio.run(read(parts, dict(headers), **given)) == found
    else:
        with pytest.raises(UnreadableResponse, match=found):
            asyncio.run(read(parts, dict(headers), **given))


KEY = 'sk-a/"secret"+that='


def test_the_longest_secret_is_hidden_first():
    sent = SentSecrets({"secret-key": "$A", "secret-key-two": "$B", "": "$C"})
    assert sent.hide("secret-key-two, secret-key, secret") == "$B, $A, secret"
    assert sent.hide_bytes(b"secret-key-two, \xff secret-key") == b"$B, \xff $A"


@pytest.mark.parametrize("spell", [str, repr, json.dumps, quote, lambda key: quote(key, safe="")])
def test_a_secret_is_hidden_however_it_is_spelled(spell):
    shown = SentSecrets.from_key("MY_KEY", KEY).hide(f"bad key Bearer {spell(KEY)}")
    assert "secret" not in shown
    assert "$MY_KEY" in shown


def test_secrets_among_headers():
    headers = {
        "Authorization": "Bearer token-of-mine",
        "X-Api-Key": "key-of-mine",
        "Cookie": "cookie-of-mine",
        "MY_SECRET": "half-\ud800-of-mine",
        "Accept": "kept",
    }
    sent = SentSecrets.from_headers(headers, ("me", "word-of-mine"))
    said = "token-of-mine key-of-mine cookie-of-mine word-of-mine half-\ud800-of-mine kept me"
    assert sent.hide(said) == "... ... ... ... ... kept me"
    assert sent.hide("bWU6d29yZC1vZi1taW5l") == "..."


def test_a_redirect_is_refused_without_its_secrets():
    for code in (200, 299, 400, 404, 500):
        refuse_redirect(code, "http://other", "base_url")
    refuse_redirect(304, None, "base_url")
    for long in ("", "x" * 500):
        where = f"http://me:hush{long}@other/v1?key=hush"
        for code in range(300, 309):
            with pytest.raises(RedirectRefused, match=r"//other/v1.*give that as url") as error:
                refuse_redirect(code, where, "url")
            assert "hush" not in str(error.value)


def test_a_key_fits_a_header(monkeypatch):
    for value, key in (("", None), ("  \n", None), (" sk-1\r\n", "sk-1"), ("sk~!", "sk~!")):
        monkeypatch.setenv("MY_KEY", value)
        assert read_key("MY_KEY") == key
    monkeypatch.delenv("MY_KEY")
    assert read_key("MY_KEY") is None
    for value in ("two words", "sk-\nX: y", "gr\u00fcn", "half-\udc80", "a\tb"):
        monkeypatch.setenv("MY_KEY", value)
        with pytest.raises(ValueError, match="MY_KEY holds no valid key") as error:
            read_key("MY_KEY")
        assert value not in str(error.value)
