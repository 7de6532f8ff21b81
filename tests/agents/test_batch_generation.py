"""Replies of a model that reads nothing twice are those of one that reads whole chats."""

import copy
import inspect

import packs
import pytest
from needed import Later, needed

from gem_ma import Turn, rollout
from gem_ma.agents import HFAgent, MixtureAgent
from gem_ma.chat.conversation import Conversation

selfplay = Later("gem_ma.training.selfplay")
selfplay_opponent = Later("gem_ma.training.selfplay_opponent")

torch = needed("torch", install="'gem-ma[hf]'")
needed("transformers", install="'gem-ma[hf]'")
tiny_models = Later("tiny_models")

TWO = "game:TicTacToe-v0"


class Read:
    """A forward of a model that counts the tokens which it was given, padding included."""

    def __init__(self, model):
        self.forward, self.tokens, self.calls = model.forward, 0, 0
        self.__signature__ = inspect.signature(model.forward)

    def __call__(self, *args, **inputs):
        self.tokens += inputs["input_ids"].numel()
        self.calls += 1
        return self.forward(*args, **inputs)


@pytest.fixture(scope="module")
def text():
    tokenizer = tiny_models.tokenizer()
    return tiny_models.llm(tokenizer), tokenizer


def counted(text, **kwargs):
    model = copy.copy(text[0])
    agent = HFAgent(model, text[1], max_new_tokens=8, **kwargs)
    model.forward = Read(text[0])
    return agent, model.forward


def played(agent, envs=TWO, count=12, **kwargs):
    given = {"seed": 3, "invalid": "random", "progress": False, "concurrency": 8}
    return rollout(envs, agent, count, **{**given, **kwargs})


def replies(episodes):
    return [(str(s.reply), s.reply.token_ids) for e in episodes for s in e.steps]


@pytest.mark.parametrize("attention", ["eager", "sdpa", "eager, by columns", "sdpa, by columns"])
def test_short_and_long_chats_in_one_batch(attention):
    tokenizer = tiny_models.tokenizer()
    model = tiny_models.llm(tokenizer)
    model.set_attn_implementation(attention.split(",")[0])
    agent = HFAgent(model, tokenizer, max_new_tokens=6)
    plain = HFAgent(model, tokenizer, max_new_tokens=6)
    plain._generator = False
    assert agent._find_generator().shape.wide
    if "columns" in attention:  # as for those that make their own mask
        agent._generator.shape = agent._generator.shape._replace(wide=False)
    model.forward = read = Read(model)
    for lengths in ([1, 2, 60, 1, 500, 40], [1, 30, 45], [3]):
        turns = [
            Turn(f"seat {n}", "Be short.", {"text": "x " * n}, "x " * n, seed_numbers=(n,))
            for n in lengths
        ]
        expected = plain.act(turns)
        needed = sum(reply.usage["prompt_tokens"] for reply in expected)
        read.tokens = 0
        said = agent.act(turns)
        assert read.tokens <= 1.5 * needed + 6 * len(turns)
        assert [reply.token_ids for reply in said] == [reply.token_ids for reply in expected]
        for one, same in zip(said, expected, strict=True):
            assert one.logprobs == pytest.approx(same.logprobs, abs=1e-4)


@pytest.mark.parametrize("attention", ["eager", "sdpa"])
@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_half_precision_gives_numbers_beside_padding(attention, dtype):
    tokenizer = tiny_models.tokenizer()
    model = tiny_models.llm(tokenizer).to(getattr(torch, dtype))
    model.set_attn_implementation(attention)
    agent = HFAgent(model, tokenizer, max_new_tokens=6)
    assert agent._find_generator().shape.wide
    turns = [Turn("x", "", {"text": "x " * n}, "x " * n, seed_numbers=(n,)) for n in (1, 40, 60)]
    for reply in agent.act(turns):
        assert all(-20 < number <= 0 for number in reply.logprobs)


@pytest.mark.parametrize("batch_size", [1, 5, 64])
def test_what_is_kept_changes_no_reply(text, batch_size):
    kept, read = counted(text, batch_size=batch_size)
    fresh, again = counted(text, cache=0, batch_size=batch_size)
    plain = HFAgent(*text, max_new_tokens=8, batch_size=batch_size)
    plain._generator = False  # transformers' own generate
    envs = [TWO, "game:RockPaperScissors-v0"]
    expected = played(plain, envs)
    for agent in (kept, fresh):
        episodes = played(agent, envs)
        assert replies(episodes) == replies(expected)
        for one, other in zip(episodes, expected, strict=True):
            for step, same in zip(one.steps, other.steps, strict=True):
                assert step.reply.logprobs == pytest.approx(same.reply.logprobs, abs=1e-4)
    assert 4 * read.tokens < again.tokens


