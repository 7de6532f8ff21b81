"""What a turn shows: several pictures, and pictures at their own size."""

import re
from typing import NamedTuple

import numpy as np
import packs
import pytest
from PIL import Image
from playable import GAMES, unless

import gem_ma
from gem_ma import Env, rollout
from gem_ma.chat.messages import find_observation_pictures, make_content, to_openai_chat
from gem_ma.engine.action_parsing import extract_action
from gem_ma.envs.guessing.guess_the_number import GuessTheNumber
from gem_ma.evaluation.viewer.page import write_page
from gem_ma.evaluation.viewer.spectator import spectate
from gem_ma.game import Game
from gem_ma.rollouts.records import load_episodes
from gem_ma.validation.entry_points import load_entry_point


class Answer(NamedTuple):
    """A state that lists no moves."""

    done: bool = False

    def to_act(self):
        return () if self.done else ("a",)

    def returns(self):
        return {"a": 0.0}

    def seen_by(self, agent):
        return self


class Unlisted(Game[Answer]):
    agents = ("a",)

    def start(self, rng, options):
        return Answer()

    def read(self, text, view, agent):
        return text

    def advance(self, state, moves, rng):
        return Answer(True)

    def rules(self, agent):
        return "Say anything."

    def describe(self, view, agent):
        return "?"


WIDE, SMALL = (800, 600), (20, 12)
ROWS = [
    {"problem": "x?", "answer": "1", "images": [Image.new("RGB", WIDE, "red")]},
    {
        "problem": "y?",
        "answer": "2",
        "images": [Image.new("RGB", WIDE, "blue"), Image.new("RGB", SMALL, "lime")],
    },
]


def seen(index, **kwargs):
    game = load_entry_point("gem_ma.envs.tasks.mathematics:Math")
    env = Env(game(data=ROWS, images="images"), observe="image", **kwargs)
    env.reset(seed=0, options={"index": index})
    return env, env.turn("player").observation["image"]


@packs.needs("tasks")
def test_photos_keep_their_size_in_turns_where_that_is_asked():
    assert (seen(0)[1].width, seen(0)[1].height) == (252, 252)
    env, picture = seen(0, image_size="own")
    assert (picture.width, picture.height) == WIDE
    assert np.array(picture.to_pil()).tolist() == np.array(ROWS[0]["images"][0]).tolist()
    assert env.observe("player")["image"].shape == (252, 252, 3)  # one shape, as spaces have it
    assert env.observation_space("player").contains(env.observe("player"))
    again = gem_ma.make("game:Nim-v0", observe="image", image_size="own", panels="apart")
    assert again.spec.kwargs == {"observe": "image", "image_size": "own", "panels": "apart"}
    with pytest.raises(ValueError, match="a width and a height, one side, or 'own'"):
        gem_ma.make("game:Nim-v0", image_size="on")


@packs.needs("tasks")
def test_panels_apart_are_pictures_of_their_own():
    assert not isinstance(seen(1, image_size="own")[1], tuple)
    env, (wide, small) = seen(1, image_size="own", panels="apart")
    for picture, photo in ((wide, WIDE), (small, SMALL)):  # below a title, pixel by pixel
        (lone,) = {tuple(c) for c in picture.array[-3, 1:-3].tolist()}
        rows, columns = np.nonzero((picture.array == lone).all(-1))
        assert (np.ptp(columns) + 1, np.ptp(rows) + 1) == photo
    assert (wide.alt != "", small.alt) == (True, "")
    parts = make_content(env.turn("player").observation)
    assert parts == (wide, small)
    chat = to_openai_chat(parts)
    assert [part["type"] for part in chat[0]["content"]] == ["image_url"] * 2


def test_a_record_holds_all_pictures_of_a_step(tmp_path):
    told = []

    def agent(turn):
        told.append(find_observation_pictures(turn.observation))
        return turn.legal[0]

    looks = {"observe": "image", "panels": "apart", "max_turns": 3}
    rollout("game:Battleship-v0", agent, seed=3, out=tmp_path / "a.jsonl", **looks)
    (episode,) = load_episodes(tmp_path / "a.jsonl")
    assert [len(pictures) for pictures in told] == [2, 2, 2]
    replayed = episode.replay()
    for step, again, pictures in zip(episode.steps, replayed.steps, told, strict=True):
        for found in (
            find_observation_pictures(step.observation),
            find_observation_pictures(again.observation),
        ):
            assert len(found) == len(pictures)
            assert all(map(np.array_equal, *([p.array for p in all] for all in (found, pictures))))
            assert [p.alt for p in found] == [p.alt for p in pictures]
    page = write_page(tmp_path / "a.jsonl", tmp_path / "a.html", spectator=False)
    assert (page.episodes, page.unseen, page.damaged) == (1, 1, [])
    for view, pictures in zip(spectate(episode), told, strict=False):
        (shown,) = view.seats.values()  # both beside each other
        assert shown.width == sum(picture.width for picture in pictures)


