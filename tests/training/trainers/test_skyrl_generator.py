"""SkyRL's trainer: its own batches and advantages over our generator's games."""

import asyncio
import typing
from types import SimpleNamespace

import pytest
import typing_extensions
from trainers import SEEN, cells, last, pixels, said

GAME = "game:TicTacToe-v0"


@pytest.fixture
def skyrl(monkeypatch):
    """Import SkyRL's trainer, which on Python 3.11 wants the TypedDict of later ones."""
    monkeypatch.setattr(typing, "TypedDict", typing_extensions.TypedDict)
    return pytest.importorskip(
        "skyrl.train.trainer",
        reason="pip install --no-deps skyrl==0.3.0, and what it imports: see .ci/run",
    )


class Client:
    """Stands for the engines; `rule` says what is drawn."""

    model_name = "m"

    def __init__(self, tokens):
        self.tokens, self.asked, self.games = tokens, [], []

    async def generate(self, asked, model=None):
        await asyncio.sleep(0)
        tokenizer = getattr(self.tokens, "tokenizer", self.tokens)
        (prompt,), (session,) = asked["prompt_token_ids"], asked["session_ids"]
        game, _, seat = session.rpartition("-")
        self.games += [game] if game not in self.games else []
        move = rule(self.games.index(game) % 2, seat, cells(tokenizer, prompt))
        ids = said(tokenizer, move)
        self.asked.append(asked)
        return {"response_ids": [ids], "response_logprobs": [[likely(token) for token in ids]]}

    async def render_chat_completion(self, request):
        """Return the tokens of a chat, and in the place of features its pictures."""
        import base64
        from io import BytesIO

        from PIL import Image

        chat = request["json"]["messages"]
        found = []
        for part in [p for m in chat if isinstance(m["content"], list) for p in m["content"]]:
            if part["type"] == "image_url":
                data = base64.b64decode(part["image_url"]["url"].partition(",")[2])
                part |= {"type": "image", "image": Image.open(BytesIO(data))}
                found.append(part["image"])
        text = self.tokens.apply_chat_template(chat, add_generation_prompt=True, tokenize=False)
        ids = self.tokens(text=[text], images=found)["input_ids"][0]
        return {"token_ids": ids, "features": [pixels(one) for one in found]}


def likely(token):
    """Return a log-probability that tells tokens apart."""
    return -(token % 31 + 1) / 32


def rule(game, seat, free):
    """Let x win the first game of a group, and o the second."""
    wanted = "875" if (game, seat) == (1, "x") else ""
    return next((move for move in wanted if move in free), free[0])


def config(copies, prompts, **generator):
    given = {"n_samples_per_prompt": copies, "step_wise_trajectories": False,
             "merge_stepwise_output": False, "max_input_length": 9000} | generator  # fmt: skip
    algorithm = SimpleNamespace(
        advantage_estimator="grpo", gamma=1.0, lambd=1.0, grpo_norm_by_std=False, max_seq_len=9000,
        zero_variance_filter=False,
        off_policy_correction=SimpleNamespace(tis_ratio_type=None, sequence_mask_metric=None),
    )  # fmt: skip
    trainer = SimpleNamespace(
        algorithm=algorithm, train_batch_size=prompts, policy_mini_batch_size=prompts,
        critic=SimpleNamespace(model=SimpleNamespace(path=None)),
    )  # fmt: skip
    return SimpleNamespace(generator=SimpleNamespace(**given), trainer=trainer)


def trained(skyrl, cfg, client, tokens, starts):
    """Let SkyRL's trainer make a batch of games, up to its advantages."""
    from skyrl.train.generators.utils import prepare_generator_input

    from gem_ma.training.trainers.skyrl_generator import GameGenerator

    tokenizer = getattr(tokens, "tokenizer", tokens)
    trainer = object.__new__(skyrl.RayPPOTrainer)
    trainer.cfg, trainer.tokenizer, trainer.all_metrics = cfg, tokenizer, {}
    trainer.dispatch = SimpleNamespace(get_lcm_dp_size=lambda: 1)
    seen = tokens if tokens is not tokenizer else None
    trainer.generator = GameGenerator(cfg.generator, client, tokenizer, None, seen)
    prompts = [
        {"prompt": [], "env_class": "gem_ma", "env_extras": start, "uid": str(number)}
        for number, start in enumerate(starts)
    ]
    asked, uids = prepare_generator_input(
        prompts, cfg.generator.n_samples_per_prompt, {}, "gem_ma", "train", 1
    )
    made = asyncio.run(trainer.generate(asked))
    if cfg.generator.step_wise_trajectories:
        uids = [one.instance_id for one in made["trajectory_ids"]]
    made, uids = trainer.postprocess_generator_output(made, uids)
    batch = trainer.convert_to_training_input(made, uids)
    batch["values"] = None
    return made, trainer.compute_advantages_and_returns(batch)


