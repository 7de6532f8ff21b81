"""The learner of a model: its ratios, gradients, updates, critic, rates and algorithms."""

import copy
import dataclasses
import functools
import math

import numpy as np
import pytest
from needed import Later, needed

from gem_ma import make, rollout
from gem_ma.agents import HFAgent
from gem_ma.training import build_samples
from gem_ma.training.advantages import build_turn_table, compute_returns, grpo, ppo, rebn, rloo

torch = needed("torch", install="'gem-ma[hf]'")
needed("transformers", install="'gem-ma[hf]'")
tiny_models, loop = Later("tiny_models"), Later("gem_ma.training.reference_trainer")
learning, pretraining = (
    Later("gem_ma.training.learners.hf_learner"),
    Later("gem_ma.training.pretraining"),
)

from gem_ma.training.learners.optimization import make_cosine_schedule

TWO = "game:TicTacToe-v0"
SAME_TIME = "game:RockPaperScissors-v0"


pytestmark = pytest.mark.usefixtures("one_thread")


@pytest.fixture(scope="module")
def tokenizer():
    return tiny_models.tokenizer()


@pytest.fixture(scope="module", params=["qwen2-vl", "llava"])
def sight(request):
    if request.param == "llava":
        return tiny_models.llava()
    processor = tiny_models.vlm_processor()
    return tiny_models.vlm(processor), processor


def learner(tokenizer, seed=0, **kwargs):
    return learning.HFLearner(
        tiny_models.llm(tokenizer, seed=seed),
        tokenizer,
        **{"lr": 1e-3, "max_new_tokens": 3, **kwargs},
    )


def weights(one):
    return {name: p.detach().clone() for name, p in one.policy_optimizer.parameters.items()}


def check_ratios(player, episodes, seats):
    """Compare each token's probability with what it was drawn with; return how many there were."""
    found = [
        one for e in episodes for seat in seats for one in build_samples(e, seat, player.tokens)
    ]
    assert len({len(sample.ids) for sample in found}) > 1  # so that rows are padded
    tokens = 0
    for batch in (found, *[[sample] for sample in found]):
        with torch.no_grad():
            new = player.compute_logprobs(batch).tolist()
        old = [x for one in batch for x, own in zip(one.logprobs, one.mask, strict=True) if own]
        assert [math.exp(a - b) for a, b in zip(new, old, strict=True)] == pytest.approx(
            [1] * len(old), abs=1e-4
        )
        tokens += len(old)
    return tokens


@pytest.mark.parametrize("temperature", [1.0, 0.7])
def test_before_the_first_step_every_ratio_is_one(tokenizer, temperature):
    player = learner(tokenizer, temperature=temperature, top_p=0.9)
    episodes = rollout(TWO, player, 2, seed=1, invalid="random")
    assert check_ratios(player, episodes, ["x", "o"]) > 20
    parts = [
        loop.SeatTrajectory(e, s, [1.0] * len(e.chat(s).steps)) for e in episodes for s in e.agents
    ]
    assert player.update(parts)["disagreement"] < 1e-4


@pytest.mark.parametrize("observe", ["image", "both"])
def test_before_the_first_step_every_ratio_is_one_with_pictures(sight, observe):
    model, processor = sight
    player = learning.HFLearner(copy.deepcopy(model), processor, max_new_tokens=4, microbatch=3)
    episodes = rollout(TWO, player, 2, seed=2, observe=observe, invalid="random", max_turns=4)
    assert check_ratios(player, episodes, ["x", "o"]) > 8
    parts = [
        loop.SeatTrajectory(e, s, [1.0] * len(e.chat(s).steps)) for e in episodes for s in e.agents
    ]
    before = weights(player)
    assert player.update(parts)["disagreement"] < 1e-4
    seeing = [name for name in before if "vision" in name or "visual" in name]
    assert seeing
    assert any(not torch.equal(before[name], weights(player)[name]) for name in seeing)


def played(player, count=3):
    episodes = rollout(SAME_TIME, player, count, seed=3, invalid="random", rounds=2)
    return [
        loop.SeatTrajectory(e, s, [1.0 if n % 2 else -0.5 for n in range(len(e.chat(s).steps))])
        for e in episodes
        for s in e.agents
    ]


