"""TRL's GRPOTrainer, which runs on a CPU."""

import numpy as np
import pytest
from trainers import fixed

import gem_ma


def trained(model, tokenizer, out, **arguments):
    """Train with GRPOTrainer and return the rewards of its steps."""
    from datasets import Dataset
    from trl import GRPOConfig, GRPOTrainer

    settings = {
        "max_steps": 2, "per_device_train_batch_size": 16, "num_generations": 8,
        "learning_rate": 1e-3, "lr_scheduler_type": "constant",
    } | arguments.pop("settings", {})  # fmt: skip
    arguments.setdefault("train_dataset", Dataset.from_list([{"prompt": "play"}] * 64))
    trainer = arguments.pop("over", lambda trainer: trainer)(GRPOTrainer)(
        model=model,
        processing_class=tokenizer,
        args=GRPOConfig(
            output_dir=str(out), use_cpu=True, bf16=False, report_to=[], save_strategy="no",
            logging_steps=1, disable_tqdm=True, gradient_checkpointing=False, beta=0.0,
            dataloader_pin_memory=False, max_completion_length=200, **settings,
        ),
        **arguments,
    )  # fmt: skip
    trainer.train()
    return [entry["reward"] for entry in trainer.state.log_history if "reward" in entry]


@pytest.fixture
def trl(monkeypatch):
    monkeypatch.setenv("TRL_EXPERIMENTAL_SILENCE", "1")
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    return pytest.importorskip("trl", reason="pip install 'gem-ma[hf]' trl==1.16.0")


def imitate(model, tokenizer, env, steps=40):
    """Let a model imitate random play, so that its replies are legal moves; from our own rows."""
    import torch

    from gem_ma.training.trainer_rows import build_rows

    episodes = gem_ma.rollout(env, "random", 64, seed=1)
    data = list(build_rows(episodes, tokenizer, texts=True))
    optimizer = torch.optim.AdamW(model.parameters(), lr=5e-3)
    rng = np.random.default_rng(0)
    for _ in range(steps):
        batch = [data[i] for i in rng.choice(len(data), 16)]
        width = max(len(row["ids"]) for row in batch)
        ids = torch.full((16, width), tokenizer.pad_token_id)
        labels = torch.full((16, width), -100)
        for place, row in enumerate(batch):
            ids[place, : len(row["ids"])] = torch.tensor(row["ids"])
            own = torch.tensor(row["mask"]) == 1
            labels[place, : len(own)][own] = torch.tensor(row["ids"])[own]
        loss = model(input_ids=ids, attention_mask=(labels > -200).long(), labels=labels).loss
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


@pytest.mark.filterwarnings("ignore")  # TRL's and its dependencies' own
def test_trl_learns_a_fixed_secret(trl, tokenizer, tmp_path):
    import tiny_models

    from gem_ma.training.trainers.trl import env_reward, rollout_func

    model = tiny_models.llm(tokenizer, hidden=64)
    env = fixed(max_number=5, max_turns=2, invalid="skip")
    imitate(model, tokenizer, env)
    rewards = trained(
        model,
        tokenizer,
        tmp_path,
        reward_funcs=[env_reward],
        rollout_func=rollout_func(env, max_new_tokens=4),
        settings={"max_steps": 20, "per_device_train_batch_size": 32},
    )
    assert np.mean(rewards[:3]) < 0.75
    assert np.mean(rewards[-4:]) > 0.9


@pytest.mark.filterwarnings("ignore")
def test_trl_learns_from_the_rewards_of_turns(trl, tokenizer, tmp_path):
    import tiny_models

    from gem_ma.training.trainers.trl import add_turn_credit, env_reward, rollout_func

    seen = []

    def over(trainer):
        class Watched(add_turn_credit(trainer)):
            def _compute_loss(self, model, inputs):
                seen.append((inputs["advantages"], inputs["tool_mask"]))
                return super()._compute_loss(model, inputs)

        return Watched

    model = tiny_models.llm(tokenizer, hidden=64)
    env = fixed(max_number=5, max_turns=2, invalid="skip")
    imitate(model, tokenizer, env, steps=20)
    play = rollout_func(env, max_new_tokens=4)
    rewards = trained(
        model, tokenizer, tmp_path, over=over, reward_funcs=[env_reward],
        rollout_func=play, settings={"per_device_train_batch_size": 8, "num_generations": 4},
    )  # fmt: skip
    assert len(rewards) == 2
    for advantages, mask in seen:
        assert advantages.shape == mask.shape
        assert not advantages[mask == 0].any()
    assert any(advantages.any() for advantages, _ in seen)


