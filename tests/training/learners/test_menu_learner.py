"""Learners that choose from a menu: their updates, their draws, and what they read."""

import importlib.util
import math
from pathlib import Path

import numpy as np
import pytest
from needed import Later, needed

from gem_ma import rollout

torch = needed("torch", install="'gem-ma[hf]'")
needed("transformers", install="'gem-ma[hf]'")
loop = Later("gem_ma.training.reference_trainer")

from gem_ma.training.learners.menu_learner import MenuLearner

EXAMPLES = Path(__file__).parents[3] / "examples"
SAME_TIME = "game:RockPaperScissors-v0"


pytestmark = pytest.mark.usefixtures("one_thread")


def example(name):
    spec = importlib.util.spec_from_file_location(Path(name).stem, EXAMPLES / name)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def simple_chooser(**settings):
    """Return a chooser that says paper e times as often as rock, whatever it sees."""

    class Scores(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.scores = torch.nn.Parameter(torch.tensor([0.0, 1.0, 9.0]))

        def forward(self, seen):
            return self.scores.expand(len(seen), -1)

    return MenuLearner(Scores(), lambda messages: (np.zeros(1), ("rock", "paper")), **settings)


def test_a_chooser_tells_what_an_update_was_like():
    player = simple_chooser(epochs=1, entropy=0.5)
    episodes = rollout(SAME_TIME, player, 2, seed=0, rounds=1, progress=False)
    worth = [[1.0], [-3.0]]
    parts = [
        loop.SeatTrajectory(one, "left", np.array(w))
        for one, w in zip(episodes, worth, strict=True)
    ]
    paper = math.e / (1 + math.e)
    entropy = -paper * math.log(paper) - (1 - paper) * math.log(1 - paper)
    # of gain and entropy by the score of paper, and of rock with the other sign
    said = [part.episode.steps[0].reply == "paper" for part in parts]
    slope = sum(w * (own - paper) for (w,), own in zip(worth, said, strict=True)) / 2
    slope -= 0.5 * paper * (1 - paper)
    told = player.update(parts)
    assert told["entropy"] == pytest.approx(entropy, abs=1e-5)
    assert told["loss"] == pytest.approx(1 - 0.5 * entropy, abs=1e-5)
    assert told["gradient"] == pytest.approx(math.sqrt(2) * abs(slope), abs=1e-5)
    several = simple_chooser(epochs=3, entropy=0.5, minibatch=2, lr=1e-9).update(parts)
    assert several == pytest.approx(told, abs=1e-5)  # the mean over steps


def test_a_chooser_draws_from_its_scores_and_stays_on_the_menu():
    player = simple_chooser()
    episodes = rollout(SAME_TIME, player, 1000, seed=0, rounds=1, progress=False)
    said = [step.reply for episode in episodes for step in episode.steps]
    share = math.e / (1 + math.e)
    assert set(map(str, said)) == {"rock", "paper"}
    assert sum(reply == "paper" for reply in said) / len(said) == pytest.approx(share, abs=0.03)
    for reply in said:
        wanted = share if reply == "paper" else 1 - share
        assert reply.logprobs == pytest.approx([math.log(wanted)], abs=1e-5)
        assert reply.token_ids == [("rock", "paper").index(reply)]


def test_the_tiny_network_reads_the_last_words_of_what_is_too_long():
    module = example("train_tiny.py")
    words, menu = module.read([{"content": " ".join("3 higher" for _ in range(50))}])
    assert len(words) == module.LONGEST
    assert menu == module.GUESSES