def test_where_decoding_is_guided_a_token_is_judged_among_those_that_were_left(tokenizer):
    player = learner(tokenizer, max_new_tokens=12, guided=True, kl=0.1, entropy=0.1)
    for id in (TWO, "game:GuessTheNumber-v0", "game:RockPaperScissors-v0"):
        episodes = rollout(id, player, 2, seed=1)
        assert not any(step.invalid for episode in episodes for step in episode.steps)
        parts = [
            loop.SeatTrajectory(e, s, [1.0] * len(e.chat(s).steps))
            for e in episodes
            for s in e.agents
        ]
        for part in parts:
            (sample,) = build_samples(part.episode, part.seat, player.tokens)
            assert list(sample.allowed_ids) == [i for i, own in enumerate(sample.mask) if own]
            new = player.compute_logprobs([sample]).tolist()
            old = [x for x, own in zip(sample.logprobs, sample.mask, strict=True) if own]
            assert new == pytest.approx(old, abs=1e-4)
        before = weights(player)
        metrics = player.update(parts)
        assert metrics["disagreement"] < 1e-3
        assert all(map(math.isfinite, metrics.values()))
        assert metrics["entropy"] > 0
        assert all(torch.isfinite(one).all() for one in weights(player).values())
        assert any(not torch.equal(before[name], one) for name, one in weights(player).items())


def test_the_gradient_is_that_of_the_formula_however_it_is_accumulated(tokenizer):
    found = []
    for microbatch in (1, 3, 64):
        player = learner(tokenizer, microbatch=microbatch, max_norm=1e9)
        parts = played(player)
        grads = {}
        player.policy_optimizer.optimizer.register_step_pre_hook(
            lambda *_, player=player, grads=grads: grads.update(
                {name: p.grad.clone() for name, p in player.policy_optimizer.parameters.items()}
            )
        )
        player.update(parts)
        found.append(grads)
    plain = learner(tokenizer)
    total, tokens = 0.0, 0
    for part in parts:
        (sample,) = build_samples(part.episode, part.seat, plain.tokens)
        logits = plain.model(input_ids=torch.tensor([sample.ids])).logits[0]
        logprobs = torch.log_softmax(logits, -1)
        for span, worth in zip(sample.spans, part.advantages, strict=True):
            for place in range(span.start, span.end):
                total = total + worth * logprobs[place - 1, sample.ids[place]]
                tokens += 1
    (-total / tokens).backward()
    for name, one in plain.policy_optimizer.parameters.items():
        for grads in found:
            assert torch.allclose(grads[name], one.grad, atol=2e-6), name


def test_an_update_makes_what_was_good_likelier(tokenizer):
    player = learner(tokenizer, lr=3e-3)
    parts = [part._replace(advantages=[1.0] * len(part.advantages)) for part in played(player)]
    found = [one for part in parts for one in build_samples(part.episode, part.seat, player.tokens)]

    def likely():
        with torch.no_grad():
            return player.compute_logprobs(found).mean().item()

    before = likely()
    player.update(parts)
    assert likely() > before + 1e-3


def test_the_length_that_is_told_is_the_mean_of_what_was_drawn(tokenizer):
    player = learner(tokenizer, max_new_tokens=12, guided=True)
    parts = played(player)
    drawn = [
        len(step.reply.token_ids)
        for part in parts
        for step in part.episode.steps
        if step.agent == part.seat
    ]
    assert len(set(drawn)) > 1
    assert player.update(parts)["length"] == pytest.approx(np.mean(drawn))


def share_changed(before, player):
    after = weights(player)
    changed = sum(int((after[name] != one).sum()) for name, one in before.items())
    return changed / sum(one.numel() for one in before.values())


@pytest.mark.parametrize("given", ["folder", "model", "model for full precision"])
@pytest.mark.parametrize("kind", ["bfloat16", "float16"])
def test_weights_of_half_precision_learn_as_those_of_float32(tokenizer, tmp_path, given, kind):
    """At the usual rates a step is smaller than what 16 bits can tell apart."""
    tiny_models.llm(tokenizer).to(getattr(torch, kind)).save_pretrained(tmp_path)
    tokenizer.save_pretrained(tmp_path)
    half, whole = (HFAgent(str(tmp_path), dtype=dtype).model for dtype in ("auto", "float32"))
    assert {one.dtype for one in half.parameters()} == {getattr(torch, kind)}
    settings = {"lr": 1e-6, "max_new_tokens": 3}
    control = learning.HFLearner(whole, tokenizer, **settings)
    if given == "folder":
        player = learning.HFLearner(str(tmp_path), **settings)
    else:
        settings["precision"] = "full" if given.endswith("precision") else None
        player = learning.HFLearner(half, tokenizer, **settings)
    assert player.precision == control.precision == "full"
    assert {one.dtype for one in player.model.parameters()} == {torch.float32}
    before = weights(player)
    for one in (control, player):
        for _ in range(3):
            one.update(played(one))
    assert share_changed(before, player) > 0.5  # the embeddings of other tokens stay
    for name, one in weights(control).items():
        assert torch.equal(one, weights(player)[name]), name


