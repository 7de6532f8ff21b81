"""A gateway to SerpAPI, or to a server with its answers: `python -m` this module."""

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

KEY_VARIABLE = "SERPAPI_API_KEY"


class SerpSearchEngine:
    """Searches with SerpAPI.

    Args:
        api_key: the key of SerpAPI.
        engine: the search engine that SerpAPI asks.
        search_url: the address of the API.
    """

    def __init__(
        self, api_key: str, engine: str = "google", search_url: str = "https://serpapi.com/search"
    ):
        self.engine = engine
        self._base_query = {"engine": engine, "api_key": api_key}
        self._client = SearchEngineClient(search_url, api_key, KEY_VARIABLE)

    def search(self, query: str, k: int = 3) -> list[SearchHit]:
        """Return the answer box, results and related questions, at most k of them."""
        answer = self._client.ask({**self._base_query, "q": clip_query(query)})
        return [
            *list_hits([answer.get("answer_box")]),
            *list_hits(answer.get("organic_results")),
            *list_hits(answer.get("related_questions"), title="question"),
        ][:k]


def main(arguments: Sequence[str] | None = None) -> None:
    """Pass queries to SerpAPI until interrupted."""
    parser = argparse.ArgumentParser(f"python -m {__spec__.name}", description=main.__doc__)
    parser.add_argument("--search_url", default="https://serpapi.com/search")
    parser.add_argument("--serp_api_key", help=f"the key; else that in {KEY_VARIABLE}")
    parser.add_argument("--serp_engine", default="google")

    def make_engine(parsed: argparse.Namespace) -> SerpSearchEngine:
        key = choose_key(parsed.serp_api_key, KEY_VARIABLE, "--serp_api_key")
        return SerpSearchEngine(key, parsed.serp_engine, parsed.search_url)

    run_gateway(make_engine, parser, arguments)


if __name__ == "__main__":
    main()
