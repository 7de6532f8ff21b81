"""Wrappers: one put on once is seen in every view."""

import copy
import pickle

import pytest

import gem_ma
from gem_ma import SeatError, wrappers
from gem_ma.wrappers import RecordEpisodeStatistics, TextHistory, TimeLimit, Wrapper


def halve(agent, reward):
    return reward / 2


def shout(agent, text):
    return text.upper()


def translate(agent, reply):
    return {"links": "0", "rechts": "6"}.get(reply, reply)


def four_in_a_column(step):
    for action in "0101010":
        result = step(action)
    return result


def test_a_wrapper_shows_in_all_four_views():
    def wrapped():
        env = wrappers.TransformReward(gem_ma.make("game:ConnectFour-v0"), halve)
        env = wrappers.TransformAction(wrappers.TransformText(env, shout), translate)
        env.reset(seed=0)
        return env

    aec = wrapped()
    assert aec.last()[0]["text"].startswith("YOU ARE PLAYING")
    for action in ["links", "1", "links", "1", "links", "1", "links"]:
        aec.step(action)
    assert aec.rewards == {"red": 0.5, "yellow": -0.5}
    assert aec.last()[1] == 0.5

    parallel = wrapped().parallel()
    observations, _ = parallel.reset(seed=0)
    assert observations["red"]["text"].isupper()
    for action in ["links", "1", "links", "1", "links", "1", "links"]:
        _, rewards, _, _, _ = parallel.step(dict.fromkeys(parallel.agents, action))
    assert rewards == {"red": 0.5, "yellow": -0.5}

    seat = wrapped().gym(agent="red", others=lambda turn: "1" if turn.text.isupper() else "2")
    assert seat.reset(seed=0)[0].isupper()
    for _ in range(4):
        _, reward, terminated, _, _ = seat.step("links")
    assert (reward, terminated) == (0.5, True)

    turns = wrapped()
    assert turns.turn("red").text == turns.turn("red").text.upper()
    assert turns.step_seats({"red": "rechts"}) == {}


def test_attributes_are_read_live_and_private_ones_are_not_forwarded():
    env = Wrapper(gem_ma.make("game:ConnectFour-v0"))
    env.reset(seed=0)
    env.step("3")
    assert env.turns == 1
    assert env.to_act == ("yellow",)
    assert env.unwrapped is env.env
    assert env.agents is env.env.agents
    with pytest.raises(AttributeError, match="_spec"):
        _ = env._spec
    with pytest.raises(AttributeError, match="nonsense"):
        _ = env.nonsense
    assert repr(env) == "<Wrapper <Env game:ConnectFour-v0>>"
    assert str(env) == "game:ConnectFour-v0"


def test_wrappers_copy_pickle_and_fork_with_what_they_remember():
    env = TimeLimit(RecordEpisodeStatistics(TextHistory(gem_ma.make("game:ConnectFour-v0"))), 9)
    env.reset(seed=0)
    env.step("3")
    env.step("4")
    kept = env.snapshot()
    forks = [*env.fork(2), copy.copy(env), copy.deepcopy(env), pickle.loads(pickle.dumps(env))]
    for fork in forks:
        assert fork.observe("red") == env.observe("red")
        fork.step("5")
        assert fork.env.memory["red"] == (0.0, 2)
        assert fork.turns == 3
    assert env.turns == 2
    assert env.env.memory["red"] == (0.0, 1)
    text = env.observe("red")
    env.step("0")
    env.restore(kept)
    assert env.observe("red") == text
    with pytest.raises(ValueError, match="expected a snapshot of"):
        env.restore(env.unwrapped.snapshot())


def test_track():
    env = RecordEpisodeStatistics(gem_ma.make("game:ConnectFour-v0"))
    env.reset(seed=0)
    assert "episode" not in env.last()[4]
    four_in_a_column(env.step)
    assert env.infos["red"]["episode"] == {"return": 1.0, "replies": 4, "turns": 7}
    assert env.infos["yellow"]["episode"] == {"return": -1.0, "replies": 3, "turns": 7}


def test_time_limit_truncates_in_every_view():
    env = TimeLimit(gem_ma.make("game:ConnectFour-v0"), 2)
    env.reset()
    env.step("0")
    env.step("0")
    assert env.truncations == {"red": True, "yellow": True}
    assert env.agent_selection == "red"
    parallel = TimeLimit(gem_ma.make("game:RockPaperScissors-v0"), 2).parallel()
    parallel.reset()
    for _ in range(2):
        results = parallel.step({"left": "rock", "right": "rock"})
    assert results[3] == {"left": True, "right": True}
    assert parallel.agents == []
    seat = TimeLimit(gem_ma.make("game:GuessTheNumber-v0"), 1).gym()
    seat.reset(seed=0)
    assert seat.step("1")[2:4] == (False, True)
    with pytest.raises(ValueError, match="max_turns=0"):
        TimeLimit(env, 0)


