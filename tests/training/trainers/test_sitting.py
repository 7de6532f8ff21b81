"""A seat for trainers that know one agent, and episodes as rows."""

import asyncio
import math

import pytest

import gem_ma
from gem_ma.agents import load_agent
from gem_ma.chat.conversation import Conversation
from gem_ma.engine.match import SeatError
from gem_ma.training.trainers import SyncSeat, make_seat


def solo(id, *arguments, **make):
    return SyncSeat(make_seat(id, *arguments, **make))


def test_sit_says_what_it_needs():
    assert make_seat("game:GuessTheNumber-v0").name == "player"
    assert make_seat("game:TicTacToe-v0", others={"x": "random"}).name == "o"
    assert make_seat("game:TicTacToe-v0", "x", "random").name == "x"
    with pytest.raises(SeatError, match="x, o wait for one"):
        make_seat("game:TicTacToe-v0")
    with pytest.raises(SeatError, match="no seat 'z'; the seats are x, o"):
        make_seat("game:TicTacToe-v0", "z", "random")
    with pytest.raises(SeatError, match="say seat='x'"):
        make_seat("game:TicTacToe-v0", others="random")
    with pytest.raises(TypeError, match="made already"):
        make_seat(gem_ma.make("game:TicTacToe-v0"), "x", "random", max_turns=3)


def test_a_solo_seat_earns_what_the_seat_of_a_rollout_earns():
    async def model(turn):
        await asyncio.sleep(0)
        return load_agent("random").act([turn])[0]

    seat = solo("game:LiarsDice-v0", "player_0", model)
    env = gem_ma.make("game:LiarsDice-v0")
    for seed in range(5):
        outcome = seat.reset(seed=seed)
        while not seat.done:
            outcome = seat.step(load_agent("random").act([outcome.turn])[0])
        env.reset(seed=seed)
        chats, returns = {}, dict.fromkeys(env.possible_agents, 0.0)
        while env.to_act:
            turns = [env.turn(a, chats.setdefault(a, Conversation(a))) for a in env.to_act]
            replies = {turn.seat: load_agent("random").act([turn])[0] for turn in turns}
            for name, reply in replies.items():
                chats[name].steps[-1].reply = reply
            for name, reward in env.step_seats(replies).items():
                returns[name] += reward
        assert seat.reward == returns["player_0"]


def test_rows_say_whose_they_are_and_what_each_turn_earned(player, tokenizer):
    from gem_ma.training.trainer_rows import build_rows, split_prompt_completion

    episodes = gem_ma.rollout(
        "game:TicTacToe-v0", {"x": player, "o": "random"}, 4, seed=3, group=2, invalid="random"
    )
    found = list(build_rows(episodes, tokenizer, train=["x"]))
    assert [row["episode"] for row in found] == [episode.id for episode in episodes]
    for row, episode in zip(found, episodes, strict=True):
        assert (row["agent"], row["env"], row["group"]) == ("x", "game:TicTacToe-v0", episode.group)
        assert (row["policy"], row["trainable"], row["exact"]) == (repr(player), True, True)
        assert sum(row["rewards"]) == episode.returns["x"]
        steps = [step for step in episode.steps if step.agent == "x"]
        assert row["rewards"] == [step.reward for step in steps]
        for step, (start, end) in zip(steps, row["spans"], strict=True):
            assert row["ids"][start:end] == list(step.reply.token_ids)
            assert row["mask"][start:end] == [1] * (end - start)
            assert row["logprobs"][start:end] == step.reply.logprobs
        assert sum(row["mask"]) == sum(end - start for start, end in row["spans"])
        half = split_prompt_completion(row)
        assert half.prompt + half.completion == row["ids"]
        assert half.mask[0] == 1
        assert sum(half.mask) == sum(row["mask"])
        assert half.reward == episode.returns["x"]
        assert not any(math.isnan(value) for value in half.logprobs)


def test_rows_of_players_without_tokens_have_to_be_asked_for(player, tokenizer):
    from gem_ma.training.trainer_rows import build_rows, split_prompt_completion

    episodes = gem_ma.rollout(
        "game:TicTacToe-v0", {"x": player, "o": "random"}, 2, seed=3, invalid="random"
    )
    both = list(build_rows(episodes, tokenizer, train=["x"], texts=True))
    assert [(row["agent"], row["trainable"], row["exact"]) for row in both] == [
        ("x", True, True),
        ("o", False, False),
    ] * 2
    with pytest.raises(ValueError, match="random in seat o gave no log-probabilities"):
        split_prompt_completion(both[1])
    with pytest.raises(ValueError, match="no episode has a seat w"):
        list(build_rows(episodes, tokenizer, train=["w", "x"]))


def test_what_comes_while_others_move_is_credited_to_the_turn_before(tokenizer):
    from gem_ma.training.trainer_rows import build_rows

    env = gem_ma.make("game:TicTacToe-v0")
    moves = {"x": iter(["0", "1", "8"]), "o": iter(["3", "4", "5"])}
    agents = {seat: (lambda turn, own=own: next(own)) for seat, own in moves.items()}
    episodes = gem_ma.rollout(env, agents, 1, seed=0)
    earned = {row["agent"]: row["rewards"] for row in build_rows(episodes, tokenizer, texts=True)}
    assert earned == {"x": [0.0, 0.0, -1.0], "o": [0.0, 0.0, 1.0]}
