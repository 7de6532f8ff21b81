"""Messages between a Retriever and its server, in JSON or msgpack, in GEM's format."""

from __future__ import annotations

from typing import Any, NotRequired, TypedDict

MAX_MESSAGE_SIZE = 32 << 20  # bytes of a request or an answer


class RetrieverError(RuntimeError):
    """A retriever gave no usable answer after all retries."""


class RetrievedDocument(TypedDict):
    """A passage with its title in the first line."""

    contents: str


class RetrievedRow(TypedDict):
    """A passage and its score."""

    document: RetrievedDocument
    score: NotRequired[float]


class RetrieverAnswer(TypedDict):
    """A server's answer: the rows of one query, or a list of rows for each of several queries."""

    result: list[Any]


class RetrieverQuery(TypedDict):
    """A request to a server: one query or several, and the number of passages for each."""

    query: NotRequired[str]
    queries: NotRequired[list[str]]
    topk: NotRequired[int | None]


def encode_message(body: Any, wire: str) -> bytes:
    """Return a message encoded as "json" or "msgpack"."""
    msgspec = import_msgspec()
    encoder = msgspec.msgpack if wire == "msgpack" else msgspec.json
    return bytes(encoder.encode(body))


def decode_message(content: bytes) -> Any:
    """Decode JSON or msgpack; a JSON object starts with a brace, a msgpack object never does."""
    msgspec = import_msgspec()
    decoder = msgspec.json if content.lstrip()[:1] == b"{" else msgspec.msgpack
    return decoder.decode(content)


def import_msgspec() -> Any:
    """Return the module msgspec, or raise ImportError with the command that installs it."""
    try:
        import msgspec
    except ImportError as error:
        raise ImportError("a Retriever needs msgspec: pip install 'gem-ma[tools]'") from error
    return msgspec
