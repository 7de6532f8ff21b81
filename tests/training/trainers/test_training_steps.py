"""The training loops of verl and SkyRL over our games: from their data sets to their metrics.

What wants Ray and a GPU is stood for: verl's queue by a dictionary, engines and workers by one tiny
model on the CPU, whose loss is the trainer's.
"""

import asyncio
import json
import subprocess
import sys
import typing
from collections import defaultdict
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import typing_extensions
from trainers import cells, said

EXAMPLES = Path(__file__).parents[3] / "examples/train"


class CellPlayer:
    """Says any free cell of tic-tac-toe, and how likely a model would have said so."""

    def __init__(self, model, tokenizer):
        self.model, self.tokenizer = model, tokenizer
        self.rng = np.random.default_rng(0)

    def draw(self, prompt):
        import torch

        ids = said(self.tokenizer, self.rng.choice(cells(self.tokenizer, prompt)))
        with torch.no_grad():
            logits = self.model(torch.tensor([[*prompt, *ids]])).logits[0]
        likely = logits[-len(ids) - 1 : -1].log_softmax(-1)
        return ids, likely.gather(1, torch.tensor(ids)[:, None])[:, 0].tolist()


class LearningModel:
    """A model and its optimizer."""

    def __init__(self, model, config):
        import torch

        self.model, self.config = model, config
        self.optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2, weight_decay=0.0)
        self.before = [one.detach().clone() for one in model.parameters()]

    def has_changed(self):
        pairs = zip(self.before, self.model.parameters(), strict=True)
        return any(not before.equal(after) for before, after in pairs)

    def optim_step(self, model=None):
        import torch

        norm = torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        self.optimizer.step()
        self.optimizer.zero_grad()
        return norm.item()


@pytest.fixture
def verl(monkeypatch):
    """The queue of verl as a dictionary in this process."""
    reason = "pip install 'verl[verl-core]==0.9.1' torch"
    pytest.importorskip("verl.trainer.ppo.v1.trainer_sync", reason=reason)
    import transfer_queue

    queue = LocalQueue()
    for name in ("kv_batch_get", "kv_batch_put", "kv_list", "kv_clear"):
        monkeypatch.setattr(transfer_queue, name, getattr(queue, name))

    async def put_one(key, partition_id, tag):
        queue.kv_batch_put([key], partition_id, tags=[tag])

    async def put_batch(keys, fields, tags, partition_id):
        queue.kv_batch_put(keys, partition_id, fields, tags)

    monkeypatch.setattr(transfer_queue, "async_kv_put", put_one)
    monkeypatch.setattr(transfer_queue, "async_kv_batch_put", put_batch)
    monkeypatch.setattr(transfer_queue, "init", lambda *_: None)
    return queue


def join(values):
    """Return what the rows of a batch hold under one name as verl's queue returns it."""
    import torch
    from tensordict import NonTensorStack

    if all(isinstance(one, torch.Tensor) for one in values):
        return torch.nested.as_nested_tensor(list(values), layout=torch.jagged)
    return NonTensorStack(*values)


class LocalQueue:
    """Stands for verl's transfer queue, whose storage are Ray's actors."""

    def __init__(self):
        self.rows, self.tags = defaultdict(dict), defaultdict(dict)

    def kv_batch_put(self, keys, partition_id, fields=None, tags=None):
        from transfer_queue import KVBatchMeta

        for number, key in enumerate(keys):
            known = self.tags[partition_id].setdefault(key, {})
            known.update(tags[number] if tags else {})
            if fields is not None:
                row = fields.unbind(0)[number]
                row = {name: row[name] for name in row.keys()}  # noqa: SIM118 - rows are no dicts
                self.rows[partition_id].setdefault(key, {}).update(row)
        known = [self.tags[partition_id][key] for key in keys]
        return KVBatchMeta(keys=list(keys), tags=known, partition_id=partition_id)

    def kv_batch_get(self, keys, partition_id, select_fields=None):
        from tensordict import TensorDict

        rows = [self.rows[partition_id][key] for key in keys]
        names = [name for name in select_fields or rows[0] if all(name in row for row in rows)]
        return TensorDict(
            {name: join([row[name] for row in rows]) for name in names}, batch_size=[len(keys)]
        )

    def kv_list(self, partition_id=None):
        return {name: dict(tags) for name, tags in self.tags.items()}

    def kv_clear(self, keys, partition_id):
        for key in keys:
            self.rows[partition_id].pop(key, None)
            self.tags[partition_id].pop(key, None)