def test_trl_credits_turns_with_what_came_from_them(trl):
    from gem_ma.training.trainers.trl import _compute_baseline, _compute_turn_credit

    row = {"ids": [7] * 6, "spans": [(1, 2), (3, 5)], "rewards": [1.0, 2.0]}
    returns = [3.0, 5.0, 1.0, 9.0]
    assert [_compute_baseline(returns, i, 2) for i in range(4)] == [5.0, 3.0, 9.0, 1.0]
    assert _compute_turn_credit(row, 3.0, 5.0) == [-2.0, 0.0, -3.0, -3.0, 0.0]


class Standing:
    """What a rollout_func asks of the trainer that calls it."""

    num_generations = num_generations_eval = 2

    def __init__(self, model, tokenizer):
        self.model, self.processing_class = model, tokenizer
        self.temperature = 1.0
        self.accelerator = self.state = self
        self.process_index = self.global_step = 0

    def unwrap_model(self, model):
        return model


def test_trl_groups_are_one_seat_from_one_start(trl, model, tokenizer):
    from gem_ma.training.trainers.trl import rollout_func

    made = rollout_func("game:TicTacToe-v0", max_new_tokens=4, invalid="random")
    out = made(["play"] * 8, Standing(model, tokenizer))
    assert out["seat"] == ["x", "x", "o", "o"] * 2
    assert [out["env_reward"][i] + out["env_reward"][i + 2] for i in (0, 1, 4, 5)] == [0] * 4
    for ids, mask, logprobs in zip(
        out["completion_ids"], out["env_mask"], out["logprobs"], strict=True
    ):
        assert len(ids) == len(mask) == len(logprobs)
        assert {own for own, value in zip(mask, logprobs, strict=True) if value != 0.0} == {1}
    again = rollout_func("game:TicTacToe-v0", max_new_tokens=4, invalid="random")
    assert again(["play"] * 8, Standing(model, tokenizer)) == out
    assert made(["play"] * 8, Standing(model, tokenizer)) != out  # the next batch of the step
    with pytest.raises(ValueError, match="6 prompts on this device"):
        made(["play"] * 6, Standing(model, tokenizer))


def test_trl_takes_no_pictures_from_a_rollout_func(trl, processor):
    import tiny_models

    from gem_ma.training.trainers.trl import rollout_func

    made = rollout_func(
        "game:TicTacToe-v0", {"o": "random"}, max_new_tokens=4, invalid="random", observe="image"
    )
    with pytest.raises(ValueError, match="TRL takes no pictures from a rollout_func, and x was"):
        made(["play"] * 2, Standing(tiny_models.vlm(processor), processor))


def test_trl_takes_one_sequence_of_a_seat(trl, model, tokenizer):
    from gem_ma.training.trainers.trl import rollout_func

    make = {"max_new_tokens": 4, "invalid": "random", "context": "turns=1"}
    made = rollout_func("game:TicTacToe-v0", {"o": "random"}, **make)
    with pytest.raises(ValueError, match=r"TRL takes one sequence per episode, .*turns=1"):
        made(["play"] * 2, Standing(model, tokenizer))


def test_trl_recomputes_the_logprobs_that_we_gave(trl, model, tokenizer):
    import torch

    from gem_ma.training.trainers.trl import rollout_func

    made = rollout_func("game:TicTacToe-v0", {"o": "random"}, max_new_tokens=4, invalid="random")
    out = made(["play"] * 2, Standing(model, tokenizer))
    for prompt, ids, mask, given in zip(
        out["prompt_ids"], out["completion_ids"], out["env_mask"], out["logprobs"], strict=True
    ):
        logits = model(torch.tensor([prompt + ids])).logits[0, len(prompt) - 1 : -1]
        again = logits.log_softmax(-1).gather(1, torch.tensor(ids)[:, None])[:, 0]
        own = torch.tensor(mask) == 1
        assert torch.allclose(again[own], torch.tensor(given)[own], atol=1e-4)


