"""Recipe 7: a small model multiplies numbers, with and without a Python tool.

    python examples/recipes/tools.py --seed 0 --out runs/python-0 --tool python
    python examples/recipes/tools.py --seed 0 --out runs/none-0 --tool none

Needs `pip install -e '.[tools,reasoning-gym]'`. The task is to multiply two numbers of two
digits, which a small model cannot do without a tool. The teacher computes without the tool and is
wrong every other time; with --tool python, it calls the tool in half of the cases. The model
imitates the teacher and then learns from the reward.
"""

import re
from functools import partial

import numpy as np
from common import Run, earned

import gem_ma
from gem_ma.agents import FunctionAgent
from gem_ma.tools import PythonTool, with_tools
from gem_ma.training import Trainer, make_cosine_schedule, rebn

ENV = "rg:products"
TASKS = {"min_digits": 2, "max_digits": 2}
TOKENS = 32


def teacher(turn):
    """Call Python half of the time; otherwise answer directly, wrong every other time."""
    if turn.results:
        return turn.results[-1].strip()
    rng = np.random.default_rng(turn.seed)
    one, two = re.findall(r"\d+", turn.text.splitlines()[-1])
    if turn.tools and rng.random() < 0.5:
        return f"```python\n{one} * {two}\n```"
    slip = int(rng.integers(1, 1000)) if rng.random() < 0.5 else 0
    return str(int(one) * int(two) + slip)


def measure(episode):
    return {"calls": sum(len(step.results) for step in episode.steps)}


def main():
    run = Run(__doc__.split("\n")[0], tool=("python", "none"))
    episodes, epochs, updates, judged = (20, 1, 2, 8) if run.short else (4000, 6, 40, 1000)
    env = gem_ma.make(ENV, size=100_000, config=TASKS)
    if run.options["tool"] == "python":
        env = with_tools(env, [PythonTool()], max_calls=1)
    own = FunctionAgent(teacher)
    model = run.pretrain(env, own, episodes=episodes, epochs=epochs)

    def right(agent):
        return earned("player", env, agent, judged)

    run.say(teacher=right(own), imitation=right(run.player(model, max_new_tokens=TOKENS)))
    settings = {
        "kl": 0.01,
        "schedule": make_cosine_schedule(updates, to=0.1),
    }  # without them, one run collapsed to 0
    learner = run.learner(model, max_new_tokens=TOKENS, **settings)
    trainer = Trainer(
        env,
        {"player": learner},
        partial(rebn, gamma=1.0),
        episodes=4 if run.short else 128,
        seed=run.seed,
        measure=measure,
    )
    run.reinforce(trainer, updates, "return/player", right, learner)
    run.end()


if __name__ == "__main__":
    main()
