"""Recipe 1: a model from scratch imitates a weak player of GuessTheNumber, then learns to win.

    python examples/recipes/guess.py --seed 0 --out runs/guess-0
    python examples/recipes/guess.py --seed 0 --out runs/guess-stale --staleness 1

With `--staleness 1` the next games are played while the model learns from the last ones. Halving
always finds one of ten numbers in four guesses, so the best possible return is 1.
"""

import re
from functools import partial

import numpy as np
from common import Run, earned

from gem_ma.agents import FunctionAgent
from gem_ma.training import Trainer, rebn

ENV = "game:GuessTheNumber-v0-easy"  # 1 to 10 in 4 guesses
TOKENS = 4


def sloppy(turn):
    """Guess the middle of the remaining numbers one time in three, and any number otherwise."""
    rng = np.random.default_rng(turn.seed)
    low, high = 1, 10
    for message in turn.messages:
        for guess, way in re.findall(r"(\d+): the number is (lower|higher)", str(message)):
            low = max(low, int(guess) + 1) if way == "higher" else low
            high = min(high, int(guess) - 1) if way == "lower" else high
    return str((low + high) // 2 if rng.random() < 0.35 else rng.integers(1, 11))


def main():
    run = Run(__doc__.split("\n")[0], staleness=("0", "1", "4"))
    episodes, epochs, updates, judged = (20, 1, 2, 4) if run.short else (4000, 3, 60, 1000)
    teacher = FunctionAgent(sloppy)
    model = run.pretrain(ENV, teacher, episodes=episodes, epochs=epochs)

    def won(agent):
        return earned("player", ENV, agent, judged)

    run.say(teacher=won(teacher))
    run.say(imitation=won(run.player(model, max_new_tokens=TOKENS)))
    learner = run.learner(model, max_new_tokens=TOKENS)
    trainer = Trainer(
        ENV,
        {"player": learner},
        partial(rebn, gamma=0.9),
        episodes=4 if run.short else 128,
        seed=run.seed,
        max_staleness=int(run.options["staleness"]),
    )
    run.reinforce(trainer, updates, "return/player", won, learner)
    run.end()


if __name__ == "__main__":
    main()
