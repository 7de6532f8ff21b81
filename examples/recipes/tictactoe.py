"""Recipe 2: self-play in Tic-tac-toe against a pool of the model's own earlier copies.

    python examples/recipes/tictactoe.py --seed 0 --out runs/tictactoe-0
    python examples/recipes/tictactoe.py --seed 0 --out runs/five-0 --length five
    python examples/recipes/tictactoe.py --seed 0 --out runs/alone --length five --pool none --kl 0

A model from scratch first imitates a search four moves deep, in games against a random player. Then
it plays from either seat against its earlier copies, and sometimes against random play. With
`--pool none` it plays only against itself. With `--kl 0` nothing holds it near the imitated policy.
`--length five` takes five minutes.
"""

from functools import partial

from common import Run, mean, played

from gem_ma.training import SelfPlayOpponent, Trainer, make_cosine_schedule, rebn

ENV = "game:TicTacToe-v0"
TOKENS = 3
TEACHER = "search:depth=4"
LENGTHS = {"whole": (4500, 16, 600), "five": (1000, 8, 100)}  # episodes, epochs, updates
SIZE = "micro"  # learns as well as larger sizes and plays four times as much in the same time


def results(agent, other, games):
    """Return an agent's shares of wins, draws and losses, with half of the games in each seat."""
    own = [
        episode.returns[seat]
        for seat, rest in (("x", "o"), ("o", "x"))
        for episode in played(ENV, {seat: agent, rest: other}, games // 2, invalid="lose")
    ]
    return {
        name: sum(value == one for one in own) / len(own)
        for name, value in (("won", 1), ("drawn", 0), ("lost", -1))
    }


def main():
    options = {"pool": ("past", "none"), "kl": ("0.02", "0"), "length": tuple(LENGTHS)}
    run = Run(__doc__.split("\n")[0], **options)
    judged = 8 if run.short else 1000
    episodes, epochs, updates = (30, 1, 2) if run.short else LENGTHS[run.options["length"]]
    model = run.pretrain(
        ENV,
        {"x": TEACHER, "o": "random"},
        shuffle=True,
        seats=[TEACHER],
        episodes=episodes,
        epochs=epochs,
        size=SIZE,
    )
    imitation = run.player(model, max_new_tokens=TOKENS)
    run.say(imitation_against_random=results(imitation, "random", judged))
    learner = run.learner(
        model,
        lr=5e-4,
        # kl keeps the policy near the imitated one, which plays any of several equally good moves.
        kl=float(run.options["kl"]),
        entropy=0.0,
        schedule=make_cosine_schedule(updates, to=0.1),
        max_new_tokens=TOKENS,
    )
    judge = partial(rebn, gamma=0.95, by=("seat",))
    settings = {"episodes": 8 if run.short else 128, "seed": run.seed}
    rules = {"invalid": "lose"}
    if run.options["pool"] == "none":
        trainer = Trainer(ENV, dict.fromkeys("xo", learner), judge, rollout=rules, **settings)
        after = []
    else:
        rivals = SelfPlayOpponent(learner, latest=8, mirror=0.25, beside={"random": 0.3})
        trainer = Trainer(
            ENV,
            {"x": learner, "o": rivals},
            judge,
            train=["x"],
            measure=rivals.record,
            rollout={**rules, "shuffle": True},
            **settings,
        )
        after = [rivals.copy_every(20), run.checkup("won")]
    last = run.train("selfplay", trainer, updates, after=after)[-10:]
    run.say(**{name: mean(row[f"{name}/x"] for row in last) for name in ("entropy", "invalid")})
    run.say(against_random=results(learner, "random", judged))
    learner.temperature = 0
    run.say(greedy_against_random=results(learner, "random", judged))
    run.say(greedy_against_search=results(learner, "search:depth=9", min(judged, 200)))
    run.end()


if __name__ == "__main__":
    main()
