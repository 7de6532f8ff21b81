"""What the gateways have in common: a request to a search engine, and the server of its answers."""

from __future__ import annotations

import argparse
import http.client
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Mapping, Sequence
from typing import Any

from gem_ma.tools.retriever_messages import RetrieverError
from gem_ma.tools.retriever_server import PassageSource, RetrieverServer
from gem_ma.tools.search import SearchHit
from gem_ma.validation.endpoints import SentSecrets, UnreadableResponse, read_key, read_response
from gem_ma.validation.json_types import JSONObject
from gem_ma.validation.untrusted_json import parse_json

_MAX_QUERY = 2000  # characters, of which a model may write any number
_MAX_ANSWER = 8 << 20  # bytes
_TIMEOUT = 20.0  # seconds
_IGNORED = ("max_wait_time", "max_batch_size", "num_workers")  # of GEM's server; threads answer


class SearchEngineClient:
    """Sends queries with a key to the HTTP API of a search engine.

    Args:
        url: the address of the API.
        key: the key; it appears in no error.
        variable: the environment variable with the key, which errors name.
    """

    def __init__(self, url: str, key: str, variable: str):
        if urllib.parse.urlsplit(url).scheme not in ("http", "https"):
            raise ValueError(f"search_url={url!r}: expected http:// or https://")
        self._url = url
        self._secrets = SentSecrets({key: f"${variable}"})

    def ask(self, fields: Mapping[str, str | int]) -> JSONObject:
        """Return the answer to a request with these fields.

        Raises:
            RetrieverError: There is no answer, or it is no JSON object.
        """
        address = f"{self._url}?{urllib.parse.urlencode(fields, errors='replace')}"
        try:
            with urllib.request.urlopen(address, timeout=_TIMEOUT) as response:
                answer = parse_json(read_response(response, _MAX_ANSWER, _TIMEOUT), size=None)
        except urllib.error.HTTPError as error:
            with error:
                page = read_response(error, _MAX_ANSWER, _TIMEOUT).decode("utf-8", "replace")
            raise self._make_error(f"status {error.code}: {page[:300]}") from None
        except (OSError, http.client.HTTPException, UnreadableResponse, ValueError) as error:
            raise self._make_error(f"{type(error).__name__}: {error}") from None
        if not isinstance(answer, dict):
            raise self._make_error(f"expected a JSON object, got {type(answer).__name__}")
        return answer

    def _make_error(self, problem: str) -> RetrieverError:
        return RetrieverError(self._secrets.hide(f"{self._url}: {problem}"))


def clip_query(query: str) -> str:
    """Return a query at the length that is sent to a search engine."""
    return query[:_MAX_QUERY]


def list_hits(items: object, title: str = "title") -> list[SearchHit]:
    """Return the title and snippet of each item of an answer, whatever else it holds.

    Args:
        items: a list of objects; what is none is left out.
        title: the field with the title.
    """
    hits = []
    for item in items if isinstance(items, list) else []:
        if not isinstance(item, dict):
            continue
        name, snippet = item.get(title), item.get("snippet")
        if isinstance(name, str) or isinstance(snippet, str):
            texts = (str(name or "No title."), str(snippet or "No snippet available."))
            hits.append(SearchHit(*texts, score=0.0))
    return hits


def add_server_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options that every gateway has; those of GEM's batches have no effect."""
    parser.add_argument("--topk", type=int, default=3, help="results, if a query has no number")
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=8000)
    for name in _IGNORED:
        parser.add_argument(f"--{name}", type=int, help="no effect; GEM has it")


def choose_key(given: str | None, variable: str, option: str) -> str:
    """Return the key of an option, or that of an environment variable."""
    key = given or read_key(variable)
    if not key:
        raise ValueError(f"expected a key: pass {option}, or set {variable}")
    return key


def serve_gateway(source: PassageSource, arguments: Any) -> None:
    """Serve a search engine until interrupted."""
    topk = arguments.topk
    with RetrieverServer(source, arguments.host, arguments.port, default_count=topk) as server:
        server.serve_forever()


def run_gateway(
    make_source: Any, parser: argparse.ArgumentParser, arguments: Sequence[str] | None
) -> None:
    """Parse a command line, and serve what is made from it."""
    add_server_arguments(parser)
    parsed = parser.parse_args(arguments)
    try:
        source = make_source(parsed)
    except ValueError as error:
        parser.error(str(error))
    serve_gateway(source, parsed)
