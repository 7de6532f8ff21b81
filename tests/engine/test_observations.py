"""What a turn shows: several pictures, and pictures at their own size."""

import numpy as np
import packs
import pytest
from PIL import Image

import gem_ma
from gem_ma import Env, rollout
from gem_ma.chat.messages import find_observation_pictures, make_content, to_openai_chat
from gem_ma.envs.guessing.guess_the_number import GuessTheNumber
from gem_ma.evaluation.viewer.page import write_page
from gem_ma.evaluation.viewer.spectator import spectate
from gem_ma.rollouts.records import load_episodes
from gem_ma.validation.entry_points import load_entry_point

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