@pytest.mark.parametrize("precision", [None, "mixed", "full"])
def test_weights_that_do_not_learn_stay_as_they_are_unless_all_is_to_be_float32(
    tokenizer, precision
):
    model = tiny_models.llm(tokenizer).to(torch.bfloat16)
    model.model.embed_tokens.requires_grad_(False)
    model.model.layers[0].requires_grad_(False)
    settings = {"lr": 1e-6, "max_new_tokens": 3, "kl": 0.1, "precision": precision}
    player = learning.HFLearner(model, tokenizer, **settings)
    assert player.precision == (precision or "mixed")
    kinds = {one.requires_grad: one.dtype for one in model.parameters()}
    rest = torch.float32 if precision == "full" else torch.bfloat16
    assert kinds == {True: torch.float32, False: rest}
    shared = player.reference_model.model.embed_tokens.weight
    assert shared is model.model.embed_tokens.weight
    before, parts = weights(player), played(player)
    told = player.update(parts)
    assert told["disagreement"] < 0.1
    assert told["kl"] == pytest.approx(0, abs=1e-4)
    assert share_changed(before, player) > 0.8


# peft 0.21 asks transformers 5.23 for what it calls by another name now.
@pytest.mark.filterwarnings("ignore:`is_gradient_checkpointing` is deprecated:FutureWarning")
def test_an_adapter_of_its_own_learns_over_a_folder_as_it_is(tokenizer, tmp_path):
    pytest.importorskip("peft", reason="pip install 'gem-ma[lora]'")
    tiny_models.llm(tokenizer).to(torch.bfloat16).save_pretrained(tmp_path)
    tokenizer.save_pretrained(tmp_path)
    settings = {"lora": {"r": 2, "target_modules": ["q_proj", "v_proj"]}, "max_new_tokens": 3}
    player = learning.HFLearner(str(tmp_path), lr=1e-6, kl=0.1, **settings)
    assert player.precision == "mixed"
    before = weights(player)
    assert all("lora" in name and one.dtype == torch.float32 for name, one in before.items())
    base = {n: p.detach().clone() for n, p in player.model.named_parameters() if "lora" not in n}
    assert {one.dtype for one in base.values()} == {torch.bfloat16}
    parts = played(player)
    for _ in range(3):
        told = player.update(parts)
    assert told["disagreement"] < 0.1
    assert share_changed(before, player) > 0.4  # what an adapter begins with moves later
    after = dict(player.model.named_parameters())
    assert all(torch.equal(one, after[name]) for name, one in base.items())
    untouched = copy.deepcopy(player)
    with torch.no_grad():
        for name, one in player.model.named_parameters():
            if "lora_B" in name:
                one.normal_()
    player.model.save_pretrained(tmp_path / "adapter")
    tokenizer.save_pretrained(tmp_path / "adapter")
    again = HFAgent(str(tmp_path / "adapter"), max_new_tokens=3)
    env = make(TWO)
    env.reset()
    turns, replies = [env.turn("x")], [["0", "4"]]
    expected = player.compute_probabilities(turns, replies)
    assert np.allclose(again.compute_probabilities(turns, replies), expected, rtol=0.05)
    before = untouched.compute_probabilities(turns, replies)
    assert not np.allclose(before, expected, rtol=0.05)
    with pytest.raises(
        ValueError, match="got lora= for a new adapter and adapter='one' for one that"
    ):
        learning.HFLearner(str(tmp_path), adapter="one", **settings)


def test_the_clip_stops_what_went_far_enough(tokenizer):
    descent = learner(tokenizer, clip=0.2).policy_optimizer
    new = torch.log(torch.tensor([1.1, 1.5, 0.5, 1.5, 0.5])).requires_grad_()
    advantages = torch.tensor([2.0, 2.0, 2.0, -2.0, -2.0])
    gain = descent.compute_objective(new, torch.zeros(5), advantages)
    assert gain.tolist() == pytest.approx([2.2, 2.4, 1.0, -3.0, -1.6])
    gain.sum().backward()
    assert new.grad.tolist() == pytest.approx([2.2, 0.0, 1.0, -3.0, 0.0])


def test_the_distance_to_the_reference_holds_it_back(tokenizer):
    far = []
    for kl in (1e-9, 3.0):
        player = learner(tokenizer, kl=kl, epochs=4, lr=1e-2)
        far.append(player.update(played(player))["kl"])
    assert 0 <= far[1] < far[0] / 1.5


