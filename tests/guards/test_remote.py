"""What is written down of addresses, and how much of an answer is read."""

import io
import time

import pytest

from gem_ma.guards.remote import Unreadable, read_all, without_secrets


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
    assert without_secrets(text) == (shown or text)
    assert without_secrets(without_secrets(text)) == without_secrets(text)


@pytest.mark.parametrize(
    "part", ["://", "?a", "?key", "://a:", "://@", "&", "@", "://a?key=", "a", "?key=&"]
)
def test_the_time_grows_with_the_length(part):
    def seconds(count):
        text, start = part * count + "=", time.perf_counter()
        without_secrets(text)
        return time.perf_counter() - start

    short = max(min(seconds(20_000) for _ in range(3)), 1e-4)
    assert min(seconds(160_000) for _ in range(3)) < 30 * short


def test_an_answer_has_an_end():
    assert read_all(io.BytesIO(b"12345"), 5) == b"12345"
    with pytest.raises(Unreadable, match="more than 5 bytes"):
        read_all(io.BytesIO(b"123456"), 5)
