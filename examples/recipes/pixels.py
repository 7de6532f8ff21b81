"""Recipe 5: learn the same game from images and from text, each with a model from scratch.

    python examples/recipes/pixels.py --seed 0 --out runs/lake-image-0 --game lake --observe image
    python examples/recipes/pixels.py --seed 0 --out runs/lake-text-0 --game lake --observe text

A Qwen2-VL model reads pixels, in patches aligned with the cells of the board. A Llama model of the
same width reads text. The game is a new frozen lake in each episode, or Tic-tac-toe. Both models
first imitate the same imperfect player, and then learn from their own episodes.
"""

from functools import partial

from common import Run, earned

import gem_ma
from gem_ma.agents import MixtureAgent
from gem_ma.training import Trainer, make_cosine_schedule, rebn

TOKENS = 3
GAMES = {  # learner's seat, agents of the other seats, and environment with 28 pixels per cell
    "lake": ("player", None, "game:FrozenLake-v0", {"image_size": (112, 112), "max_turns": 16}),
    "tictactoe": ("x", "random", "game:TicTacToe-v0", {"image_size": (84, 84)}),
}
LENGTHS = {"lake": (3, 60), "tictactoe": (6, 200)}  # epochs, updates


def main():
    run = Run(__doc__.split("\n")[0], game=tuple(GAMES), observe=("image", "text"))
    epochs, updates = (1, 2) if run.short else LENGTHS[run.options["game"]]
    episodes, judged = (20, 8) if run.short else (1500, 500)
    seat, other, id, settings = GAMES[run.options["game"]]
    env = gem_ma.make(id, observe=run.options["observe"], invalid="lose", **settings)
    model = run.pretrain(
        env, MixtureAgent.epsilon("search", 0.3), seats=[seat], episodes=episodes, epochs=epochs
    )

    def won(agent):
        agents = {one: agent if one == seat else other for one in env.possible_agents}
        return earned(seat, env, agents, judged)

    run.say(imitation=won(run.player(model, max_new_tokens=TOKENS)))
    settings = {
        "kl": 0.01,
        "schedule": make_cosine_schedule(updates, to=0.1),
    }  # without them training can collapse again
    learner = run.learner(model, max_new_tokens=TOKENS, **settings)
    agents = {one: learner if one == seat else other for one in env.possible_agents}
    trainer = Trainer(env, agents, partial(rebn, gamma=0.95), episodes=64, seed=run.seed)
    run.reinforce(trainer, updates, f"return/{seat}", won, learner)
    run.end()


if __name__ == "__main__":
    main()
