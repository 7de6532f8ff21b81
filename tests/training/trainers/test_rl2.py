"""RL2's own loop and advantages."""

import asyncio
import importlib.util
from collections import defaultdict
from pathlib import Path
from types import SimpleNamespace

import pytest
from trainers import Letters, cut, free

from gem_ma.training.trainers.rl2 import RL2Env

GAME = "game:TicTacToe-v0"


def plain(messages):
    """Write a chat so that it only ever grows at its end."""
    ends = {"assistant": "\n\n", "user": "\n\n>", "system": "\n\n"}
    return "".join(message["content"] + ends[message["role"]] for message in messages)


@pytest.fixture
def rl2():
    """Play the samples of a prompt with the loop of RL2, as it gathers them."""
    torch = pytest.importorskip("torch", reason="pip install 'gem-ma[hf]'")
    found = importlib.util.find_spec("RL2")
    if found is None:
        pytest.skip("pip install --no-deps rl-square==0.0.2")
    folder = Path(found.submodule_search_locations[0])
    asked = []

    async def generate(url, states, params):
        await asyncio.sleep(0)
        text = bytes(states).decode()
        board = sorted(set(free(text.rpartition("\n\n>")[0])))
        asked.append(text)
        first = len(board) == 9
        asked_first = sum(len(set(free(one.rpartition("\n\n>")[0]))) >= 9 for one in asked)
        move = "8" if first and asked_first == 2 else board[0]
        if "8" not in board and len(board) % 2:
            move = next((cell for cell in "75" if cell in board), move)
        info = {"output_token_logprobs": [(-1.0, ord(move), None)], "completion_tokens": 1}
        return {"text": move, "meta_info": {**info, "finish_reason": {"type": "stop"}}}

    names = {"async_generate": generate, "defaultdict": defaultdict, "torch": torch}
    pad = torch.nn.utils.rnn.pad_sequence
    names["pad_sequence"] = pad
    for file, name in (
        ("datasets/base.py", "get_tensor_dict"),
        ("datasets/base.py", "pack_tensor_dicts"),
        ("datasets/rl.py", "initialize_state_dict"),
        ("datasets/rl.py", "state_dict_to_tensor_dict"),
        ("utils/algorithms.py", "compute_reinforce_adv"),
        ("utils/algorithms.py", "compute_advantages"),
        ("workers/rollout.py", "rollout"),
    ):
        cut(folder / file, name, names)

    def samples(games, number, **extra):
        worker = SimpleNamespace(
            env=games, config=SimpleNamespace(max_turns=12), tokenizer=Letters(),
            router_url=None, train_sampling_params={}, test_sampling_params={},
        )  # fmt: skip
        asked.clear()

        async def gathered():
            rows = [{"extra_info": {"seed": 7, **extra}} for _ in range(number)]
            return await asyncio.gather(*(names["rollout"](worker, row, True) for row in rows))

        return asyncio.run(asyncio.wait_for(gathered(), 60))

    return SimpleNamespace(samples=samples, **names)


def advantages(rl2, played):
    import torch

    dicts = [row for rows, _ in played for row in rows]
    whole = rl2.pack_tensor_dicts(dicts)
    ends = torch.cumsum(torch.tensor([0, *(len(rows) for rows, _ in played)]), 0)
    config = SimpleNamespace(
        estimator="reinforce", responses_per_prompt=len(played), global_norm=False, norm_var=False
    )
    rl2.compute_advantages(config, whole, ends, 0)
    return whole["advantages"], whole["action_mask"]


def test_rl2_trains_both_seats_each_compared_with_itself(rl2):
    played = rl2.samples(RL2Env(GAME, render=plain), 4)
    scores = [metric["scores"][0] for _, metric in played]
    assert scores == [1.0, -1.0, -1.0, 1.0]  # x in both games, then o in both
    found, mask = advantages(rl2, played)
    for row, own, score in zip(found, mask, scores, strict=True):
        assert row[own == 1].unique().tolist() == [score]  # of each seat the mean is 0 here
    with pytest.raises(ValueError, match=r"3 samples per prompt.*must be a multiple of 2"):
        rl2.samples(RL2Env(GAME, render=plain), 3)


def test_samples_belong_together_that_say_the_same_in_whatever_order():
    starts = [
        {"seed": 7, "index": 1},
        {"seed": 8, "index": 1},
        {"index": 1, "seed": 7},
        {"index": 1, "seed": 8},
    ]
    games = RL2Env("game:RockPaperScissors-v0", render=plain, rounds=1)

    async def play():
        began = await asyncio.gather(*(games.reset(start) for start in starts))
        moves = ("rock", "rock", "paper", "paper")  # left in both games, then right in both
        return await asyncio.gather(
            *(
                games.step(state, move, info)
                for (state, info), move in zip(began, moves, strict=True)
            )
        )

    ends = asyncio.run(asyncio.wait_for(play(), 60))
    assert [(one["score"], one["done"]) for one in ends] == [
        *((-1.0, True), (-1.0, True)),
        *((1.0, True), (1.0, True)),
    ]


def test_rl2_puts_rewards_at_turns_and_begins_new_sequences(rl2):
    def forgetful(messages):
        return plain([messages[0], messages[-1]] if len(messages) > 1 else messages)

    (rows, metric), _ = rl2.samples(RL2Env(GAME, render=forgetful, compare=False), 2)
    assert len(rows) == metric["n_turns"][0] > 2  # a sequence for each turn
    assert [float(row["rewards"].sum()) for row in rows[:-1]] == [0.0] * (len(rows) - 1)
    assert float(rows[-1]["rewards"][-1]) == metric["scores"][0] != 0.0
