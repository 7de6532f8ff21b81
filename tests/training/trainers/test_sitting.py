"""A seat for trainers that know one agent, and episodes as rows and as batches of rows."""

import asyncio
import math

import pytest

import gem_ma
from gem_ma.agents import load_agent
from gem_ma.chat.conversation import Conversation
from gem_ma.engine.match import SeatError
from gem_ma.training.trainers import SyncSeat, make_seat
from gem_ma.training.trainers.batches import (
    CallBatcher,
    compute_token_rewards,
    find_row_end,
    iter_seat_episodes,
    subtract_seat_means,
)


def solo(id, *arguments, **make):
    return SyncSeat(make_seat(id, *arguments, **make))


def test_sit_says_what_it_needs():
    assert make_seat("game:GuessTheNumber-v0").name == "player"
    assert make_seat("game:TicTacToe-v0", others={"x": "random"}).name == "o"
    assert make_seat("game:TicTacToe-v0", "x", "random").name == "x"
    with pytest.raises(SeatError, match="expected one seat for the trainer, got x, o"):
        make_seat("game:TicTacToe-v0")
    with pytest.raises(SeatError, match="no seat 'z'; the seats are x, o"):
        make_seat("game:TicTacToe-v0", "z", "random")
    with pytest.raises(SeatError, match="such as seat='x'"):
        make_seat("game:TicTacToe-v0", others="random")
    with pytest.raises(SeatError, match="one seat for the trainer, got none"):
        make_seat("game:TicTacToe-v0", others={"x": "random", "o": "random"})
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


def test_what_a_turn_earned_stands_at_its_last_token(player, tokenizer):
    from gem_ma.training.trainer_rows import build_rows

    env = gem_ma.make("game:PrisonersDilemma-v0", rounds=3, invalid="random")
    episodes = gem_ma.rollout(env, player, 2, seed=3)
    by_id = {episode.id: episode for episode in episodes}
    rows = list(build_rows(episodes, tokenizer))
    assert len(rows) == 4
    for row in rows:
        episode, rewards = by_id[row["episode"]], compute_token_rewards(row)
        mask = [*row["mask"], 0]
        ends = [place for place in range(len(row["ids"])) if mask[place : place + 2] == [1, 0]]
        own = [step.reward for step in episode.steps if step.agent == row["agent"]]
        assert [rewards[end] for end in ends] == own
        assert len(rewards) == len(row["ids"])
        assert sum(rewards) == sum(own) == episode.returns[row["agent"]] > 0


def test_those_that_are_compared_come_in_a_row():
    episodes = gem_ma.rollout("game:RockPaperScissors-v0", "random", 6, seed=1, group=3)
    places = list(iter_seat_episodes(episodes, ["left", "right"], 3))
    assert len({(episode.id, seat) for episode, seat in places}) == len(places) == 12
    assert [seat for _, seat in places[::3]] == ["left", "right"] * 2  # as they were given
    for start in range(0, 12, 3):
        run = places[start : start + 3]
        assert len({(episode.group, seat) for episode, seat in run}) == 1
    both = [{episode.id for episode, _ in places[start : start + 6]} for start in (0, 6)]
    assert [len(one) for one in both] == [3, 3]  # of one start both seats, one after the other


def test_each_seat_is_compared_with_itself():
    returns, seats = [1.0, 5.0, 3.0, 0.0, 8.0], ["x", "o", "x", "x", "o"]
    above = subtract_seat_means(returns, seats)
    for seat in ("x", "o"):
        own = [place for place, one in enumerate(seats) if one == seat]
        assert sum(above[place] for place in own) == pytest.approx(0)
        for one in own:
            assert above[one] - above[own[0]] == pytest.approx(returns[one] - returns[own[0]])


def test_a_row_ends_with_its_last_reply_or_where_there_is_no_more_room():
    row = {"agent": "x", "spans": [(2, 3), (5, 7)], "pictures": []}
    assert [find_row_end(row, room) for room in (6, 7, 8)] == [6, 7, 7]
    seen = {**row, "pictures": [object()]}
    assert [find_row_end(seen, room) for room in (7, 8)] == [7, 7]
    with pytest.raises(
        ValueError, match="x has 7 tokens, more than the limit of 6, and a sequence"
    ):
        find_row_end(seen, 6)


def test_calls_are_joined_that_begin_together_and_ask_for_the_same():
    batcher, asked = CallBatcher(), []

    def make(size):
        asked.append(size)
        if size == 1:
            raise ValueError("alone")
        return object()

    async def play():
        async def join_later(key):
            await asyncio.sleep(0.01)
            return await batcher.join(key, make)

        now = [batcher.join(key, make) for key in ("a", "b", "a", "b", "a")]
        later = [join_later(key) for key in ("a", "c", "a")]
        return await asyncio.gather(*now, *later, return_exceptions=True)

    *joined, alone, last = asyncio.run(asyncio.wait_for(play(), 60))
    joined.append(last)
    assert sorted(asked) == [1, 2, 2, 3]
    assert [number for number, _ in joined] == [0, 0, 1, 1, 2, 0, 1]
    batches = [[made for _, made in joined].index(made) for _, made in joined]
    assert batches == [0, 1, 0, 1, 0, 5, 5]
    assert str(alone) == "alone"