def test_trl_environment_plays_a_game_by_tool_calls(trl):
    from gem_ma.training.trainers.trl import GAME_OVER_TEXT, environment_factory

    made = environment_factory("game:TicTacToe-v0", "x", lambda turn: turn.legal[0])
    seat = made()
    first = seat.reset(seed=1, prompt=[{"role": "user", "content": ""}])
    assert gem_ma.make("game:TicTacToe-v0").rules("x") in first
    assert "o" in seat.act("8").lower()
    seat.act("4")
    assert "not" in seat.act("99") or seat.get_reward() == 0.0  # a mistake is told, not raised
    while (said := seat.act("2")) != GAME_OVER_TEXT:
        said = seat.act(said and "6")
    assert seat.get_reward() in (1.0, 0.0, -1.0)
    assert seat.reset(seed=1) == first
    assert seat.get_reward() == 0.0
    sees = environment_factory("game:FrozenLake-v0", observe="image")()
    blocks = sees.reset(seed=1)
    assert {block["type"] for block in blocks} == {"image", "text"}
    assert any(block["type"] == "image" for block in sees.act("right"))


@pytest.fixture(scope="module")
def caller(tokenizer):
    """A tokenizer with a template whose tool calls TRL can read."""
    from pathlib import Path

    import tiny_models

    trl = pytest.importorskip("trl", reason="pip install 'gem-ma[hf]' trl==1.16.0")
    template = (Path(trl.__file__).parent / "chat_templates/qwen2_5.jinja").read_text()
    made = tiny_models.tokenizer(vocab=600, template=template, corpus=[template] * 4)
    made.add_tokens(["<tool_call>", "</tool_call>"])
    made.padding_side = "left"
    return made


@pytest.mark.filterwarnings("ignore")
def test_trl_takes_steps_with_an_environment_factory(trl, caller, tmp_path):
    pytest.importorskip("jmespath", reason="pip install jmespath")
    import tiny_models
    from datasets import Dataset

    from gem_ma.training.trainers.trl import environment_factory

    starts = [{"prompt": [{"role": "user", "content": ""}], "seed": seed} for seed in range(8)]
    rewards = trained(
        tiny_models.llm(caller),
        caller,
        tmp_path,
        environment_factory=environment_factory("game:GuessTheNumber-v0"),
        train_dataset=Dataset.from_list(starts),
        settings={"per_device_train_batch_size": 4, "num_generations": 2},
    )
    assert len(rewards) == 2


@pytest.mark.filterwarnings("ignore")
def test_trl_takes_steps_with_a_template_that_drops_thoughts(trl, tmp_path):
    """Qwen3's, over several turns with thoughts: each episode is one sequence all the same."""
    import tiny_models
    from chats import templates as chat_templates

    from gem_ma.training.trainers.trl import env_reward, rollout_func

    tokenizer = chat_templates.make_tokenizer(chat_templates.FAMILIES["Qwen3"])
    model = tiny_models.llm(tokenizer)
    env = fixed(max_number=5, max_turns=3, invalid="skip")
    turns = []

    def think(trainer):
        def agent(turn):
            turns.append(turn.index)
            text = f"<think>\nhm {turn.index}\n</think>\n\n{turn.index + 1}"
            ids = [*tokenizer(text)["input_ids"], tokenizer.eos_token_id]
            return gem_ma.Reply(text, token_ids=ids, logprobs=[-1.0] * len(ids))

        return agent

    def play(history):
        return trained(
            model,
            tokenizer,
            tmp_path,
            reward_funcs=[env_reward],
            rollout_func=rollout_func(env, agent=think, history=history),
            settings={"max_steps": 1, "per_device_train_batch_size": 4, "num_generations": 4},
        )

    assert len(play("keep")) == 1
    assert max(turns) == 2
    with pytest.raises(ValueError, match=r"TRL takes one sequence per episode, .*rewrites"):
        play("template")
