"""What a spectator sees of a record, and what no record can do."""

import json
import multiprocessing
import re
import time
from dataclasses import replace

import packs
import pytest
from evaluations.viewer_pages import unpack_page

from gem_ma import rollout
from gem_ma.envs.registry import Spec
from gem_ma.evaluation.viewer import spectator
from gem_ma.evaluation.viewer.page import write_page
from gem_ma.evaluation.viewer.spectator import UnseenEpisode, spectate
from gem_ma.rollouts.records import load_episodes


@packs.needs("tasks")
def test_an_episode_is_played_again_with_its_options():
    options = [{"index": 3}, {"index": 40}]
    for episode in rollout("math:Mini", lambda turn: "1", 2, options=options):
        first, *_ = spectate(episode)
        assert episode.steps[0].text in first.text


@pytest.mark.parametrize("id", ["game:TicTacToe-v0", "game:KuhnPoker-v0", "game:Nim-v0"])
def test_what_seats_have_is_told_at_each_moment(id):
    for episode in rollout(id, "random", 5, seed=0):
        *before, end = spectate(episode)
        assert len(before) == len(episode.steps)
        assert end.earned == episode.returns
        assert {value for one in before for value in one.earned.values()} == {0.0}


def altered(episode, **spec):
    spec = {"id": episode.spec.id, "entry_point": episode.spec.entry_point, "kwargs": {}, **spec}
    return replace(episode, spec=Spec(**spec))


def test_a_file_makes_nothing_run(episodes, tmp_path):
    (episode, *_) = load_episodes(episodes)
    mark = tmp_path / "mark"
    for wrong, why in (
        (
            altered(episode, entry_point="subprocess:Popen", kwargs={"args": ["touch", str(mark)]}),
            "another",
        ),
        (altered(episode, id="game:Nobody-v0"), "registered"),
        (altered(episode, kwargs={"what": 1}), "UnknownArgument"),
        (replace(episode, seed=episode.seed, wrappers=("Wrapper",)), "Wrapper"),
        (replace(episode, steps=episode.steps[1:]), "is to act|differs"),
    ):
        with pytest.raises(UnseenEpisode, match=why):
            list(spectate(wrong))
    assert not mark.exists()
    secret = tmp_path / "secret.png"
    secret.write_bytes(episode.steps[0].observation["image"].png)
    line = episodes.read_text().splitlines()[0]
    key = json.loads(line)["steps"][0]["observation"]["image"]["picture"]
    path = tmp_path / "four.jsonl"
    path.write_text(line.replace(key, "../secret") + "\n")
    (tmp_path / "four.pictures").mkdir()
    done = write_page(path, tmp_path / "page.html")
    assert done[:3] == (0, 0, 0)
    assert "'../secret' is no key of a picture" in str(done.damaged[0])


def with_arguments(path, *several):
    """Write an episode several times, each as if its game had other arguments."""
    (data,) = map(json.loads, path.read_text().splitlines()[:1])
    lines = []
    for number, (arguments, options) in enumerate(several):
        spec = {**data["spec"], "kwargs": arguments}
        lines.append(json.dumps({**data, "number": number, "spec": spec, "options": options}))
    path.write_text("".join(f"{line}\n" for line in lines))


def reasons(path, out, **kwargs):
    done = write_page(path, out, **kwargs)
    lines = unpack_page(out.read_text())[1]
    assert done.unseen == sum("unseen" in line for line in lines)
    assert all(("views" in line) != ("unseen" in line) for line in lines)
    return [line.get("unseen") for line in lines]


@packs.needs("tau")
@pytest.mark.slow
def test_no_argument_of_a_record_holds_the_page_up(tmp_path, monkeypatch):
    monkeypatch.setattr(spectator, "_MAX_SECONDS", 1.5)
    monkeypatch.setattr(spectator, "_MAX_STRIKES", 1)
    path, out = tmp_path / "shop.jsonl", tmp_path / "page.html"
    rollout("tau:shop", "random", 1, seed=0, size=9, out=path)
    told = {"size": 9}
    with_arguments(
        path,
        (told, {}),
        ({"size": 100_000}, {}),  # it makes all customers, in half a minute
        (told, {}),
        ({"size": 99_999}, {"any": "words"}),
        ({**told, "image_size": [100_000, 100_000]}, {}),
        ({**told, "image_size": ["a", 10**9]}, {}),
        ({"size": "9"}, {}),
        ({"size": [[1]] * 50}, {}),
    )
    start = time.monotonic()
    found = reasons(path, out)
    assert time.monotonic() - start < 60
    assert found[0] is None
    assert re.search("took more than 1.5 s or 2 GiB|MemoryError", found[1])
    for one in (2, 3):  # the next that are not as they are registered
        assert re.search("1 such episodes took too long|MemoryError|None", str(found[one]))
    assert "the pictures are too large" in found[4]
    assert "the pictures are too large" in found[5]
    assert "is not registered with size='9'" in found[6]
    assert "is not registered with size=[[1]" in found[7]
    assert not multiprocessing.active_children()
    with_arguments(path, *[(told, {})] * 3)
    assert reasons(path, out) == [None] * 3
    assert reasons(path, out, trust=True) == [None] * 3


def test_only_so_many_are_played_again(episodes, tmp_path):
    out = tmp_path / "page.html"
    found = reasons(episodes, out, most=5)
    assert found[:5] == [None] * 5
    assert set(found[5:]) == {"only the first 5 episodes are replayed; --spectators sets how many"}
    assert reasons(episodes, out, most=None) == [None] * 12
    assert len(reasons(episodes, out, most=0)) == 12
