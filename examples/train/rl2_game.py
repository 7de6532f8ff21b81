r"""The file for RL2's `rollout.env_path`: all seats of a game, as samples of one prompt.

    pip install -e . rl-square==0.0.2
    python examples/train/rl2_game.py data.jsonl         # rows whose extra_info is a start
    GEM_MODEL=... torchrun ... -m RL2.trainer.ppo train_data.path=data.jsonl \
        train_data.responses_per_prompt=8 rollout.env_path=examples/train/rl2_game.py ...
    python examples/train/rl2_game.py play               # plays two games with moves in order

GEM_ENV and GEM_OTHERS ("o=random") choose another game. RL2 needs a GPU and was not run;
docs/trainers.md says which parts were. Newer sources of RL2 need `generate` instead.
"""

import asyncio
import json
import os
import sys
from functools import partial
from pathlib import Path

from gem_ma.training.trainers.rl2 import RL2Env


def plain(messages):
    return "\n\n".join(message["content"] for message in messages) + "\n\n"


def games():
    render, end = plain, ""
    if "GEM_MODEL" in os.environ:
        from transformers import AutoTokenizer

        tokenizer = AutoTokenizer.from_pretrained(os.environ["GEM_MODEL"])
        render = partial(tokenizer.apply_chat_template, tokenize=False, add_generation_prompt=True)
        end = tokenizer.eos_token
    others = dict(one.split("=", 1) for one in os.environ.get("GEM_OTHERS", "").split())
    env = os.environ.get("GEM_ENV", "game:TicTacToe-v0")
    return RL2Env(env, others=others, render=render, end=end)


_games = games()
reset, step = _games.reset, _games.step


async def play():
    text, extra = await reset({"seed": 1})
    total, done, moves = 0.0, False, iter("012345678")
    while not done:
        answer = await step(text, next(moves), extra)
        text, done, total = answer["next_state"], answer["done"], total + answer["score"]
    return total


async def both():
    return await asyncio.gather(*(play() for _ in range(4)))


if __name__ == "__main__":
    if sys.argv[1] == "play":
        print(asyncio.run(both()))
    else:
        rows = [{"extra_info": {"seed": seed}} for seed in range(1024)]
        Path(sys.argv[1]).write_text("".join(f"{json.dumps(row)}\n" for row in rows))
