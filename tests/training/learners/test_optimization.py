"""Steps that are skipped, weights that are never saved broken, and copies that hold no more."""

import copy
import gc
import json
import math

import numpy as np
import pytest
from needed import Later, needed

from gem_ma import rollout
from gem_ma.training.advantages import rebn
from gem_ma.training.callbacks import BestCheckpoint, TrainingCollapsed
from gem_ma.training.selfplay import OpponentPool
from gem_ma.training.selfplay_opponent import SelfPlayOpponent

torch = needed("torch", install="'gem-ma[hf]'")
needed("transformers", install="'gem-ma[hf]'")
tiny_models, learning = Later("tiny_models"), Later("gem_ma.training.learners.hf_learner")

from gem_ma.training.checkpoint import load_checkpoint
from gem_ma.training.learners.menu_learner import MenuLearner
from gem_ma.training.learners.optimization import PolicyOptimizer, copy_network
from gem_ma.training.reference_trainer import SeatTrajectory, Trainer

SAME_TIME = "game:RockPaperScissors-v0"
RPS = ("rock", "paper", "scissors")
KINDS = ["model", "critic", "mixed", "lora", "menu"]
peft_warnings = pytest.mark.filterwarnings(
    # peft 0.21 asks transformers 5.23 for what it calls by another name now.
    "ignore:`is_gradient_checkpointing` is deprecated:FutureWarning"
)


pytestmark = pytest.mark.usefixtures("one_thread")


@pytest.fixture(scope="module")
def tokenizer():
    return tiny_models.tokenizer()


def learner(kind, tokenizer, **settings):
    settings = {"epochs": 1, **settings}
    if kind == "menu":
        torch.manual_seed(0)
        network = torch.nn.Linear(1, 3)
        settings.pop("kl", None)
        settings = {"lr": 0.05, **settings}
        read = lambda messages: (np.ones(1, np.float32), RPS)  # noqa: E731
        return MenuLearner(network, read, **settings)
    model = tiny_models.llm(tokenizer)
    settings = {"lr": 1e-3, "max_new_tokens": 3, **settings}
    if kind == "lora":
        pytest.importorskip("peft", reason="pip install peft")
        model = learning.add_lora_adapters(model, ["one", "two"], r=2, target_modules=["q_proj"])
        settings["adapter"] = "one"
    if kind == "critic":
        settings["critic"] = 0.5
    if kind == "mixed":
        settings["precision"] = "mixed"
    return learning.HFLearner(model, tokenizer, **settings)


def played(player, worth=1.0):
    episodes = rollout(SAME_TIME, player, 2, seed=3, invalid="random", rounds=2)
    return [
        SeatTrajectory(e, s, [worth] * len(e.chat(s).steps), [0.5] * len(e.chat(s).steps))
        for e in episodes
        for s in e.agents
    ]


def unlikely(parts):
    """Return the same play, as if its tokens had been next to impossible when they were drawn."""
    for part in parts:
        for step in part.episode.steps:
            step.reply.logprobs = [-200.0] * len(step.reply.token_ids)
    return [part._replace(advantages=[-1.0] * len(part.advantages)) for part in parts]


def state(player):
    """Return weights and optimiser as lists."""
    saved = player.policy_optimizer.state_dict()
    return plain({"weights": saved["parameters"], "optimizer": saved["optimizer"]})


