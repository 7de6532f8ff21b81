"""An HTTP server that answers the queries of a Retriever."""

from __future__ import annotations

import http.server
import sys
from collections.abc import Sequence
from typing import Any, Protocol

from gem_ma.tools.retriever_messages import (
    MAX_MESSAGE_SIZE,
    RetrieverError,
    RetrieverQuery,
    decode_message,
    encode_message,
    import_msgspec,
)
from gem_ma.validation.json_types import JSONObject


class FoundPassage(Protocol):
    """A passage that was found, with its score."""

    @property
    def title(self) -> str: ...
    @property
    def text(self) -> str: ...
    @property
    def score(self) -> float: ...


class PassageSource(Protocol):
    """What finds the passages for a query, such as a SearchIndex or a search engine."""

    def search(self, query: str, k: int = 3) -> Sequence[FoundPassage]:
        """Return the k best passages, best first."""


class RetrieverServer(http.server.ThreadingHTTPServer):
    """An HTTP server that answers a Retriever's queries from an index or another source."""

    daemon_threads = True
    request_queue_size = 128  # waiting connections; further ones are delayed by a second

    def __init__(
        self, index: PassageSource, host: str = "127.0.0.1", port: int = 0, default_count: int = 3
    ):
        self.index = index
        self.default_count = default_count  # of passages, if a request has no number
        super().__init__((host, port), _RetrieverHandler)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Report an error, unless the client has hung up."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


class _RetrieverHandler(http.server.BaseHTTPRequestHandler):
    server: RetrieverServer

    def do_POST(self) -> None:
        msgspec = import_msgspec()
        length = self.headers.get("Content-Length", "0")
        if not length.isascii() or not length.isdigit() or int(length[:20]) > MAX_MESSAGE_SIZE:
            self.send_error(400, f"expected Content-Length, of at most {MAX_MESSAGE_SIZE}")
            return
        content = self.rfile.read(int(length))
        try:
            query_message = msgspec.convert(decode_message(content), RetrieverQuery)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
            self.send_error(400, str(error))
            return
        k = query_message.get("topk") or self.server.default_count
        search = self.server.index.search
        try:
            if "query" in query_message:
                result: list[Any] = [_make_row(hit) for hit in search(query_message["query"], k)]
            else:
                queries = query_message.get("queries", ())
                result = [[_make_row(hit) for hit in search(query, k)] for query in queries]
        except RetrieverError as error:  # of a source that asks another server
            self.send_error(502, explain=str(error))
            return
        wire = "json" if content.lstrip()[:1] == b"{" else "msgpack"
        answer = encode_message({"result": result}, wire)
        self.send_response(200)
        self.send_header("Content-Type", f"application/{wire}")
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, format: str, *args: Any) -> None:
        """Suppress the log line of each request."""


def _make_row(hit: FoundPassage) -> JSONObject:
    return {"document": {"contents": f'"{hit.title}"\n{hit.text}'}, "score": hit.score}
