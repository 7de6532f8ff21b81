"""Recipe 3: self-play in Kuhn poker, and a language model's distance from an equilibrium.

    python examples/recipes/kuhn.py --seed 0 --out runs/kuhn-0
    python examples/recipes/kuhn.py --seed 0 --out runs/kuhn-stale --staleness 1
    python examples/recipes/kuhn.py --seed 0 --out runs/kuhn-vine --advantages vine

One model plays both seats. After every update its policy is computed exactly: the probability of
each legal move in each of the twelve situations. The current policy cycles; its average over time
converges. NashConv scores both: 0.917 for random play, 0 for perfect play.
"""

from functools import partial

from common import Run

import gem_ma
from gem_ma.evaluation import GameTree, collect_turns, score_policy
from gem_ma.training import Trainer, rebn, vine

ENV = "game:KuhnPoker-v0"
TOKENS = 3


class Curve:
    """Callback that adds the policy after each update, and its NashConv, to the history."""

    def __init__(self, env, learner):
        self.tree = GameTree(env.game)
        self.turns = collect_turns(env, self.tree)
        self.learner = learner

    def policy(self, agent):
        return score_policy(agent, self.tree, self.turns).make_policy(self.tree)

    def __call__(self, trainer):
        policy = self.policy(self.learner)
        row = trainer.history[-1]
        for number, key in enumerate(self.tree.keys):
            row[f"policy/{number}"] = policy[key][0]
        row["nash_conv"] = self.tree.compute_nash_conv(policy)
        row["average"] = self.tree.compute_nash_conv(self.average(trainer.history))

    def average(self, history):
        """Return the mean of the later half of the policies, weighted by reach probability."""
        sums = {key: [0.0, 0.0] for key in self.tree.keys}
        for row in history[len(history) // 2 :]:
            shares = {}
            for number, key in enumerate(self.tree.keys):
                shares[key] = row[f"policy/{number}"], 1 - row[f"policy/{number}"]
            for key in self.tree.keys:
                reach, before = 1.0, self.tree.parents[key]
                while before is not None:
                    where, text = before
                    reach *= shares[where][self.tree.legal[where].index(text)]
                    before = self.tree.parents[where]
                for place, share in enumerate(shares[key]):
                    sums[key][place] += reach * share
        return {key: [one / sum(two) for one in two] for key, two in sums.items()}


def main():
    options = {"staleness": ("0", "1", "4"), "advantages": ("rebn", "vine")}
    run = Run(__doc__.split("\n")[0], **options)
    vines = run.options["advantages"] == "vine"
    episodes, epochs, updates = (30, 1, 2) if run.short else (1000, 4, 600)
    model = run.pretrain(ENV, "random", episodes=episodes, epochs=epochs)
    learner = run.learner(
        model,
        lr=2e-4,
        # The imitated policy is random, and kl keeps the policy near it, which prevents early
        # convergence. An entropy bonus would reward invalid text instead.
        kl=0.05,
        entropy=0.0,
        minibatch=64,
        max_new_tokens=TOKENS,
    )
    env = gem_ma.make(ENV)
    curve = Curve(env, learner)
    imitation = run.player(model, max_new_tokens=TOKENS)
    run.say(imitation=curve.tree.compute_nash_conv(curve.policy(imitation)))
    trainer = Trainer(
        ENV,
        dict.fromkeys(env.possible_agents, learner),
        vine if vines else partial(rebn, by=("seat",)),
        episodes=8 if run.short else 128,
        seed=run.seed,
        max_staleness=int(run.options["staleness"]),  # play while the model learns
        continuations=4 if vines else 0,
        # Without a penalty, invalid text would cost no more than a fold.
        rollout={"invalid": "lose", "penalty": 1.0},
    )
    history = run.train("selfplay", trainer, updates, after=[curve])
    run.say(last=history[-1]["nash_conv"], average=history[-1]["average"])
    run.end()


if __name__ == "__main__":
    main()
