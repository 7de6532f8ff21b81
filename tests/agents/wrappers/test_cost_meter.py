"""What replies cost: in records, in a limit that ends a run, and in one that continues."""

import pickle

import pytest

import gem_ma
from gem_ma.agents import CostMeter, FunctionAgent
from gem_ma.agents.wrappers.agent_wrapper import sum_usage
from gem_ma.agents.wrappers.cost_meter import CostLimitReached, find_model_name, price_tokens
from gem_ma.chat.agent import ask_agent

KUHN = "game:KuhnPoker-v0"
USAGE = {"prompt_tokens": 1000, "completion_tokens": 10}
PRICE = (1.0, 100.0)  # a reply costs 0.002


class Model:
    """An agent with a model, whose replies have tokens; it counts what it is asked."""

    model = "small"

    def __init__(self, usage=USAGE, cached=None):
        self.usage, self.cached, self.asked = usage, cached, 0

    def act(self, turns):
        self.asked += len(turns)
        return [gem_ma.Reply(turn.legal[0], usage=self.usage, cached=self.cached) for turn in turns]

    def __repr__(self):
        return "Model()"


class AsyncModel(Model):
    async def act(self, turns):
        return super().act(turns)


class BlockingModel(Model):
    blocking = True


def play(agent, count=10, **options):
    return gem_ma.rollout(KUHN, [agent, "random"], count, seed=0, concurrency=1, **options)


def list_moves(episode):
    return [(step.agent, step.move) for step in episode.steps]


def test_prices_are_for_a_million_tokens():
    assert price_tokens((1_000_000, 0), (3.0, 15.0)) == 3.0
    assert price_tokens((1000, 10), PRICE) == pytest.approx(0.002)


@pytest.mark.parametrize("kind", [Model, AsyncModel, BlockingModel])
def test_costs_are_in_replies_and_in_records(kind, tmp_path):
    meter = CostMeter()
    agent = meter.wrap(kind(), PRICE)
    episodes = play(agent, 3, out=tmp_path / "a.jsonl")
    assert episodes[0].agents["first"] == "Model()"  # as without a meter
    own = [step.reply for one in episodes for step in one.steps if step.agent == "first"]
    assert [reply.cost for reply in own] == pytest.approx([0.002] * len(own))
    assert meter.spent == pytest.approx(0.002 * len(own))
    read = gem_ma.load_episodes(tmp_path / "a.jsonl")
    costs = [getattr(step.reply, "cost", None) for one in read for step in one.steps]
    assert [cost for cost in costs if cost is not None] == [reply.cost for reply in own]
    again = CostMeter()
    for episode in gem_ma.load_episodes(tmp_path / "a.jsonl"):
        again.add_steps(episode.steps)
    assert again.spent == pytest.approx(meter.spent)


def test_a_reply_of_a_cache_has_a_price_and_costs_nothing(tmp_path):
    meter = CostMeter(limit=0.001)
    episodes = play(meter.wrap(Model(cached=True), PRICE), 3, out=tmp_path / "a.jsonl")
    assert meter.spent == 0
    assert len(episodes) == 3
    read = list(gem_ma.load_episodes(tmp_path / "a.jsonl"))
    assert read[0].steps[0].reply.cost == pytest.approx(0.002)
    assert read[0].steps[0].reply.cached is True


@pytest.mark.parametrize("kind", [Model, AsyncModel, BlockingModel])
@pytest.mark.parametrize("workers", [None, 1])
def test_a_limit_ends_a_run_that_continues_later(kind, workers, tmp_path):
    out, whole = tmp_path / "a.jsonl", play(Model())
    model = kind()
    with pytest.raises(CostLimitReached, match=r"max_cost=0\.01 is reached.* cost 0\.0100") as stop:
        play(CostMeter(0.01).wrap(model, PRICE), out=out, workers=workers)
    assert model.asked == 5  # at 0.002
    episodes = list(gem_ma.load_episodes(out))
    assert 1 < len(episodes) < 10
    assert [one.number for one in stop.value.episodes] == sorted(one.number for one in episodes)
    assert not any(one.failure for one in episodes)
    meter = CostMeter(0.006)
    for episode in episodes:  # what the file has counts
        meter.add_steps(episode.steps)
    with pytest.raises(CostLimitReached):
        play(meter.wrap(model, PRICE), out=out, resume=True)
    assert model.asked == 5
    done = play(CostMeter(1.0).wrap(model, PRICE), out=out, resume=True, workers=workers)
    assert [list_moves(one) for one in done] == [list_moves(one) for one in whole]


def test_many_at_once_stop_too(tmp_path):
    model = AsyncModel()
    agents = [CostMeter(0.1).wrap(model, PRICE), "random"]
    with pytest.raises(CostLimitReached) as stop:
        gem_ma.rollout(KUHN, agents, 500, seed=0, concurrency=16)
    assert 50 <= model.asked <= 66  # and what was on its way
    assert 10 < len(stop.value.episodes) < 66


def test_a_model_that_does_not_count_tokens_cannot_have_a_limit():
    turn = one_turn()
    assert ask_agent(CostMeter().wrap(Model({}), PRICE), [turn])[0].cost == 0
    with pytest.raises(ValueError, match=r"does not report the tokens.*max_cost=5"):
        ask_agent(CostMeter(5.0).wrap(Model({}), PRICE), [turn])
    assert ask_agent(CostMeter(5.0).wrap("random", PRICE), [turn])  # is no model
    for limit in (0, -1, float("nan"), float("inf")):
        with pytest.raises(ValueError, match="expected a number above 0"):
            CostMeter(limit)


def one_turn():
    env = gem_ma.make(KUHN)
    env.reset(seed=0)
    return env.turn("first")


def test_what_stays_of_the_agent_inside():
    meter = CostMeter()
    wrapped = meter.wrap("search:depth=2")
    assert repr(wrapped) == "search:depth=2"
    assert wrapped.prefers_single_turns
    assert not hasattr(wrapped, "portable")  # its costs are added up in this process
    assert repr(meter.wrap("openai:m@http://me:word@127.0.0.1:1/v1")) == (
        "openai:m@http://127.0.0.1:1/v1"
    )
    assert repr(meter.wrap(Model(), name="mine")) == "mine"
    assert find_model_name(meter.wrap(Model())) == "small"
    assert find_model_name(FunctionAgent(len)) == ""
    with pytest.raises(TypeError, match="in another; play with workers=N"):
        pickle.dumps(wrapped)


def test_calls_of_one_reply_add_up():
    priced = gem_ma.Reply("check", usage=USAGE, cost=0.5, latency=1.0, cached=True)
    whole = sum_usage([priced, priced, "plain"], gem_ma.Reply("check"))
    assert (whole.cost, whole.latency, whole.cached) == (1.0, 2.0, None)
    assert whole.usage == {"prompt_tokens": 2000, "completion_tokens": 20}
    assert sum_usage([priced, priced], gem_ma.Reply("check")).cached is True
    assert sum_usage(["plain"], gem_ma.Reply("check")).cost is None
