"""The wiki game: its pages, shortest paths against plain relaxation, and graphs of one's own."""

import json
import pickle
import re
from collections import Counter

import numpy as np
import pytest
from game_contract import compare_encoding, find_numbers

import gem_ma
from gem_ma import InvalidMove
from gem_ma.envs.words.links import PAGES
from gem_ma.envs.words.wiki_game import State, WikiGame
from gem_ma.renderers import draw
from gem_ma.scene import WebPage
from gem_ma.testing import certify, check_env

GRAPH = {
    "A": {"text": "The first.", "links": ["B", "C", "nowhere", "A", "B"]},
    "B": {"links": ["D"]},
    "C": ["A"],
    "D": ["E"],
    "E": ["A"],
}


def rng(seed=0):
    return np.random.default_rng(seed)


def distances(pages):
    """Return the distance of every two pages, by relaxing all links until nothing changes."""
    number = {title: i for i, title in enumerate(pages)}
    table = np.full((len(pages), len(pages)), 10_000)
    np.fill_diagonal(table, 0)
    for title, (_, links) in pages.items():
        for link in links:
            table[number[title], number[link]] = 1
    for middle in range(len(pages)):
        table = np.minimum(table, table[:, [middle]] + table[[middle]])
    return number, table


def test_the_pages():
    assert len(PAGES) >= 150
    linked = Counter(link for _, links in PAGES.values() for link in links)
    for title, (text, links) in PAGES.items():
        assert text.endswith(".")
        assert "\n" not in text
        assert 3 <= len(links) <= 8
        assert len(set(links)) == len(links)
        assert set(links) <= set(PAGES) - {title}
        assert linked[title]
    _, table = distances(PAGES)
    assert table.max() < 12  # every page can be reached from every other


@pytest.mark.parametrize(("least", "most"), [(1, 1), (2, 4), (5, 6)])
def test_every_task_is_as_far_as_it_says_and_a_solver_arrives(least, most):
    game = WikiGame(min_links=least, max_links=most)
    env, (number, table) = gem_ma.Env(game), distances(PAGES)
    tasks, lengths = set(), set()
    for seed in range(60):
        env.reset(seed=seed)
        state = env.game_state
        path = game.shortest(state.path[0], state.target)
        assert len(path) - 1 == table[number[path[0]], number[path[-1]]]
        tasks.add((path[0], path[-1]))
        lengths.add(len(path) - 1)
        for page in path[1:]:
            env.step(f"Next is \\boxed{{{page}}}")
        assert env.rewards["player"] == 1
        assert env.terminations["player"]
        report = env.info("player")
        assert report["path"] == report["shortest"] == path
    assert lengths == set(range(least, most + 1))
    assert len(tasks) >= 55


def test_a_graph_of_ones_own(tmp_path):
    file = tmp_path / "graph.json"
    file.write_text(json.dumps(GRAPH))
    for game in (WikiGame(graph=GRAPH), WikiGame(graph=file), WikiGame(graph=str(file))):
        assert game.pages["A"] == ("The first.", ("B", "C"))
        assert game.pages["B"] == ("", ("D",))
        assert game.shortest("C", "E") == ("C", "A", "B", "D", "E")
        again = pickle.loads(pickle.dumps(game))
        assert again.start(rng(), {}) == game.start(rng(), {})
    assert WikiGame(graph={"A": ["B"], "B": []}, min_links=1).shortest("B", "A") is None
    for graph in ({}, {"A": ["B"], "B": ["A"]}):
        with pytest.raises(ValueError, match="2 to 4 links away"):
            WikiGame(graph=graph).start(rng(), {})


def test_moves_and_words():
    game = WikiGame(graph=GRAPH, max_turns=3)
    state = State(("A",), *game.pages["A"], "E", 3)
    assert state.legal("player") == ("B", "C")
    assert game.read(" 'b'. ", state, "player") == "B"
    for text in ("E", "A", "", "nowhere"):
        with pytest.raises(InvalidMove, match="A has no link to"):
            game.read(text, state, "player")
    there = game.advance(state, {"player": "C"}, rng())
    back = game.advance(there, {"player": "A"}, rng())
    assert game.describe(back, "player").splitlines() == [
        "Target: E",
        "Current page: A",
        "The first.",
        "Path: A > C > A",
        "Links: B; C",
        "Turns left: 1",
    ]
    end = game.advance(back, {"player": None}, rng())
    assert end.to_act() == ()
    assert end.returns() == {"player": 0.0}


def test_arguments():
    for wrong in ({"max_turns": 0}, {"min_links": 0}, {"min_links": 3, "max_links": 2}):
        with pytest.raises(ValueError, match="expected"):
            WikiGame(**wrong)


def test_the_contract_and_the_pictures():
    env = gem_ma.Env(WikiGame(), id="game:WikiGame-v0")
    check_env(env, seeds=1, processes=False)
    assert certify(env, views=60).views >= 60


def test_the_picture_is_the_page():
    view = State(("A", "B"), "The second.", ("D", "E"), "E", 7)
    page = WebPage("B", ("A > B", "The second."), ("D", "E"), ("Target: E", "Turns left: 7"))
    assert WikiGame(graph=GRAPH).picture(view, "player") == page


def test_a_page_keeps_what_it_can_of_links_and_lines():
    """Links run on where they have to; what is left out is counted, and neither drives out both."""
    lines = ("an old line " * 90, "the newest line")

    def page(lines, count, size=(252, 252)):
        links = tuple(f"Link {i}" for i in range(count))
        return draw(WebPage("Title", lines, links, ("Turns left: 1",)), size)

    for count in (3, 40, 200):
        frame = page(lines, count)
        assert (frame != page(("another", lines[1]), count)).any()
        assert (frame != page((lines[0], "a newer line"), count)).any()
        assert (frame != page(lines, count + 1)).any()
    strips = [page(lines, count, (252, 40)).tobytes() for count in (2, 3, 4)]
    assert len(set(strips)) == 3


def read_numbers(text, agent):
    """Return what a player reads of the pages as numbers."""
    target, page, links = (
        re.search(rf"^{name}: (.*)", text, re.MULTILINE)[1]
        for name in ("Target", "Current page", "Links")
    )
    path = re.search(r"^Path: (.*)", text, re.MULTILINE)
    path = path[1].split(" > ") if path else [page]
    row = [title in some for some in ([page], [target], links.split("; "), path) for title in PAGES]
    return [*row, find_numbers(text.rpartition("left")[2])[0] / 15]


def test_the_numbers_say_what_the_text_says():
    compare_encoding("game:WikiGame-v0", read_numbers)


def test_a_graph_of_more_pages_than_are_numbered_has_no_list():
    graph = {f"page {n}": [f"page {(n + 1) % 5001}", f"page {n // 2}"] for n in range(5001)}
    game = WikiGame(graph=graph)
    assert game.moves is None
    state = game.start(np.random.default_rng(0), {})
    assert game.encode(state, "player") is None
    with pytest.raises(ValueError, match=r"WikiGame has no fixed list of moves \(only a graph of"):
        gem_ma.Env(game, actions="discrete")
    del graph["page 5000"]
    assert len(WikiGame(graph=graph).moves) == 5000