class Engine(CellPlayer):
    """Stands for verl's engine, and for what hands it new weights."""

    version = None

    @property
    def generate(self):
        return SimpleNamespace(remote=self._generate)

    def update_weights(self, version):
        self.version = version

    def sleep_replicas(self):
        pass

    async def _generate(self, request_id, *, prompt_ids, sampling_params, image_data, video_data):
        from verl.workers.rollout.replica import TokenOutput

        ids, likely = self.draw(prompt_ids)
        fields = {"global_steps": self.version}
        return TokenOutput(token_ids=ids, log_probs=likely, extra_fields=fields)


class Actor(LearningModel):
    """Stands for verl's workers, which want a GPU each: a model that learns by verl's loss."""

    def __init__(self, model, config, queue):
        super().__init__(model, config)
        self.queue, self.sizes, self._dispatch_info = queue, [], {"actor": [0]}

    def _read(self, batch, names=()):
        """Return rows, and of each the log-probability of the next token and its entropy."""
        data = self.queue.kv_batch_get(batch.keys, batch.partition_id, ["input_ids", *names])
        likely, entropy = [], []
        for ids in data["input_ids"].unbind():
            logits = self.model(ids[None]).logits[0].log_softmax(-1)
            likely.append(logits.gather(1, ids.roll(-1)[:, None])[:, 0])
            entropy.append(-(logits.exp() * logits).sum(-1))
        return data, {"log_probs": join(likely), "entropy": join(entropy)}

    def compute_log_prob(self, batch):
        import torch
        from tensordict import TensorDict

        with torch.no_grad():
            _, output = self._read(batch)
        self.queue.kv_batch_put(batch.keys, batch.partition_id, TensorDict(output, [len(batch)]))
        return batch

    def update_actor(self, batch):
        from verl.utils import tensordict_utils
        from verl.workers.utils.losses import ppo_loss

        self.sizes.append(len(batch))
        names = ("prompts", "responses", "response_mask", "old_log_probs", "advantages")
        data, output = self._read(batch, names)
        tensordict_utils.assign_non_tensor(
            data, dp_size=1, global_batch_size=len(batch),
            batch_num_tokens=int(data["response_mask"].values().sum()),
        )  # fmt: skip
        loss, metrics = ppo_loss(self.config, output, data)
        loss.backward()
        return {"metrics": {**metrics, "grad_norm": [self.optim_step()], "mfu": [0.0]}}


