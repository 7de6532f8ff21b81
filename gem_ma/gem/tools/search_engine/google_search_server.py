"""A gateway to Google's Custom Search JSON API: `python -m` this module."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from gem_ma.gem.tools.search_engine.gateway import (
    SearchEngineClient,
    choose_key,
    clip_query,
    list_hits,
    run_gateway,
)
from gem_ma.tools.search import SearchHit

KEY_VARIABLE = "GOOGLE_API_KEY"
_URL = "https://customsearch.googleapis.com/customsearch/v1"
_MOST = 10  # results of one request


class GoogleSearchEngine:
    """Searches with Google's Custom Search JSON API, and returns titles and snippets.

    Args:
        api_key: the key of the API.
        cse_id: the id of the programmable search engine.
        search_url: the address of the API.
    """

    def __init__(self, api_key: str, cse_id: str, search_url: str = _URL):
        self.cse_id = cse_id
        self._base_query = {"key": api_key, "cx": cse_id}
        self._client = SearchEngineClient(search_url, api_key, KEY_VARIABLE)

    def search(self, query: str, k: int = 3) -> list[SearchHit]:
        """Return at most k results."""
        if not query.strip():
            return []
        count = min(k, _MOST)
        answer = self._client.ask({**self._base_query, "q": clip_query(query), "num": count})
        return list_hits(answer.get("items"))[:count]


def main(arguments: Sequence[str] | None = None) -> None:
    """Pass queries to Google until interrupted."""
    parser = argparse.ArgumentParser(f"python -m {__spec__.name}", description=main.__doc__)
    parser.add_argument("--search_url", default=_URL)
    parser.add_argument("--api_key", help=f"the key; else that in {KEY_VARIABLE}")
    parser.add_argument("--cse_id", required=True, help="the id of the search engine")
    parser.add_argument(
        "--snippet_only", action="store_true", help="no effect: pages of results are not read"
    )

    def make_engine(parsed: argparse.Namespace) -> GoogleSearchEngine:
        key = choose_key(parsed.api_key, KEY_VARIABLE, "--api_key")
        return GoogleSearchEngine(key, parsed.cse_id, parsed.search_url)

    run_gateway(make_engine, parser, arguments)


if __name__ == "__main__":
    main()
