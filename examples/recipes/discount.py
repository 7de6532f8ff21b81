"""Recipe 8: what discounting changes in a game whose reward does not depend on its length.

    python examples/recipes/discount.py --seed 0 --out runs/discount-0

The player must find a number from 1 to 10 and has ten guesses. Finding it pays 1, at the first
guess or at the last. One imperfect model is trained once for each discount. With gamma=1, a slow
win is worth as much as a quick one; with a lower gamma, a quick win is worth more. Halving takes
2.9 guesses on average.
"""

from functools import partial

from common import Run, mean, played
from guess import TOKENS, sloppy

from gem_ma.agents import FunctionAgent
from gem_ma.training import Trainer, rebn

ENV = "game:GuessTheNumber-v0"
GAME = {"max_number": 10, "max_turns": 10}
GAMMAS = 0.5, 0.7, 0.9, 0.95, 1.0


def measure(episode):
    return {"guesses": len(episode.steps)}


def main():
    run = Run(__doc__.split("\n")[0])
    episodes, epochs, updates, judged = (20, 1, 2, 4) if run.short else (1500, 3, 60, 1000)
    teacher = FunctionAgent(sloppy)
    model = run.pretrain(ENV, teacher, episodes=episodes, epochs=epochs, **GAME)

    def tell(name, agent):
        found = played(ENV, agent, judged, **GAME)
        won, guesses = mean(e.returns["player"] for e in found), mean(len(e.steps) for e in found)
        run.say(**{name: {"won": won, "guesses": guesses}})

    tell("teacher", teacher)
    tell("imitation", run.player(model, max_new_tokens=TOKENS))
    for gamma in GAMMAS[-2:] if run.short else GAMMAS:
        learner = run.learner(model, max_new_tokens=TOKENS)
        trainer = Trainer(
            ENV,
            {"player": learner},
            partial(rebn, gamma=gamma),
            episodes=4 if run.short else 64,
            seed=run.seed,
            measure=measure,
            rollout=GAME,
        )
        run.train(f"gamma {gamma}", trainer, updates)
        tell(f"gamma {gamma}", learner)
    run.end()


if __name__ == "__main__":
    main()