def trained_by_verl(queue, tokenizer, folder, monkeypatch, *settings, context=None):
    """Let verl train for two steps; return what it writes of them, and the actor.

    Everything but `actor_rollout_wg`, `checkpoint_manager` and the queue is verl's own.
    """
    import tiny_models
    from hydra import compose, initialize_config_module
    from verl.trainer.ppo.v1.agent_loop_tq import AgentLoopWorkerTQ
    from verl.trainer.ppo.v1.trainer_sync import PPOTrainerSync
    from verl.utils.config import omega_conf_to_dataclass
    from verl.workers.rollout.llm_server import LLMServerClient

    import gem_ma.training.trainers.verl  # noqa: F401

    model = tiny_models.llm(tokenizer)
    model.save_pretrained(folder / "model")
    tokenizer.save_pretrained(folder / "model")
    arguments = ["--context", context] if context else []
    subprocess.run(
        [sys.executable, EXAMPLES / "verl_game.py", folder, "--starts", "4", *arguments], check=True
    )
    monkeypatch.setenv("VERL_FILE_LOGGER_PATH", str(folder / "log.jsonl"))
    data = folder / "train.parquet"
    with initialize_config_module("verl.trainer.config", version_base=None):
        config = compose("ppo_trainer", [
            f"data.train_files={data}", f"data.val_files={data}", "data.train_batch_size=2",
            "data.dataloader_num_workers=0", "data.filter_overlong_prompts=false",
            "algorithm.adv_estimator=gem_ma", "trainer.total_epochs=1", "trainer.save_freq=-1",
            "trainer.test_freq=-1", "trainer.logger=[file]",
            f"actor_rollout_ref.model.path={folder / 'model'}",
            f"actor_rollout_ref.rollout.agent.agent_loop_config_path={folder / 'loops.yaml'}",
            "actor_rollout_ref.rollout.name=vllm", "actor_rollout_ref.rollout.n=4",
            "actor_rollout_ref.rollout.prompt_length=4000",
            "actor_rollout_ref.rollout.response_length=4000",
            "actor_rollout_ref.rollout.calculate_log_probs=true",
            "actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu=2", *settings,
        ])  # fmt: skip
    engine = Engine(model, tokenizer)

    class Client(LLMServerClient):
        async def _acquire_server(self, request_id, **_):
            return "0", engine

        def _release_server(self, server_id, **_):
            pass

    worker = AgentLoopWorkerTQ.__ray_metadata__.modified_class(config, Client(config), {}, [])

    async def play(batch):
        await worker.generate_sequences(batch)
        await asyncio.gather(*worker.background_tasks)

    trainer = PPOTrainerSync(config)
    trainer._init_tokenizer()
    trainer._init_dataloader()
    trainer._init_dump_executor()
    trainer.resource_pool_manager = SimpleNamespace(get_n_gpus=lambda: 1)
    trainer.reward_loop_manager = SimpleNamespace(reward_loop_worker_handles=[])
    trainer.checkpoint_manager = engine
    loss_config = omega_conf_to_dataclass(config.actor_rollout_ref.actor)
    trainer.actor_rollout_wg = Actor(model, loss_config, queue)
    trainer.global_steps = 0
    trainer.on_init_end()
    trainer.fit(SimpleNamespace(generate_sequences=lambda batch: asyncio.run(play(batch))))
    lines = [json.loads(line) for line in (folder / "log.jsonl").read_text().splitlines()]
    return [line["data"] for line in lines], trainer.actor_rollout_wg


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("context", "mini_batch"), [(None, 2), ("turns=1", 24)])
def test_verl_takes_steps(verl, tokenizer, tmp_path, monkeypatch, context, mini_batch):
    settings = f"actor_rollout_ref.actor.ppo_mini_batch_size={mini_batch}"
    (validation, *steps), actor = trained_by_verl(
        verl, tokenizer, tmp_path, monkeypatch, settings, context=context
    )
    assert [step["training/global_step"] for step in steps] == [1, 2]
    for step in steps:
        versions = "training/off_policy/trajectory_"
        assert step[f"{versions}staleness/min"] == step[f"{versions}staleness_worst/max"] == 0
        assert step[f"{versions}spans/min"] == step[f"{versions}spans/max"] == 1
        # What the engine drew is what the model reads again, at the same places.
        assert step["training/rollout_probs_diff_valid"] == 1
        assert step["training/rollout_probs_diff_max"] < 1e-4
        assert step["training/num_turns/min"] >= 2
        assert step["critic/score/mean"] == pytest.approx(0, abs=1e-6)  # what x wins, o loses
    assert any(step["critic/advantages/max"] > 0 for step in steps)
    # Of two prompts in four games, two seats each. Chats that are cut give more sequences than
    # that, and verl fills a batch up to a multiple of mini_batch * 4.
    assert actor.sizes == ([16, 16] if context is None else [96, 96])
    assert actor.has_changed()
    returns = [validation[f"val-aux/game:TicTacToe-v0/return/{seat}/mean@1"] for seat in "xo"]
    assert returns[0] == -returns[1]


@pytest.fixture
def skyrl(monkeypatch):
    """Import SkyRL's trainer, which on Python 3.11 wants the TypedDict of later ones."""
    monkeypatch.setattr(typing, "TypedDict", typing_extensions.TypedDict)
    made = pytest.importorskip(
        "skyrl.train.trainer",
        reason="pip install --no-deps skyrl==0.3.0, and what it imports: see .ci/run",
    )
    monkeypatch.setattr(made, "configure_ray_worker_logging", lambda: None)  # it is for workers
    return made


class Client(CellPlayer):
    """Stands for the engines of SkyRL."""

    async def generate(self, asked, model=None):
        (prompt,) = asked["prompt_token_ids"]
        ids, likely = self.draw(prompt)
        return {"response_ids": [ids], "response_logprobs": [likely]}