def test_a_critic_learns_what_follows(tokenizer):
    """It expects nothing at first, and then what is earned; what is learnt is how that was off."""
    player = learner(tokenizer, lr=1e-2, critic=0.5)
    made = trainer({"left": player, "right": "random"}, functools.partial(ppo, gamma=0.5))
    episodes = rollout(SAME_TIME, made.agents, 4, seed=5, invalid="random", rounds=2)
    parts = made.compute_advantages(episodes, ["left"])
    rows = build_turn_table(episodes)
    rows = rows[rows.seat == "left"]
    nothing = dataclasses.replace(rows, value=np.zeros(len(rows)))
    wanted = ppo(nothing, gamma=0.5)
    assert np.allclose(np.concatenate([part.advantages for part in parts]), wanted.advantages)
    assert np.allclose(np.concatenate([part.targets for part in parts]), wanted.targets)
    flat = [part._replace(advantages=[0.0] * len(part.advantages)) for part in parts]
    off = [player.update(flat)["critic"] for _ in range(40)]
    assert off[0] == pytest.approx((wanted.targets**2).mean())
    first = [part.targets[0] for part in parts]  # to the seat all episodes begin alike
    for values in player.values(parts):
        assert values[0] == pytest.approx(np.mean(first), abs=0.1)
    plain = learner(tokenizer, critic=0.5)
    with pytest.raises(ValueError, match=r"critic=0\.5 needs a target value for each turn"):
        plain.update(played(plain))
    with pytest.raises(ValueError, match="the turns have no value estimates"):
        trainer({"left": learner(tokenizer), "right": "random"}, ppo).update()


def test_values_are_read_before_the_reply_they_belong_to(tokenizer):
    player = learner(tokenizer, critic=0.5, microbatch=2)
    torch.nn.init.normal_(player.value_head.weight, generator=torch.Generator().manual_seed(0))
    parts = played(player)
    for part, values in zip(parts, player.values(parts), strict=True):
        (sample,) = build_samples(part.episode, part.seat, player.tokens)
        for span, value in zip(sample.spans, values, strict=True):
            seen = torch.tensor([sample.ids[: span.start]])
            with torch.no_grad():
                state = player.model(input_ids=seen, output_hidden_states=True).hidden_states[-1]
                assert player.value_head(state[0, -1]).item() == pytest.approx(value, abs=1e-5)


def test_the_learning_rate_follows_its_schedule(tokenizer):
    player = learner(
        tokenizer, lr=1e-2, schedule=make_cosine_schedule(4, warmup=2, to=0.5), epochs=2
    )
    rates = []
    player.policy_optimizer.optimizer.register_step_pre_hook(
        lambda optimizer, *_: rates.append(optimizer.param_groups[0]["lr"])
    )
    for _ in range(5):
        player.update(played(player))
    assert rates == pytest.approx(
        [0.005, 0.005, 0.01, 0.01, 0.01, 0.01, 0.0075, 0.0075, 0.005, 0.005]
    )
    for wrong in ({"warmup": 5}, {"to": 2.0}):
        with pytest.raises(ValueError, match="expected warmup of 0 to steps, to of 0 to 1"):
            make_cosine_schedule(4, **wrong)


@pytest.fixture(scope="module")
def talker(tmp_path_factory):
    """A model that knows what is said in one round of rock, paper, scissors."""
    return pretraining.pretrain(
        SAME_TIME,
        "random",
        tmp_path_factory.mktemp("talker") / "model",
        size=pretraining.ModelSize(32, 2, 2, 64, 300, 1e-2, 2048),
        episodes=64,
        epochs=5,
        progress=False,
        rounds=1,
    )


@pytest.mark.parametrize("algorithm", [compute_returns, rebn, grpo, rloo, ppo])
def test_every_algorithm_teaches_a_model_what_to_say(talker, algorithm):
    """Against somebody who always plays rock, paper is what it learns to write."""
    critic = 0.1 if algorithm is ppo else 0.0
    player = learning.HFLearner(str(talker), lr=3e-3, critic=critic, max_new_tokens=2)
    made = loop.Trainer(
        SAME_TIME,
        {"left": player, "right": lambda turn: "rock"},
        algorithm,
        episodes=32,
        group=32,
        rollout={"invalid": "lose", "rounds": 1},
    )
    won = [row["return/left"] for row in made.run(30)]
    assert won[0] < 0.5
    assert np.mean(won[-5:]) > 0.9


def trainer(agents, advantages=rebn, **kwargs):
    return loop.Trainer(
        SAME_TIME,
        agents,
        advantages,
        episodes=4,
        rollout={"invalid": "random", "rounds": 2},
        **kwargs,
    )
