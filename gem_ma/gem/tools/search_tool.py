"""SearchTool: sends the query in a reply's `<search>` tags to a search engine at a URL."""

from __future__ import annotations

import os

from gem_ma.gem.tools.base_tool import BaseTool
from gem_ma.tools.retriever_messages import RetrieverError
from gem_ma.tools.search import Retriever
from gem_ma.validation.arguments import check_type

TIMEOUT = 5  # seconds for an answer
_TAG, _END = "<search>", "</search>"


class SearchTool(BaseTool):
    """A tool that sends the query in `<search>...</search>` to a server with GEM's retrieval API.

    Args:
        num_workers: stored only.
        search_url: the URL of the server; None: the environment variable SEARCH_URL at the first
            query.
        topk: the number of passages for a query.
        timeout: the time limit of an answer in seconds.
    """

    tool_type = "search"

    def __init__(
        self,
        num_workers: int = 1,
        search_url: str | None = None,
        topk: int = 3,
        timeout: float = TIMEOUT,
    ):
        super().__init__(num_workers)
        self.search_url, self.topk, self.timeout = search_url, topk, timeout

    def instruction_string(self) -> str:
        return (
            "You may look things up. If you miss some knowledge, say in <think>...</think> what, "
            "and send <search>what to look for</search>; the passages that were found are sent "
            "back, and you go on. You may do so several times. Put your final answer in "
            "<answer>...</answer>."
        )

    def execute_action(self, action: str) -> tuple[bool, bool, str, str]:
        check_type(action, str, "action")
        start = action.find(_TAG)
        end = action.find(_END, start)
        if not 0 <= start < end:
            return False, True, "", ""
        query = action[start + len(_TAG) : end].strip()
        try:
            result, has_error = self._search(query), False
        except RetrieverError as error:
            result, has_error = f"[SearchTool Error: {error}]", True
        return True, has_error, result, action[: end + len(_END)]

    def _search(self, query: str) -> str:
        self.search_url = self.search_url or os.environ.get("SEARCH_URL")
        if not self.search_url:
            raise ValueError("SearchTool needs search_url=, or the environment variable SEARCH_URL")
        server = Retriever(self.search_url, timeout=self.timeout, retries=0)
        result = ""
        for number, contents in enumerate(server.search_contents(query, self.topk), 1):
            title, _, text = contents.partition("\n")
            result += f"Doc {number}(Title: {title}) {text}\n"
        return result
