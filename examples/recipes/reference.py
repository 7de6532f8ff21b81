"""Recipe 6: two vision models that see and speak, in a game of reference.

    python examples/recipes/reference.py --seed 0 --out runs/reference-0

The speaker sees one picture and says what is in it, the listener sees four that differ in little,
reads what was said and chooses one: chance is 0.25. A Qwen2-VL that begins from nothing imitates
two sloppy players, of whom the listener writes down what it sees before it chooses. Then each seat
has a copy of its own, and both learn from whether the right picture was chosen.
"""

import re
from functools import partial

import numpy as np
from common import Run, earned

import gem_ma
from gem_ma.agents import FunctionAgent
from gem_ma.training.advantages import rebn
from gem_ma.training.loop import Trainer

ENV = "game:ReferenceGame-v0"
GAME = {
    "size": 2,
    "objects": 2,
    "observe": "image",
    "panels": "apart",  # four pictures, whose cells lie as those of the speaker's: 28 pixels each
    "image_size": (112, 84),
    "invalid": "lose",
}
TOKENS = 96
SLOPPY = 0.3
THING = re.compile(r"\w+ \w+ at \w\d")


def speaker(turn):
    """Say what is in the picture, and now and then leave out a thing."""
    rng = np.random.default_rng(turn.seed)
    things = THING.findall(turn.observation["image"].alt)
    told = [thing for thing in things if rng.random() > SLOPPY]
    return ", ".join(told or things)


def listener(turn):
    """Say what is in each picture, and whether it fits; choose one that does, now and then any."""
    rng = np.random.default_rng(turn.seed)
    said = THING.findall(turn.text)
    seen = [THING.findall(line) for line in turn.observation["image"][0].alt.splitlines()]
    fits = [sum(thing in things for thing in said) for things in seen]
    best = np.flatnonzero(np.array(fits) == max(fits))
    chosen = rng.integers(len(fits)) if rng.random() < SLOPPY else rng.choice(best)
    told = [
        f"{i}: {', '.join(things)} {'yes' if i - 1 in best else 'no'}"
        for i, things in enumerate(seen, 1)
    ]
    return f"{'; '.join(told)}. \\boxed{{{chosen + 1}}}"


TEACHERS = {"speaker": FunctionAgent(speaker), "listener": FunctionAgent(listener)}


def main():
    run = Run(__doc__.split("\n")[0])
    episodes, epochs, updates, judged = (16, 1, 2, 8) if run.short else (3000, 3, 60, 1000)
    env = gem_ma.make(ENV, **GAME)
    model = run.pretrain(env, TEACHERS, episodes=episodes, epochs=epochs)

    def right(agents):
        return earned("speaker", env, agents, judged)

    run.say(teachers=right(TEACHERS))
    new = {"max_new_tokens": TOKENS}
    run.say(imitation=right(run.player(model, **new)))
    learners = {seat: run.learner(model, **new) for seat in TEACHERS}
    trainer = Trainer(
        env,
        learners,
        partial(rebn, by=("seat",)),
        episodes=4 if run.short else 96,
        seed=run.seed,
    )
    run.reinforce(trainer, updates, "return/listener", right, learners)
    run.end()


if __name__ == "__main__":
    main()