def test_all_moves_are_in_the_mask_of_a_seat_that_is_not_to_act():
    env = gem_ma.make("game:ConnectFour-v0", actions="discrete")
    env.reset(seed=0)
    assert env.observe("yellow")["action_mask"].tolist() == [1] * 7
    assert env.observation_builder.build_mask(("3",)).tolist() == [0, 0, 0, 1, 0, 0, 0]


class Faces(GuessTheNumber):
    """A game whose view is so many characters of four bytes each."""

    def describe(self, view, agent):
        return "\U0001f600" * self.max_number


@pytest.mark.parametrize(("count", "whole"), [(25, True), (26, False), (30, False)])
def test_a_text_of_long_characters_is_cut_at_its_bytes(count, whole):
    env = Env(Faces(max_number=count), text_length=100)
    env.reset(seed=0)
    text = env.observe("player", turn=True)["text"]
    assert (text == "\U0001f600" * count) is whole
    assert len(text.encode()) <= 100


@pytest.mark.parametrize("option", ["theme", "noise"])
def test_a_theme_that_nobody_knows_is_refused_before_anything_is_drawn(option):
    with pytest.raises(ValueError, match="nonsense"):
        gem_ma.make("game:TicTacToe-v0", **{option: "nonsense"})


@pytest.mark.parametrize("format", ["auto", "boxed"])
@pytest.mark.parametrize(
    "id", ["game:ConnectFour-v0", "game:GuessTheNumber-v0", "game:KuhnPoker-v0"]
)
def test_examples_are_turns_of_other_episodes_with_legal_replies(id, format):
    env, plain = (gem_ma.make(id, format=format, examples=n) for n in (3, 0))
    env.reset(seed=1)
    plain.reset(seed=1)
    for seat in env.possible_agents:
        rules = env.rules(seat)
        assert rules.startswith(plain.rules(seat))
        examples = rules.removeprefix(plain.rules(seat)).split("Example ")[1:]
        assert len(examples) == 3
        assert len({part.partition("\n")[2] for part in examples}) == 3
        for part in examples:
            (_, reply) = part.rsplit("A legal reply: ", 1)
            assert extract_action(reply.strip(), format) in env.game.moves
            assert (reply.strip() in env.game.moves) == (format == "auto")
        again = gem_ma.make(id, format=format, examples=3)
        again.reset(seed=2)  # the same in every episode
        assert again.rules(seat) == rules
    assert env.observe(env.agent_selection)["text"].startswith(env.rules(env.agent_selection))
    assert env.turn(env.agent_selection).rules == env.rules(env.agent_selection)


def test_examples_of_pictures_show_replies_and_what_has_no_legal_moves_has_none():
    env = gem_ma.make("game:TicTacToe-v0", observe="image", examples=1)
    env.reset(seed=1)
    assert ". . ." not in env.rules("x")
    assert "A legal reply: " in env.rules("x")
    free = Env(Unlisted(), examples=1)
    free.reset(seed=1)
    with pytest.raises(ValueError, match="examples=1: Unlisted lists no legal moves"):
        free.rules("a")
    with pytest.raises(ValueError, match="examples=-1: expected 0 or more"):
        gem_ma.make("game:TicTacToe-v0", examples=-1)


POINTING = [id for id in GAMES if id.startswith(("screens:", "visual:"))]


@pytest.mark.parametrize("ids", [POINTING, unless(False, GAMES)])
def test_photos_are_refused_where_replies_name_points(ids):
    """These are the games whose rules have a unit of a place in the picture, or ask for SVG."""
    for env_id in ids:
        env = gem_ma.make(env_id)
        rules = " ".join(map(env.game.rules, env.game.agents))
        assert bool(re.search("percent|pixel|SVG", rules)) == env.game.names_points, env_id
        if env.game.names_points:
            with pytest.raises(ValueError, match=r"name points of its picture, which a photo"):
                gem_ma.make(env_id, noise="photo:held-out:1")