class Dispatch(LearningModel):
    """Stands for SkyRL's workers, which want a GPU each: a model that learns by SkyRL's loss."""

    def get_lcm_dp_size(self):
        return 1

    def init_weight_sync_state(self, client):
        pass

    def empty_cache(self, model=None):
        pass

    async def save_weights_for_sampler(self):
        pass

    def stage_data(self, model, data, boundaries):
        return [data[start:end] for start, end in boundaries]

    def _read(self, data):
        """Return how likely each token of the responses is, which stand at the end of a row."""
        sequences, mask = data["sequences"], data["attention_mask"]
        places = (mask.cumsum(-1) - 1).clamp(min=0)
        output = self.model(input_ids=sequences, attention_mask=mask, position_ids=places)
        likely = output.logits[:, :-1].log_softmax(-1)
        likely = likely.gather(-1, sequences[:, 1:, None])[..., 0]
        return likely[:, -data.metadata["response_length"] :]

    def forward_from_staged(self, model, data):
        return SimpleNamespace(
            loss_fn_outputs=[{"logprobs": row.tolist()} for row in self._read(data)]
        )

    def forward_backward_from_staged(self, model, data):
        from skyrl.backends.skyrl_train.utils.ppo_utils import PolicyLossRegistry

        loss, metrics = PolicyLossRegistry.get(self.config.policy_loss_type)(
            self._read(data), data["action_log_probs"], data["advantages"], config=self.config,
            loss_mask=data["loss_mask"], rollout_logprobs=data["rollout_logprobs"],
        )  # fmt: skip
        loss.backward()
        return SimpleNamespace(metrics={**metrics, "policy_loss": loss.item()})


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("context", [None, "turns=1"])
def test_skyrl_takes_steps(skyrl, tokenizer, tmp_path, context):
    import tiny_models
    from skyrl.train.config import SkyRLTrainConfig
    from skyrl.train.dataset import PromptDataset

    from gem_ma.training.trainers.skyrl_generator import GameGenerator

    arguments = ["--context", context] if context else []
    write = [
        sys.executable,
        EXAMPLES / "skyrl_game.py",
        "--write",
        tmp_path,
        "--starts",
        "4",
        *arguments,
    ]
    subprocess.run(write, check=True)
    config = SkyRLTrainConfig.from_cli_overrides([
        "trainer.train_batch_size=2", "trainer.policy_mini_batch_size=2", "trainer.epochs=1",
        "trainer.eval_batch_size=4", "trainer.eval_interval=1", "trainer.ckpt_interval=0",
        "trainer.resume_mode=none", "trainer.placement.colocate_all=false",
        "trainer.enable_ray_gpu_monitor=false", f"trainer.export_path={tmp_path}",
        "trainer.algorithm.use_kl_loss=false", "data.dataloader.num_workers=0",
        "data.dataloader.persistent_workers=false", "generator.n_samples_per_prompt=8",
        "generator.eval_n_samples_per_prompt=2", "generator.max_input_length=9000",
        "generator.inference_engine.enable_ray_prometheus_stats=false",
        f"generator.step_wise_trajectories={str(context is not None).lower()}",
    ])  # fmt: skip
    data = PromptDataset(str(tmp_path / "train.parquet"), tokenizer, 512, num_workers=1)
    model = tiny_models.llm(tokenizer)
    client, logs = Client(model, tokenizer), []
    trainer = skyrl.RayPPOTrainer(
        config,
        SimpleNamespace(log=lambda said, **_: logs.append(dict(said)), finish=lambda: None),
        tokenizer,
        data,
        client,
        GameGenerator(config.generator, client, tokenizer),
        eval_dataset=data,
    )
    trainer.dispatch = Dispatch(model, config.trainer.algorithm)
    asyncio.run(trainer.train())
    steps = logs[1:]  # the first is an evaluation
    assert [step["trainer/global_step"] for step in steps] == [1, 2]
    for one in logs:
        assert one["eval/all/avg_score"] == 0.0  # what x wins, o loses
    for step in steps:
        assert step["reward/avg_raw_reward"] == step["loss/avg_final_rewards"] == 0.0
        # What the engine drew is what the model reads again, at the same places.
        assert step["policy/rollout_train_logprobs_abs_diff_max"] < 1e-4
        # One group of eight games of two seats, or a sequence for each turn.
        assert (step["generate/batch_num_seq"] > 16) is (context is not None)
    assert any(step["loss/avg_raw_advantages_abs"] > 0 for step in steps)
    assert trainer.dispatch.has_changed()
    assert len(list(tmp_path.glob("dumped_evals/*/*.jsonl"))) > 0