@pytest.mark.filterwarnings("ignore")
def test_skyrl_trains_both_seats_each_in_its_own_group(skyrl, tokenizer):
    start = {"env": GAME, "seed": 7}
    client = Client(tokenizer)
    made, batch = trained(skyrl, config(2, 2), client, tokenizer, [start, start])
    moves = [
        tokenizer.decode(
            [i for i, own in zip(ids, mask, strict=True) if own], skip_special_tokens=True
        )
        for ids, mask in zip(made["response_ids"], made["loss_masks"], strict=True)
    ]
    assert moves == ["0246", "875", "135", "012"]  # x in both games, then o in both
    assert batch["rewards"].sum(-1).tolist() == [1.0, -1.0, -1.0, 1.0]
    for ids, mask, told in zip(
        made["response_ids"], made["loss_masks"], made["rollout_logprobs"], strict=True
    ):
        expected = [likely(i) if own else 0.0 for i, own in zip(ids, mask, strict=True)]
        assert told == expected
    # Of each seat the mean over its two games is taken off, which is 0 here.
    for row, expected in zip(batch["advantages"], [1.0, -1.0, -1.0, 1.0], strict=True):
        assert set(row.tolist()) - {0.0} == {expected}
    with pytest.raises(
        ValueError, match=r"1 prompts, the first with 2 .* expected a multiple of 2"
    ):
        trained(skyrl, config(2, 1), client, tokenizer, [start])


@pytest.mark.filterwarnings("ignore")
def test_skyrl_takes_the_rewards_of_turns(skyrl, tokenizer):
    cfg = config(2, 2)
    cfg.trainer.algorithm.advantage_estimator = "reinforce++"
    start = {"env": "game:PrisonersDilemma-v0", "seed": 7, "make": {"rounds": 3}}
    start = {**start, "make": {**start["make"], "invalid": "random"}}
    client = Client(tokenizer)
    client.generate = talker(tokenizer)
    made, batch = trained(skyrl, cfg, client, tokenizer, [start, start])
    for rewards, ids, mask in zip(
        made["rewards"], made["response_ids"], made["loss_masks"], strict=True
    ):
        ends = [i for i, token in enumerate(ids) if mask[i] and token == tokenizer.eos_token_id]
        assert len(ends) == 3
        assert all(rewards[end] for end in ends)
        assert sum(rewards) == sum(rewards[end] for end in ends)
    width = max(map(len, made["rewards"]))
    padded = [[0.0] * (width - len(one)) + one for one in made["rewards"]]
    assert batch["rewards"].tolist() == padded
    assert made["rollout_logprobs"] is None  # an engine that tells none
    assert len(set(batch["returns"][0].tolist())) >= 3  # what is still to come, turn by turn


def talker(tokenizer):
    async def generate(asked, model=None):
        ids = said(tokenizer, "cooperate")
        return {"response_ids": [ids], "response_logprobs": None}

    return generate


@pytest.mark.filterwarnings("ignore")
def test_skyrl_takes_several_sequences_of_a_seat(skyrl, tokenizer):
    start = {"env": GAME, "seed": 7, "context": "turns=1"}
    client = Client(tokenizer)
    with pytest.raises(ValueError, match="the context turns=1 cuts earlier turns"):
        trained(skyrl, config(2, 2), client, tokenizer, [start, start])
    cfg = config(2, 2, step_wise_trajectories=True)
    made, batch = trained(skyrl, cfg, Client(tokenizer), tokenizer, [start, start])
    assert sum(made["is_last_step"]) == 4 < len(made["is_last_step"])
    last = [sum(r) for r, end in zip(made["rewards"], made["is_last_step"], strict=True) if end]
    assert last == [1.0, -1.0, -1.0, 1.0]
    trajectory = 0
    for row, end in zip(batch["advantages"], made["is_last_step"], strict=True):
        assert set(row.tolist()) - {0.0} == {last[trajectory]}  # all that the seat said
        trajectory += end


@pytest.mark.filterwarnings("ignore")
def test_skyrl_gets_the_pictures(skyrl, processor):
    start = {"env": GAME, "seed": 7, "seat": "x", "others": last, "make": SEEN}
    client = Client(processor)
    made, batch = trained(skyrl, config(2, 1), client, processor, [start])
    turns = [asked["mm_features"][0] for asked in client.asked]
    assert {len(seen) for seen in turns} >= {1, 2, 3}
    pad = processor.tokenizer.convert_tokens_to_ids("<|image_pad|>")
    merge = processor.image_processor.merge_size**2
    for grid, pixel, prompt, response in zip(
        batch["image_grid_thw"], batch["pixel_values"], made["prompt_token_ids"],
        made["response_ids"], strict=True,
    ):  # fmt: skip
        assert len(grid) >= 3
        assert int(grid.prod(-1).sum()) == len(pixel) == merge * (prompt + response).count(pad)


@pytest.mark.filterwarnings("ignore")
def test_skyrl_knows_one_model(skyrl):
    from skyrl.train.generators.base import GeneratorOutput

    names = set(GeneratorOutput.__annotations__)
    assert {"response_ids", "trajectory_ids"} <= names
    assert not [name for name in names if "lora" in name or "adapter" in name or "model" in name]