def test_scale_and_clip():
    env = wrappers.ScaleReward(gem_ma.make("game:ConnectFour-v0"), 10)
    env.reset()
    four_in_a_column(env.step)
    assert env.rewards == {"red": 10.0, "yellow": -10.0}
    env = wrappers.ClipReward(env, 0, 3)
    env.reset()
    four_in_a_column(env.step)
    assert env.rewards == {"red": 3.0, "yellow": 0.0}
    with pytest.raises(ValueError, match="expected low <= high"):
        wrappers.ClipReward(env, 1, 0)


def charge(seat, reward):
    return reward - 0.25


def test_a_reward_of_zero_is_transformed_too():
    seat = wrappers.TransformReward(gem_ma.make("game:GuessTheNumber-v0"), charge).gym()
    seat.reset(seed=0)
    assert [seat.step(reply)[1] for reply in ("21", "20", "19")] == [-0.25] * 3
    env = wrappers.TransformReward(gem_ma.make("game:ConnectFour-v0"), charge)
    assert [row.reward for row in gem_ma.rollout(env, "random", 1, seed=0)[0].steps[:4]] == [
        -0.25
    ] * 4
    env.reset(seed=0)
    four_in_a_column(env.step)
    assert env.rewards == {"red": 0.75, "yellow": -1.25}
    both = gem_ma.make("game:RockPaperScissors-v0")
    for wrapped in (wrappers.TransformReward(both, charge), wrappers.ClipReward(both, -2.0, -0.25)):
        parallel = wrapped.parallel()
        parallel.reset(seed=0)
        rewards = parallel.step({"left": "rock", "right": "rock"})[1]
        assert rewards == {"left": -0.25, "right": -0.25}


def guesses(**options):
    env = TextHistory(gem_ma.make("game:GuessTheNumber-v0-easy"), **options)
    seat = env.gym()
    seat.reset(seed=3)
    seat.step("1")
    return env, seat, seat.step("2")[0]


def test_history_with_actions_holds_everything_once():
    env, _, text = guesses()
    rules = env.rules("player")
    assert text.count(rules) == 1
    parts = text.split("\n\n")
    assert parts[0] == rules
    assert parts[2] == "1"
    assert parts[4] == "2"
    assert parts[-1] == env.env.observe("player")["text"]
    assert len(parts) == 6


def test_plain_history_and_a_window():
    _, _, text = guesses(mode="plain")
    assert len(text.split("\n\n")) == 4
    env, _, text = guesses(last=1)
    parts = text.split("\n\n")
    assert len(parts) == 4
    assert parts[0] == env.rules("player")
    assert parts[2] == "2"
    _, _, text = guesses(last=0)
    assert len(text.split("\n\n")) == 2


class Tokenizer:
    """The one method of a tokenizer that is used; a real one is used where the agents are."""

    def apply_chat_template(self, messages, tokenize, add_generation_prompt):
        assert not tokenize
        assert add_generation_prompt
        return "".join(f"<{m['role']}>{m['content']}" for m in messages) + "<assistant>"


def test_history_as_a_chat():
    env, seat, text = guesses(mode="chat", tokenizer=Tokenizer())
    assert text.startswith(f"<system>{env.rules('player')}<user>The number is between 1 and 10.")
    assert "<assistant>1<user>" in text
    assert text.endswith("<assistant>")
    assert seat.observation_space.contains(text)


def test_history_with_pictures_stands_in_the_info():
    env = TextHistory(gem_ma.make("game:ConnectFour-v0", observe="image"))
    env.reset()
    env.step("3")
    assert "You are playing" in env.infos["yellow"]["text"]
    assert list(env.observe("yellow")) == ["image"]
    env.step("4")
    assert "red: 3\nyellow: 4" in env.infos["red"]["text"]
    assert env.observation_space("red").contains(env.observe("red"))


def test_history_makes_no_sense_of_numbers():
    with pytest.raises(SeatError, match="TextHistory needs texts"):
        TextHistory(gem_ma.make("game:ConnectFour-v0", actions="discrete"))
    env = gem_ma.make("game:ConnectFour-v0")
    with pytest.raises(ValueError, match="mode='all'"):
        TextHistory(env, "all")
    with pytest.raises(ValueError, match="mode='chat' needs a tokenizer"):
        TextHistory(env, "chat")
    with pytest.raises(ValueError, match="mode='chat' needs a tokenizer"):
        TextHistory(env, "plain", tokenizer=Tokenizer())
    with pytest.raises(ValueError, match="last=-1"):
        TextHistory(env, last=-1)


def test_a_history_does_not_grow_with_a_bad_reply():
    env = TextHistory(gem_ma.make("game:ConnectFour-v0"))
    env.reset()
    env.step("x" * 1_000_000)
    assert len(env.observe("red")["text"]) < 5_000
