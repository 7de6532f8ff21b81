"""Recipe 6: two vision-language models learn a reference game, one speaks and one listens.

    python examples/recipes/reference.py --seed 0 --out runs/reference-0

The speaker sees one picture and describes it cell by cell. The listener sees four similar pictures.
For each it writes, cell by cell, the content, the description, and whether both agree so far; then
it chooses one. Chance is 0.25. A Qwen2-VL model from scratch first imitates two imperfect players:
a speaker that misses some things, and a listener that sometimes chooses at random. Then each seat
has its own copy of the model, and both learn from whether the right picture was chosen.
"""

import re
from functools import partial

import numpy as np
from common import Run, earned

import gem_ma
from gem_ma.agents import FunctionAgent
from gem_ma.training import Trainer, rebn

ENV = "game:ReferenceGame-v0"
GAME = {
    "size": 2,
    "objects": 2,
    "observe": "image",
    "panels": "apart",  # four separate pictures with cells like the speaker's: 28 pixels each
    "image_size": (112, 84),
    "invalid": "lose",
}
TOKENS = 200
SLOPPY = 0.2
TEMPERATURE = 0.7  # at 1.0, some of two hundred tokens are always wrong
CELLS = "A1", "B1", "A2", "B2"
NOTHING, UNKNOWN = "empty cell", "some thing"
THING = re.compile(r"(\w+ \w+) at (\w\d)")
SAID = re.compile(r"(\w\d) (\w+ \w+)")


def cells(line):
    """Return the content of each cell of a picture from its description."""
    things = {cell: thing for thing, cell in THING.findall(line)}
    return [things.get(cell, NOTHING) for cell in CELLS]


def speaker(turn):
    """Describe each cell, but call some things unknown."""
    rng = np.random.default_rng(turn.seed)
    seen = cells(turn.observation["image"].alt)
    hidden = [thing != NOTHING and rng.random() < SLOPPY for thing in seen]
    told = [UNKNOWN if gone else thing for gone, thing in zip(hidden, seen, strict=True)]
    return ", ".join(f"{cell} {thing}" for cell, thing in zip(CELLS, told, strict=True))


def listener(turn):
    """Compare the content of each cell with what was said of it, and choose a fitting picture.

    Now and then the choice is random.
    """
    rng = np.random.default_rng(turn.seed)
    said = dict(SAID.findall(turn.text))
    lines, fitting = [], []
    for number, line in enumerate(turn.observation["image"][0].alt.splitlines(), 1):
        fits, told = True, []
        for cell, thing in zip(CELLS, cells(line), strict=True):
            heard = said.get(cell, UNKNOWN)
            fits = fits and heard in (thing, UNKNOWN)
            pairs = " ".join(map(" ".join, zip(thing.split(), heard.split(), strict=True)))
            told.append(f"{cell} {pairs} {'yes' if fits else 'no'}")
        lines.append(f"{number}: {'; '.join(told)}")
        fitting += [number] * fits
    among = fitting if fitting and rng.random() > SLOPPY else range(1, len(lines) + 1)
    return f"{'. '.join(lines)}. \\boxed{{{rng.choice(among)}}}"


TEACHERS = {"speaker": FunctionAgent(speaker), "listener": FunctionAgent(listener)}


def main():
    run = Run(__doc__.split("\n")[0])
    episodes, epochs, updates, judged = (16, 1, 2, 8) if run.short else (6000, 2, 20, 500)
    env = gem_ma.make(ENV, **GAME)
    model = run.pretrain(env, TEACHERS, episodes=episodes, epochs=epochs)

    def right(agents):
        return earned("speaker", env, agents, judged)

    run.say(teachers=right(TEACHERS))
    new = {"max_new_tokens": TOKENS, "temperature": TEMPERATURE}
    run.say(imitation=right(run.player(model, **new)))
    run.say(imitation_greedy=right(run.player(model, **{**new, "temperature": 0.0})))
    # A wrong choice lowers the whole long reply; kl keeps the rest of it as it was.
    settings = {"lr": 2e-4, "kl": 0.02, "entropy": 0.0, **new}
    learners = {seat: run.learner(model, **settings) for seat in TEACHERS}
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
