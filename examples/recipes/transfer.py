"""Recipe 9: one model learns five games at once, and is tested on three that it never practised.

    python examples/recipes/transfer.py --seed 0 --out runs/transfer-0

A model from scratch imitates random play in all eight games, so that it knows their words and
moves, but not how to win. It is then trained with reinforcement learning on five of them. All eight
are evaluated before and after.
"""

from functools import partial

from common import Run, earned

import gem_ma
from gem_ma.training import Trainer, rebn

TRAINED = {
    "GuessTheNumber-v0-easy": {},
    "FifteenPuzzle-v0-easy": {"max_turns": 12},
    "TowerofHanoi-v0-easy": {"max_turns": 12},
    "Sokoban-v0-easy": {"max_turns": 12},
    "FrozenLake-v0": {"max_turns": 12},
}
OTHERS = {
    "Maze-v0-easy": {"max_turns": 16},
    "Game2048-v0-easy": {"max_turns": 16},
    "Blackjack-v0": {},
}
TOKENS = 6


def made(games):
    return {name: gem_ma.make(f"game:{name}", **settings) for name, settings in games.items()}


def main():
    run = Run(__doc__.split("\n")[0])
    episodes, epochs, updates, judged = (40, 1, 2, 4) if run.short else (4000, 2, 50, 250)
    trained, others = made(TRAINED), made(OTHERS)
    both = trained | others
    model = run.pretrain(list(both.values()), "random", episodes=episodes, epochs=epochs)

    def tell(name, agent):
        returns = {game: earned("player", env, agent, judged) for game, env in both.items()}
        run.say(**{name: returns})

    tell("random", "random")
    tell("imitation", run.player(model, max_new_tokens=TOKENS))
    learner = run.learner(model, entropy=0.01, max_new_tokens=TOKENS)
    trainer = Trainer(
        list(trained.values()),
        {"player": learner},
        partial(rebn, gamma=0.95, by=("env",)),
        episodes=10 if run.short else 120,
        seed=run.seed,
    )
    run.train("rebn", trainer, updates)
    tell("reinforced", learner)
    run.end()


if __name__ == "__main__":
    main()
