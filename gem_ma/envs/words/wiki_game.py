"""Wiki game: one agent follows links from page to page until it reaches the target page."""

import functools
import itertools
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from gem_ma.envs.env_functions import make_env_functions
from gem_ma.envs.words import links
from gem_ma.game import Game, InvalidMove, Message, clip_repr, parse_choice
from gem_ma.scene import WebPage
from gem_ma.validation.json_types import JSONMapping

AGENT = "player"
TRIES = 1000  # start pages that are tried before the graph is rejected
LISTED = 5_000  # largest graph whose pages are numbered
LOOKED = 50  # pages of a source that are read to check that the target is not too near


class State(NamedTuple):
    path: tuple[str, ...]  # the visited pages; the last is the current one
    text: str  # of the current page
    links: tuple[str, ...]  # of the current page
    target: str
    left: int  # turns left

    def arrived(self):
        return self.path[-1] == self.target

    def to_act(self):
        return () if not self.left or self.arrived() else (AGENT,)

    def returns(self):
        return {AGENT: 1.0 if self.arrived() else 0.0}

    def seen_by(self, agent):
        return self  # the other pages, which a seat does not see, are not in the State

    def legal(self, agent):
        return self.links


class WikiGame(Game[State]):
    agents = (AGENT,)
    unlisted_moves = f"only a graph of up to {LISTED} pages has a list"

    def __init__(
        self,
        max_turns: int = 15,
        min_links: int = 2,
        max_links: int = 4,
        graph: JSONMapping | str | os.PathLike[str] | None = None,
        source: str | os.PathLike[str] | None = None,
    ):
        """Set the limit of turns, the distance of the target, and where pages come from.

        Args:
            max_turns: how many links may be followed.
            min_links: the least distance of the target, in links.
            max_links: the greatest distance of the target, in links.
            graph: pages that replace the built-in ones: {title: {"text": ..., "links": [titles]}}
                or {title: [titles]}, or the path of a JSON file with such a mapping. Links to pages
                outside the graph are left out.
            source: a ZIM file, or the address of a book on a Kiwix server, such as
                http://127.0.0.1:8080/content/NAME. It is not searched completely, so the target can
                be nearer than `min_links`, and the report has no shortest path.
        """
        if max_turns < 1:
            raise ValueError(f"max_turns={max_turns}: expected 1 or more")
        if not 1 <= min_links <= max_links:
            raise ValueError(
                f"min_links={min_links}, max_links={max_links}: expected at least 1 link, and "
                "min_links not above max_links"
            )
        if graph is not None and source is not None:
            raise ValueError("got graph and source; expected one of them")
        self.source: Any = None
        if source is not None:
            from gem_ma.envs.words import wiki_source  # it imports modules for network and files

            self.pages, where = {}, os.fspath(source)
            self.source, self.blocking = wiki_source.source(where), wiki_source.is_remote(where)
        elif graph is None:
            self.pages = links.PAGES
        else:
            self.pages = _pages(graph) if isinstance(graph, Mapping) else _load(os.fspath(graph))
        self.titles = tuple(self.pages)
        self.moves = self.titles if 0 < len(self.titles) <= LISTED else None
        self.max_turns, self.min_links, self.max_links = max_turns, min_links, max_links

    def start(self, rng, options):
        task = self._stray if self.source else self._draw
        for _ in range(TRIES if self.source or self.titles else 0):
            page, target = task(rng)
            if target:
                title, text, links = self.page(page)
                return State((title,), text, links, target, self.max_turns)
        raise ValueError(
            f"found no page with another page {self.min_links} to {self.max_links} links away; use "
            "other min_links and max_links, or more pages"
        )

    def page(self, title):
        """Return the title of a page after redirects, its text and its links, or None."""
        return self.source.page(title) if self.source else (title, *self.pages[title])

    def _draw(self, rng):
        """Return a random page of the graph and a target at an allowed distance, or None for it."""
        page = self.titles[int(rng.integers(len(self.titles)))]
        levels = self.around(page, self.max_links)
        targets = [title for level in levels[self.min_links :] for title in level]
        return page, targets[int(rng.integers(len(targets)))] if targets else None

    def _stray(self, rng):
        """Return a random page of the source and a target that links lead to, or None for it."""
        page = first = self.source.draw(rng)
        seen = [page.name]
        for _ in range(int(rng.integers(self.min_links, self.max_links + 1))):
            page = self.source.follow(page, seen, rng)
            if page is None:
                return first.name, None
            seen.append(page.name)
        return first.name, None if self._is_near(first, page.name) else page.name

    def _is_near(self, page, target):
        """Return whether a path shorter than `min_links` is among the pages that are checked."""
        seen, edge = {page.name}, [page]
        for _ in range(self.min_links - 1):
            names = dict.fromkeys(name for page in edge for name in page.links if name not in seen)
            if target in names:
                return True
            seen.update(names)
            edge = [page for name in list(names)[:LOOKED] if (page := self.page(name))]
        return False

    def around(self, page, most):
        """Return one dict for each distance from 0 to `most` links: the pages at that distance.

        Each page is mapped to the page that links to it.
        """
        seen, levels = {page}, [{page: None}]
        while levels[-1] and len(levels) <= most:
            level = {}
            for title in levels[-1]:
                for link in self.pages[title][1]:
                    if link not in seen:
                        seen.add(link)
                        level[link] = title
            levels.append(level)
        return levels

    def shortest(self, page, target):
        """Return a shortest path between two pages, both included; None if there is none."""
        levels = self.around(page, len(self.titles))
        for number, level in enumerate(levels):
            if target in level:
                path = [target]
                for predecessors in reversed(levels[1 : number + 1]):
                    path.append(predecessors[path[-1]])
                return tuple(reversed(path))
        return None

    def read(self, text, view, agent):
        try:
            return parse_choice(text, view.links)
        except InvalidMove:
            raise InvalidMove(f"{view.path[-1]} has no link to {clip_repr(text)}") from None

    def advance(self, state, moves, rng):
        page = moves[AGENT] and self.page(moves[AGENT])
        if page is None:  # a lost turn or a missing page
            return state._replace(left=state.left - 1)
        title, text, links = page
        return State((*state.path, title), text, links, state.target, state.left - 1)

    def skip(self, view, agent):
        return None

    def rules(self, agent):
        return (
            "You are playing the wiki game: go from the page you are on to the target page by "
            "following links, within the turns you have. Each page has links to others, "
            "not all of which link back. Reply with the title of a page that the current page "
            "links to."
        )

    def tell(self, before, moves, after):
        if moves[AGENT] and after.path == before.path:
            return (Message(None, "game", f"The page {moves[AGENT]} is missing here."),)
        return ()  # the view holds the path

    def describe(self, view, agent):
        lines = [f"Target: {view.target}", f"Current page: {view.path[-1]}"]
        if view.text:
            lines.append(view.text)
        if len(view.path) > 1:
            lines.append(f"Path: {' > '.join(view.path)}")
        lines.append(f"Links: {'; '.join(view.links)}")
        lines.append(f"Turns left: {view.left}")
        return "\n".join(lines)

    def picture(self, view, agent):
        """Draw the current page, with the path above it and its links below."""
        path = [" > ".join(view.path)] if len(view.path) > 1 else []
        lines = [*path, view.text] if view.text else path
        status = f"Target: {view.target}", f"Turns left: {view.left}"
        return WebPage(view.path[-1], tuple(lines), view.links, status)

    def encode(self, view, agent):
        """Return four flags for each page of the graph, then the turns left.

        The flags are: the current page, the target, linked from the current page, visited. Texts
        are not encoded. Returns None with a source, or if `moves` does not list the pages.
        """
        if self.moves is None:
            return None
        marked = (view.path[-1:], (view.target,), view.links, view.path)
        rows = [[title in some for title in self.titles] for some in marked]
        return np.array([*itertools.chain(*rows), view.left / self.max_turns], np.float32)

    def report(self, state):
        shortest = None if self.source else self.shortest(state.path[0], state.target)
        return {"path": state.path, **({"shortest": shortest} if shortest else {})}


def _pages(graph):
    """Return a graph as {title: (text, links)}, without links to missing pages."""
    pages = {}
    for title, page in graph.items():
        is_mapping = isinstance(page, Mapping)
        names = page["links"] if is_mapping else page
        page_links = tuple(dict.fromkeys(name for name in names if name in graph and name != title))
        pages[title] = page.get("text", "") if is_mapping else "", page_links
    return pages


@functools.cache
def _load(path):
    return _pages(json.loads(Path(path).read_text("utf-8")))


env, parallel_env, raw_env = make_env_functions(__name__)