def plain(value):
    if isinstance(value, dict):
        return {key: plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [plain(one) for one in value]
    return value.tolist() if isinstance(value, torch.Tensor) else value


@peft_warnings
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("cause", ["nan", "inf", "ratio"])
def test_a_batch_that_is_not_finite_changes_nothing_and_is_counted(tokenizer, kind, cause):
    player = learner(kind, tokenizer, epochs=2)
    assert player.update(played(player))["skipped"] == 0
    before, good = state(player), played(player)
    parts = played(player)
    bad = (
        unlikely(parts)
        if cause == "ratio"
        else [part._replace(advantages=[float(cause)] * len(part.advantages)) for part in parts]
    )
    told = player.update(bad)
    assert told["skipped"] == 2
    assert all(math.isfinite(value) for value in told.values())
    assert state(player) == before
    row = player.update(good)
    assert row["skipped"] == 0
    assert math.isfinite(row["loss"])
    assert state(player)["weights"] != before["weights"]


@pytest.mark.parametrize("kind", ["model", "menu"])
def test_only_the_step_that_is_not_finite_is_left_out(tokenizer, kind):
    player = learner(kind, tokenizer, minibatch=1)
    parts = played(player)
    if kind == "model":  # a sample is a part, in a menu a turn is
        parts[2] = parts[2]._replace(advantages=[math.nan] * len(parts[2].advantages))
    else:
        parts[2] = parts[2]._replace(advantages=[math.nan, 1.0])
    before = state(player)["weights"]
    told = player.update(parts)
    assert told["skipped"] == 1
    assert all(math.isfinite(value) for value in told.values())
    after = state(player)["weights"]
    assert after != before
    assert np.isfinite([number for one in after.values() for number in np.ravel(one)]).all()


@pytest.mark.parametrize("kind", ["model", "menu"])
def test_several_such_updates_in_a_row_end_it_by_name(tokenizer, kind):
    player = learner(kind, tokenizer, epochs=2)
    good = played(player)
    bad = [part._replace(advantages=[math.nan] * 2) for part in good]
    for parts in (bad, bad, good, bad):  # what can be learnt from in between begins anew
        player.update(parts)
    again = learner(kind, tokenizer, epochs=2)
    again.load_state_dict(player.state_dict())
    again.update(bad)  # it goes on counting where it was stopped
    before = state(again)
    with pytest.raises(TrainingCollapsed, match="3 updates in a row had gradients that are not"):
        again.update(bad)
    assert state(again) == before


def trainer(player, advantages=rebn, **settings):
    rules = {"invalid": "random", "rounds": 2}
    agents = {"left": player, "right": "random"}
    return Trainer(SAME_TIME, agents, advantages, episodes=4, rollout=rules, **settings)


class Spoilt:
    """Judge turns as ReBN does, but for some updates."""

    def __init__(self, *updates):
        self.updates = updates
        self.calls = 0

    def __call__(self, rows):
        self.calls += 1
        return rebn(rows) * (math.nan if self.calls - 1 in self.updates else 1.0)


@pytest.mark.parametrize("kind", ["model", "menu"])
def test_a_run_goes_on_after_one_and_ends_after_several(tokenizer, kind, tmp_path):
    path = tmp_path / "checkpoint.pt"
    made = trainer(learner(kind, tokenizer), Spoilt(1, 3, 4, 5))
    checkup = BestCheckpoint("return/left", tmp_path / "best.pt", drop=math.inf)
    with pytest.raises(TrainingCollapsed, match="3 updates in a row"):
        made.run(9, path, every=1, after=checkup)
    assert [row["skipped/left"] for row in made.history] == [0, 1, 0, 1, 1]
    rows = [json.loads(line) for line in (tmp_path / "history.jsonl").read_text().splitlines()]
    assert rows == made.history
    for name in ("checkpoint.pt", "best.pt"):
        weights = load_checkpoint(tmp_path / name)["agents"]["left"]["descent"]["parameters"]
        assert all(torch.isfinite(one).all() for one in weights.values())
    again = trainer(learner(kind, tokenizer), Spoilt())  # with the cause mended, it goes on
    assert len(again.run(7, path)) == 7
    assert again.history[-1]["skipped/left"] == 0


@pytest.mark.parametrize("kind", ["model", "menu"])
def test_broken_weights_are_not_saved(tokenizer, kind, tmp_path):
    path = tmp_path / "checkpoint.pt"
    player = learner(kind, tokenizer)
    made = trainer(player)
    made.run(1, path)
    whole = path.read_bytes()
    name, weight = list(player.policy_optimizer.parameters.items())[-1]
    with torch.no_grad():
        weight.view(-1)[0] = math.inf
    for save in (lambda: made.save(path), lambda: player.make_snapshot().state_dict()):
        with pytest.raises(TrainingCollapsed, match=f"{name} has weights that are not finite"):
            save()
    assert path.read_bytes() == whole
    assert [one.name for one in tmp_path.glob("*.pt*")] == ["checkpoint.pt"]


@pytest.mark.parametrize("kind", ["bfloat16", "float16"])
def test_weights_that_learn_are_never_of_half_precision(kind):
    settings = {"lr": 0.1, "clip": 0.2, "epochs": 1, "minibatch": None, "max_norm": 1.0, "seed": 0}
    weights = {"first": torch.zeros(2), "second": torch.zeros(2, dtype=getattr(torch, kind))}
    with pytest.raises(ValueError, match=f"second is torch.{kind}, which loses small steps"):
        PolicyOptimizer(weights, **settings)


def live_tensors():
    """Return the bytes of all tensors that there are, by where they lie."""
    gc.collect()
    tensors = [one for one in gc.get_objects() if issubclass(type(one), torch.Tensor)]
    stores = [one.untyped_storage() for one in tensors]
    return {one.data_ptr(): one.nbytes() for one in stores}


def count_new_bytes(before):
    return sum(size for place, size in live_tensors().items() if place not in before)


@peft_warnings
@pytest.mark.parametrize("kind", KINDS)
def test_a_pool_of_copies_holds_weights_alone_and_no_more_than_are_drawn(tokenizer, kind):
    player = learner(kind, tokenizer, kl=0.1)
    player.update(played(player))  # so that the optimiser has something to remember
    rivals = SelfPlayOpponent(player, OpponentPool({"random": "random"}), latest=4)
    learnt = player.policy_optimizer.parameters.items()
    weights = {name: one for name, one in learnt if "critic" not in name}
    size = sum(one.nbytes for one in weights.values())
    before = live_tensors()
    add_copy = rivals.copy_every(1)
    for step in range(1, 8):
        rivals.seed = step
        played(rivals)
        add_copy(type("Trainer", (), {"step": step}))
    rivals.seed = 99  # the next update draws others
    assert rivals.opponents.names == ("update 4", "update 5", "update 6", "update 7", "learner")
    assert rivals.pool.names == ("random", "update 4", "update 5", "update 6", "update 7")
    assert size * 4 <= count_new_bytes(before) < size * 4.2
    saved = rivals.state_dict()["agents"]["update 7"]
    assert saved.keys() == {"parameters", "seed"}
    assert saved["parameters"].keys() == weights.keys()


@peft_warnings
@pytest.mark.parametrize("kind", KINDS)
def test_a_copy_plays_as_the_learner_did_and_goes_on_from_any_state(tokenizer, kind):
    player = learner(kind, tokenizer, lr=0.05)
    player.update(played(player))

    def texts(agent):
        return [
            (step.reply, step.reply.logprobs)
            for part in played(agent)
            for step in part.episode.steps
        ]

    before = texts(player)
    copied, old_state = player.make_snapshot(), player.state_dict()
    pool = OpponentPool({"old": player})
    again = OpponentPool({"same": pool.agents["old"]})
    for _ in range(3):
        player.update(played(player))
    assert texts(player) != before
    assert texts(copied) == texts(pool.agents["old"]) == texts(again.agents["same"]) == before
    fresh = learner(kind, tokenizer, lr=0.05)
    # A checkpoint of before held whole learners.
    for saved in (pool.state_dict(), {"agents": {"old": old_state}, "decay": 1.0, "scores": []}):
        other = OpponentPool()
        other.load_state_dict(saved, fresh)
        assert texts(other.agents["old"]) == before
    with pytest.raises(ValueError, match=r"the checkpoint lacks .* same model and adapter"):
        copied.load_state_dict({"parameters": {}, "seed": 0})


def test_what_a_network_learns_while_it_is_used_is_copied_too():
    """Means of batches are no weights; in eval mode they stay as they are."""
    network = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.BatchNorm1d(2))
    network[0].requires_grad_(False)
    for training in (True, False):
        other = copy_network(network.train(training), network[1].parameters())
        assert other[0].weight is network[0].weight
        assert other[1].weight is not network[1].weight
        assert (other[1].running_mean is network[1].running_mean) == (not training)


def test_what_was_given_to_a_pool_stays_in_it(tokenizer):
    first, player = learner("menu", tokenizer), learner("menu", tokenizer)
    rivals = SelfPlayOpponent(player, OpponentPool({"first": first}), latest=2)
    for step in (1, 2, 3):
        rivals.copy_every(1)(type("Trainer", (), {"step": step}))
    assert rivals.pool.names == ("first", "update 2", "update 3")
    state = copy.deepcopy(rivals.state_dict())
    state["agents"] = {"update 0": state["agents"]["first"], **state["agents"]}  # of before
    rivals.load_state_dict(state)
    assert rivals.pool.names == ("first", "update 2", "update 3")
    rivals.pool.remove("first")
    with pytest.raises(ValueError, match=r"no agent 'first' in the pool; .* update 2, update 3"):
        rivals.pool.remove("first")
