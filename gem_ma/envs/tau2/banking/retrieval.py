"""How the assistant of the bank learns what its documents say: tools, and parts of its prompt."""

from __future__ import annotations

import functools
import re
from collections.abc import Collection, Iterable
from typing import NamedTuple

from gem_ma.envs.registry import MissingRequirement, find_remedy
from gem_ma.envs.tau2.banking.sandboxed_tools import (
    DocumentShell,
    PatternSearch,
    get_pattern_sandbox,
    get_shell_sandbox,
)
from gem_ma.envs.tau2.banking.search import Document, Search
from gem_ma.envs.tau2.domain import Domain, Task, parse
from gem_ma.envs.tau2.kit import Kit, tool
from gem_ma.sandbox import SandboxUnavailable

_COMPONENT = re.compile(r"\{\{component:(\w+)\}\}")
_ALL_DOCUMENTS = "{{full_knowledge_base}}"


class RetrievalKit(Kit):
    """The base of tools over the documents."""

    @property
    def domain(self) -> DocumentedDomain:
        assert isinstance(self.world.domain, DocumentedDomain)
        return self.world.domain


class KBSearchMixin(RetrievalKit):
    @tool
    def KB_search(self, query: str) -> str:  # noqa: N802 - the original's name
        """Search the bank's documents.

        Args:
            query: the words to look for
        """
        return self.domain.search.listing(query)


class GrepMixin(RetrievalKit):
    @tool
    def grep(self, pattern: str) -> str:
        """Look up the documents in which a regular expression matches most often.

        Args:
            pattern: the regular expression; upper and lower case are the same
        """
        return self.domain.pattern_search.listing(pattern)


class KBSearchBm25AllToolsMixin(RetrievalKit):
    @tool
    def KB_search_bm25(self, query: str, k: int = 10) -> str:  # noqa: N802 - the original's name
        """Search the bank's documents by their words (BM25).

        Args:
            query: the words to look for
            k: how many documents to show, at most 10
        """
        return self.domain.search.listing(query, k)


class ShellMixin(RetrievalKit):
    @tool
    def shell(self, command: str) -> str:
        """Run a command of bash in the folder of the bank's documents, which are Markdown files.

        Args:
            command: the command, such as "ls" or "grep -ri 'fee' ."
        """
        return self.domain.shell.answer(command)


class RetrievalVariant(NamedTuple):
    """A way to reach the documents."""

    prompt: str  # the file of the original's prompt
    tools: tuple[type[Kit], ...] = ()


VARIANTS = {
    "no_knowledge": RetrievalVariant("no_knowledge"),
    "search": RetrievalVariant("classic_rag_bm25_no_grep", (KBSearchMixin,)),
    "grep_only": RetrievalVariant("grep_only", (GrepMixin,)),
    "bm25_grep": RetrievalVariant("classic_rag_bm25", (KBSearchMixin, GrepMixin)),
    "full_kb": RetrievalVariant("full_kb"),
    "golden_retrieval": RetrievalVariant("required_docs"),
    "alltools": RetrievalVariant("all_tools", (KBSearchBm25AllToolsMixin, ShellMixin)),
    "terminal_use": RetrievalVariant("agentic_search", (ShellMixin,)),
}


class DocumentedDomain(Domain):
    """The base of a domain with documents, which its assistant reads or searches.

    Args:
        retrieval: how it does so, of VARIANTS.
    """

    def __init__(self, retrieval: str = "no_knowledge"):
        if retrieval not in VARIANTS:
            raise ValueError(f"retrieval={retrieval!r}: expected {', '.join(VARIANTS)}")
        self.retrieval = retrieval
        self.prompt, tools = VARIANTS[retrieval]
        if missing := _find_missing(tools):  # no episode may begin without it
            raise MissingRequirement(f"retrieval={retrieval!r} cannot be made here: {missing}")
        self.blocking = GrepMixin in tools or ShellMixin in tools
        if tools:
            bases = (*reversed(tools), self.kits["assistant"])
            kit = type("KnowledgeToolsWithRetrieval", bases, {})
            self.kits = {**self.kits, "assistant": kit}  # type: ignore[misc]
        if retrieval != "no_knowledge":  # no part of so long a text is left out
            self.env_defaults = {"text_length": 1 << 22}  # type: ignore[misc]
        super().__init__()

    @functools.cached_property
    def documents(self) -> tuple[Document, ...]:
        paths = sorted(self.path().glob("documents/*.json"))
        if not paths:
            self.read("documents")  # raises DataMissing
        found = (parse(self.read(f"documents/{path.name}"), path.name) for path in paths)
        return tuple([Document(one["id"], one["title"], one["content"]) for one in found])

    @functools.cached_property
    def search(self) -> Search:
        return Search(self.documents)

    @functools.cached_property
    def pattern_search(self) -> PatternSearch:
        return PatternSearch(self.documents)

    @functools.cached_property
    def shell(self) -> DocumentShell:
        return DocumentShell(self.documents)

    def policy(self, solo: bool = False) -> str:
        if solo:
            raise ValueError("banking has no solo mode: its user has a part in most tasks")

        def component(found: re.Match[str]) -> str:
            return self.read(f"prompts/components/{found[1]}.md").decode()

        prompt = _COMPONENT.sub(component, self.read(f"prompts/{self.prompt}.md").decode())
        if self.retrieval == "alltools":
            prompt = _leave_out_dense(prompt)
        if self.retrieval == "no_knowledge":
            return prompt
        documents = self.documents  # in any case, so that `version` covers them
        if self.retrieval == "full_kb":
            prompt = prompt.replace(_ALL_DOCUMENTS, _quote(documents))
        return prompt

    def select_documents(self, task: Task) -> tuple[str, ...] | None:
        return task.documents if self.retrieval == "golden_retrieval" else None

    def quote_documents(self, names: Iterable[str]) -> str:
        known = self._documents_by_name
        found = [known[name] for name in names if name in known]
        return _quote(found) if found else "(No documents provided)"

    @functools.cached_property
    def _documents_by_name(self) -> dict[str, Document]:
        """The documents by title and by id."""
        by_id = {one.id: one for one in self.documents}
        return by_id | {one.title: one for one in self.documents}


def _find_missing(tools: Collection[type[Kit]]) -> str:
    """Return what tools need to run what a model wrote and is not here, or ""."""
    try:
        if GrepMixin in tools:
            get_pattern_sandbox()
        if ShellMixin in tools:
            get_shell_sandbox()
    except SandboxUnavailable as error:
        return str(error)
    return find_remedy("command:bash") if ShellMixin in tools else ""


def _quote(documents: Iterable[Document]) -> str:
    """Return the text of documents as the original's prompts have it."""
    return "\n\n---\n\n".join(f"## {one.title}\n\n{one.content}" for one in documents)


def _leave_out_dense(prompt: str) -> str:
    """Return the prompt of all tools without the search by embeddings, which needs a service."""
    before, _, after = prompt.partition("### `KB_search_dense`\n")
    _, mark, rest = after.partition("### ")
    return f"{before}{mark}{rest}".replace("three complementary", "two complementary")
