"""What passes between a Retriever and its server: messages in JSON or msgpack, as GEM has them."""

from __future__ import annotations

from typing import Any, NotRequired, TypedDict


class RetrievedDocument(TypedDict):
    """A passage, its title in the first line."""

    contents: str


class RetrievedRow(TypedDict):
    """A passage, and how well it fits."""

    document: RetrievedDocument
    score: NotRequired[float]


class RetrieverAnswer(TypedDict):
    """What a server answers to one query, or to each of several."""

    result: list[Any]


class RetrieverQuery(TypedDict):
    """What a server is asked."""

    query: NotRequired[str]
    queries: NotRequired[list[str]]
    topk: NotRequired[int | None]


def encode_message(body: Any, wire: str) -> bytes:
    """Return a message as "json" or "msgpack"."""
    msgspec = import_msgspec()
    encoder = msgspec.msgpack if wire == "msgpack" else msgspec.json
    return bytes(encoder.encode(body))


def decode_message(content: bytes) -> Any:
    """Read JSON or msgpack; an object begins in one as it cannot in the other."""
    msgspec = import_msgspec()
    decoder = msgspec.json if content.lstrip()[:1] == b"{" else msgspec.msgpack
    return decoder.decode(content)


def import_msgspec() -> Any:
    """Return the library of both, or say what to install."""
    try:
        import msgspec
    except ImportError as error:
        raise ImportError("a Retriever needs msgspec: pip install 'gem-ma[tools]'") from error
    return msgspec