def test_little_room_keeps_little_and_changes_no_reply(text):
    expected = played(HFAgent(*text, max_new_tokens=8, cache=0))
    agent = HFAgent(*text, max_new_tokens=8, cache=200_000)
    held = []

    class Watched:
        def act(self, turns):
            said = agent.act(turns)
            held.append(sum(kept.nbytes for kept in agent._generator._kept.values()))
            assert held[-1] == agent._generator._size
            return said

    assert replies(played(Watched())) == replies(expected)
    assert 0 < max(held) <= 200_000


@packs.needs("training")
def test_a_rollout_leaves_nothing_behind(text):
    agent = HFAgent(*text, max_new_tokens=8)
    pool = selfplay.OpponentPool({"other": "random"})
    rivals = selfplay_opponent.SelfPlayOpponent(agent, pool, mirror=0.5)
    for player in (agent, MixtureAgent([agent, "random"]), rivals):
        played(player)
        assert agent._generator._kept == agent._generator._shared == {}
        assert agent._generator._size == 0


def test_what_is_kept_of_a_chat_is_its_last_turn(text):
    agent = HFAgent(*text, max_new_tokens=8)
    most = []

    class Watched:
        def act(self, turns):
            said = agent.act(turns)
            most.append(len(agent._generator._kept))
            return said

    episodes = played(Watched(), "game:RockPaperScissors-v0", rounds=5)
    assert all(len(episode.steps) == 10 for episode in episodes)
    assert max(most) <= 24  # chats


def test_other_weights_read_everything_again(text):
    model = copy.deepcopy(text[0])
    agent = HFAgent(model, text[1], max_new_tokens=8)
    before = replies(played(agent))
    with torch.no_grad():
        for one in model.parameters():
            one.mul_(1.3)
    after = replies(played(agent))
    assert after == replies(played(HFAgent(model, text[1], max_new_tokens=8, cache=0)))
    assert after != before


def test_a_copy_has_read_nothing(text):
    agent = HFAgent(*text, max_new_tokens=8)
    expected = replies(played(agent))
    agent.act([Turn("x", "Be short.", {"text": "Hello"}, "Hello")])
    twin = copy.deepcopy(agent)
    assert agent._generator._kept
    assert not twin._generator._kept
    assert twin._generator.model is twin.model
    assert replies(played(twin)) == expected


def test_a_turn_that_is_asked_again_and_forks_of_a_chat(text):
    agent, _ = counted(text)
    episode = played(agent, count=1)[0]
    seat = episode.steps[0].agent
    turns = [turn_of(episode, seat, index) for index in (1, 1, 2, 1)]
    alone = [HFAgent(*text, max_new_tokens=8, cache=0).act([turn])[0] for turn in turns]
    assert agent.act(turns) == alone
    assert [agent.act([turn])[0] for turn in turns] == alone


def turn_of(episode, seat, index):
    """Return the turn that a seat had at its step `index`."""
    chat = Conversation(seat, rules=episode.chat(seat).rules)
    chat.steps = list(episode.chat(seat).steps[: index + 1])
    return Turn(seat, chat.rules, {}, "", seed_numbers=(7,), chat=chat, index=index)


def test_a_reply_ends_where_it_holds_what_stops_it(text):
    plain = HFAgent(*text, max_new_tokens=40)
    episodes = played(plain, count=8)
    long = next(s.reply for e in episodes for s in e.steps if len(s.reply.token_ids) > 20)
    mark = next(c for c in str(long)[5:] if str(long).count(c) == 1)
    for cache in (1 << 20, 0):
        agent = HFAgent(*text, max_new_tokens=40, stop=[mark], cache=cache)
        again = next(
            s.reply for e in played(agent, count=8) for s in e.steps if mark in str(s.reply)
        )
        assert str(again).count(mark) == 1
        assert str(again).endswith(mark)
        assert again.finish_reason == "stop"
        assert len(again.logprobs) == len(again.token_ids)
    generated = HFAgent(*text, max_new_tokens=40, stop=[mark])
    generated._generator = False
    assert replies(played(generated, count=8)) == replies(played(agent, count=8))
    with pytest.raises(TypeError, match="expected a list of texts"):
        HFAgent(*text, stop="x")


def test_a_model_of_another_kind_reads_whole_chats():
    tokenizer = tiny_models.tokenizer()
    model = tiny_models.llm(tokenizer)
    config = copy.deepcopy(model.config)
    config.use_sliding_window, config.sliding_window = True, 64
    config.layer_types = ["sliding_attention"] * config.num_hidden_layers
    windowed = type(model)(config).eval()
    agent = HFAgent(windowed, tokenizer, max_new_tokens=4)
    assert played(agent, count=2)
    assert agent._generator is False
    sees = HFAgent(*tiny_models.llava(), max_new_tokens=4)
    assert played(sees, count=1, observe="image")
    assert sees._generator is False
