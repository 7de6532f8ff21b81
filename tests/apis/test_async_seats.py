"""Seats for trainers that know one agent: several at one table, or one among given players."""

import asyncio

import pytest

import gem_ma
from gem_ma.agents import load_agent
from gem_ma.apis.async_seats import SeatLeftError


def legal(turn):
    return load_agent("random").act([turn])[0]


async def play(seat, seed, log=None):
    """Play a seat to its end as a trainer would; return what it earned at each step."""
    outcome, rewards = await seat.reset(seed=seed), []
    assert outcome.reward == 0.0
    while outcome.turn is not None:
        reply = legal(outcome.turn)
        if log is not None:
            log.append((seat.name, outcome.turn.text, reply))
        outcome = await seat.step(reply)
        rewards.append(outcome.reward)
    assert outcome.terminated != outcome.truncated
    return rewards


@pytest.mark.parametrize(
    "id",
    ["game:ConnectFour-v0", "game:RockPaperScissors-v0", "game:LiarsDice-v0", "game:Werewolf-v0"],
)
@pytest.mark.parametrize("given", [0, 1])
def test_seats_play_the_game_that_a_rollout_plays(id, given):
    env = gem_ma.make(id)
    names = env.possible_agents

    async def together():
        seats = env.seats(others=dict.fromkeys(names[:given], "random"))
        assert list(seats) == names[given:]
        log = []
        rewards = await asyncio.gather(*[play(s, 5, log) for s in seats.values()])
        return dict(zip(seats, rewards, strict=True)), log

    rewards, log = asyncio.run(together())
    env.reset(seed=5)
    chats, replies, returns = {}, [], dict.fromkeys(names, 0.0)
    while env.to_act:
        now = {}
        for name in env.to_act:
            chat = chats.setdefault(name, gem_ma.chat.conversation.Conversation(name))
            now[name] = legal(env.turn(name, chat))
            chat.steps[-1].reply = now[name]
            replies.append((name, chat.steps[-1].text, now[name]))
        for name, reward in env.step_seats(now).items():
            returns[name] += reward
    assert sorted(log) == sorted(entry for entry in replies if entry[0] in rewards)
    for name, earned in rewards.items():
        assert sum(earned) == returns[name]


def test_a_second_episode_and_a_limit():
    async def two():
        seats = gem_ma.make("game:RockPaperScissors-v0", max_turns=2).seats({"right": "random"})
        lengths = [len(await play(seats["left"], seed)) for seed in (1, 2)]
        outcome = await seats["left"].reset(seed=1)
        first = await seats["left"].step("rock")
        second = await seats["left"].step("rock")
        return lengths, outcome, first, second

    lengths, outcome, first, second = asyncio.run(two())
    assert lengths == [2, 2]
    assert [message["role"] for message in outcome.messages] == ["system", "user"]
    assert [message["role"] for message in first.messages] == ["user"]
    assert (second.turn, second.terminated, second.truncated) == (None, False, True)


def test_what_others_earn_us_arrives_with_our_step():
    async def won():
        seats = gem_ma.make("game:TicTacToe-v0").seats()
        moves = {"x": "012", "o": "34"}

        async def one(name):
            outcome = await seats[name].reset(seed=0)
            for move in moves[name]:
                outcome = await seats[name].step(move)
            return outcome.reward, outcome.terminated

        return await asyncio.gather(one("x"), one("o"))

    assert asyncio.run(won()) == [(1.0, True), (-1.0, True)]


def test_invalid_replies_come_back_to_the_same_seat():
    async def stumble():
        x = gem_ma.make("game:TicTacToe-v0").seats({"o": "random"})["x"]
        await x.reset(seed=0)
        return await x.step("what?")

    outcome = asyncio.run(stumble())
    assert "Invalid" in outcome.turn.text
    assert outcome.info["invalid"]["count"] == 1


def test_a_seat_does_one_thing_at_a_time():
    async def hasty():
        x = gem_ma.make("game:TicTacToe-v0").seats()["x"]
        waiting = asyncio.create_task(x.reset(seed=0))
        await asyncio.sleep(0)
        try:
            await x.reset(seed=0)
        finally:
            waiting.cancel()

    with pytest.raises(gem_ma.SeatError, match="x still waits for its last call"):
        asyncio.run(asyncio.wait_for(hasty(), 5))

    async def early():
        await gem_ma.make("game:TicTacToe-v0").seats({"o": "random"})["x"].step("0")

    with pytest.raises(gem_ma.ResetNeeded):
        asyncio.run(early())


def test_who_leaves_takes_nobody_along_for_ever():
    async def leave(how):
        seats = gem_ma.make("game:TicTacToe-v0").seats()
        waiting = asyncio.create_task(seats["x"].reset(seed=0))
        await asyncio.sleep(0)
        if how == "leave":
            seats["o"].leave()
        else:
            other = asyncio.create_task(play(seats["o"], None))
            await asyncio.sleep(0.01)
            other.cancel()
        outcome = await waiting
        await seats["x"].step(outcome.turn.legal[0])

    for how in ("leave", "cancel"):
        with pytest.raises((SeatLeftError, gem_ma.ResetNeeded)):
            asyncio.run(asyncio.wait_for(leave(how), 5))


def test_wrong_uses_are_named():
    env = gem_ma.make("game:TicTacToe-v0")
    with pytest.raises(gem_ma.SeatError, match="no seat 'z'"):
        env.seats({"z": "random"})
    with pytest.raises(gem_ma.SeatError, match="others play all seats"):
        env.seats({"x": "random", "o": "random"})

    async def different():
        seats = env.seats()
        await asyncio.gather(seats["x"].reset(seed=1), seats["o"].reset(seed=2))

    with pytest.raises(gem_ma.SeatError, match="one seed and the same options"):
        asyncio.run(different())

    async def failing():
        def broken(turn):
            raise LookupError("no idea")

        await env.seats({"o": broken})["x"].reset(seed=1)
        await env.seats({"x": broken})["o"].reset(seed=1)

    with pytest.raises(LookupError, match="no idea"):
        asyncio.run(failing())


def test_a_number_outside_the_space_is_refused_and_nobody_else_hears_of_it():
    async def play_on():
        seats = gem_ma.make("game:RockPaperScissors-v0", actions="discrete").seats()
        left, right = seats.values()
        await asyncio.gather(left.reset(seed=1), right.reset())
        waits = asyncio.ensure_future(left.step(0))
        await asyncio.sleep(0)
        for number in (3, -1):
            with pytest.raises(
                ValueError, match=f"of right must be an int from 0 to 2, got {number}$"
            ):
                await right.step(number)
        assert not waits.done()
        return await asyncio.gather(waits, right.step(1))

    lost, won = asyncio.run(play_on())
    assert (lost.reward, won.reward) == (-won.reward, won.reward)
    assert won.reward > 0
