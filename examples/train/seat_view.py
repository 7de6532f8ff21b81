"""The face that Oat, RL2 and ROLL want of an environment, each in a few lines over one seat.

    python examples/train/seat_view.py      # plays an episode through each of them

| trainer                    | what it calls                                       | ours       |
|----------------------------|-----------------------------------------------------|------------|
| RL2, PyPI rl-square 0.0.2  | a file, env_path: async reset(extra_info) -> (text, | `Rl2`      |
|                            | extra_info); async step(state, action, extra_info)  |            |
|                            | -> dict of next_state, reward, score, done,         |            |
|                            | extra_info                                          |            |
| ROLL, 8eb27cc2 (2026-08)   | gem.Env, as gem-llm 0.1.0: reset(seed) -> (text,    | `roll`     |
|                            | info); step(action) -> text, reward, terminated,    |            |
|                            | truncated, info                                     |            |
| Oat, PyPI oat-llm 0.2.4    | PPOMultiTurnActor.collect_experience() -> episodes, | `oat_turn` |
|                            | each a list with one Transition for a turn; info    |            |

All have several turns and rewards for each; one seat, the others played for it; pictures in ROLL
only. None of the three was run, as each wants a GPU. What was checked by
tests/training: RL2's own loop, cut out of its package, plays with `Rl2`; `roll` has
the signatures of gem-llm's Env; the step of Oat's own actor takes what `oat_turn` filled. Newer
sources of RL2 want `generate` instead.
"""

import asyncio
import os

import gem_ma
from gem_ma.talk.messages import hf
from gem_ma.training.adapters import sit


class Rl2:
    """RL2's reset and step; what belongs to an episode travels in `extra_info`.

    render: makes text of chat messages, the model's chat template for example.
    """

    def __init__(self, env, seat=None, others=None, render=None):
        self.arguments = env, seat, others
        self.render = render or (lambda messages: "\n\n".join(m["content"] for m in messages))

    async def reset(self, extra_info):
        seat = sit(*self.arguments)
        outcome = await seat.reset(extra_info.get("seed"))
        return self.render(hf(outcome.messages)), {**extra_info, "seat": seat}

    async def step(self, state, action, extra_info):
        outcome = await extra_info["seat"].step(action)
        return {
            "next_state": state + action + self.render(hf(outcome.messages)),
            "reward": outcome.reward,
            "score": outcome.reward,
            "done": outcome.turn is None,
            "extra_info": extra_info,
        }


def roll(env, seat=None, others=None, **make):
    """ROLL's environment is GEM's own interface, which is Gymnasium's with text."""
    return gem_ma.make_gym(env, agent=seat, others=others, **make)


def oat_turn(row, number, decode):
    """Return the fields of Oat's Transition for one turn, from a row of gem_ma.training.rows.

    decode: makes text of token ids, as the tokenizer's own decode does.
    """
    start, end = row["spans"][number]
    prompt, response = decode(row["ids"][:start]), decode(row["ids"][start:end])
    return {
        "obs": prompt,
        "action": response,
        "rewards": row["rewards"][number],
        "done": number == len(row["spans"]) - 1,
        "prompt": prompt,
        "prompt_ids": row["ids"][:start],
        "response": response,
        "response_ids": row["ids"][start:end],
        "response_logprobs": row["logprobs"][start:end],
        "response_is_truncated": False,
        "action_is_formatted": True,  # the game itself judges, and its reward says so
        "loss_mask": True,
        "info": {},
    }


_rl2 = Rl2(
    os.environ.get("GEM_ENV", "game:TicTacToe-v0"),
    os.environ.get("GEM_SEAT", "x"),
    os.environ.get("GEM_OTHERS", "random"),
)
reset, step = _rl2.reset, _rl2.step


async def play():
    text, extra = await reset({"seed": 1})
    total, done, moves = 0.0, False, iter("012345678")
    while not done:
        answer = await step(text, next(moves), extra)
        text, done, total = answer["next_state"], answer["done"], total + answer["reward"]
    return total


def main():
    print(f"RL2: {asyncio.run(play()):+.0f}")
    env = roll("game:TicTacToe-v0", "x", "random")
    _, _ = env.reset(seed=1)
    total, done, moves = 0.0, False, iter("012345678")
    while not done:
        _, reward, terminated, truncated, _ = env.step(next(moves))
        total, done = total + reward, terminated or truncated
    print(f"ROLL: {total:+.0f}")


if __name__ == "__main__":
    main()
