"""verl's agent loop, and what verl makes of its outputs."""

import asyncio
import os
from types import SimpleNamespace

import pytest
from trainers import MOVES, SEEN, cells, last, pixels, said, shown

GAME = "game:TicTacToe-v0"


@pytest.fixture
def verl(monkeypatch):
    """The module of verl that takes outputs of agent loops, with its queue in a list."""
    reason = "pip install 'verl[verl-core]==0.9.1' torch"
    pytest.importorskip("verl.experimental.agent_loop.agent_loop", reason=reason)
    from verl.trainer.ppo.v1 import agent_loop_tq

    queue = SimpleNamespace(worker=agent_loop_tq.AgentLoopWorkerTQ, kept=[], tags=[])

    async def put(keys, fields, tags, partition_id):
        queue.kept.extend(zip(keys, fields.unbind(0), strict=True))
        queue.tags.extend(tags)

    monkeypatch.setattr(agent_loop_tq.tq, "async_kv_batch_put", put)
    return queue


def loop(processor, generate, response_length=4000):
    """Return our agent loop without the configuration that its __init__ wants."""
    from gem_ma.training.trainers.verl import GameAgentLoop

    made = object.__new__(GameAgentLoop)
    sees = hasattr(processor, "image_processor")
    made.tokenizer = processor.tokenizer if sees else processor
    made.processor, made.apply_chat_template_kwargs = processor if sees else None, {}
    made.rollout_config = SimpleNamespace(prompt_length=9000, response_length=response_length)
    made.server_manager = SimpleNamespace(generate=generate)
    return made


def drawn(ids, log_probs=None, first=0, last=0, **fields):
    """Return what verl's client does, and between which versions of the weights that was."""
    from verl.workers.rollout.replica import TokenOutput

    fields |= {"global_steps": last, "min_global_steps": first, "max_global_steps": last}
    return TokenOutput(token_ids=ids, log_probs=log_probs, extra_fields=fields)


def scripted(tokenizer, choose=lambda free: free[0]):
    async def generate(request_id, *, prompt_ids, sampling_params, image_data=None):
        ids = said(tokenizer, choose(cells(tokenizer, prompt_ids)))
        return drawn(ids, [-1.0] * len(ids))

    return generate


def run(made, session=0, **row):
    row = {"env": GAME, "seed": 7, **row}
    kwargs = {"uid": "u1", "session_id": session, "global_steps": 1, "extra_info": row}
    return kwargs, asyncio.run(made.run({}, raw_prompt=[], **kwargs))


def trained(verl, processor, outputs, kwargs):
    """Let verl's own worker take the outputs of an episode; return what it would train on."""
    worker = object.__new__(verl.worker.__ray_metadata__.modified_class)
    worker.processor = processor if hasattr(processor, "image_processor") else None
    worker.tokenizer = getattr(processor, "tokenizer", processor)
    worker.reward_loop_worker_handles, worker.distillation_enabled = None, False
    worker._get_mm_processor_kwargs = lambda _: {}
    verl.kept.clear()
    asyncio.run(worker._agent_loop_postprocess(outputs, False, **kwargs))
    return dict(verl.kept)


@pytest.mark.filterwarnings("ignore")
def test_verl_takes_both_seats_with_the_rewards_of_their_turns(verl, tokenizer):
    kwargs, outputs = run(loop(tokenizer, scripted(tokenizer)))
    assert [one.extra_fields["seat"] for one in outputs] == ["x", "o"]
    assert [one.extra_fields["turn_scores"] for one in outputs] == [[0, 0, 0, 1], [0, 0, -1]]
    kept = trained(verl, tokenizer, outputs, kwargs)
    assert list(kept) == ["u1_0_0", "u1_0_1"]
    for fields, output, moves in zip(kept.values(), outputs, ("0246", "135"), strict=True):
        own = [i for i, own in zip(output.response_ids, output.response_mask, strict=True) if own]
        assert tokenizer.decode(own, skip_special_tokens=True) == moves
        assert fields["input_ids"].tolist() == output.prompt_ids + output.response_ids
        assert fields["rollout_log_probs"].tolist() == [-float(m) for m in output.response_mask]
        scores = fields["rm_scores"]
        ends = [i for i, token in enumerate(output.response_ids)
                if token == tokenizer.eos_token_id and output.response_mask[i]]  # fmt: skip
        assert scores[ends].tolist() == output.extra_fields["turn_scores"]
        assert scores.sum() == scores[ends].sum()
    assert [fields["uid"] for fields in kept.values()] == ["u1/x/0/0", "u1/o/0/0"]


@pytest.mark.filterwarnings("ignore")
def test_verl_compares_each_seat_with_itself(verl, tokenizer):
    import numpy as np
    import torch
    from tensordict import TensorDict
    from verl.protocol import DataProto
    from verl.trainer.ppo.v1.utils import compute_advantage_for_multi_trajectories

    won = loop(tokenizer, scripted(tokenizer))
    lost = loop(tokenizer, scripted(tokenizer, lambda free: "1" if "1" in free else free[-1]))
    kept = {}
    for session, made in enumerate((won, lost)):
        kwargs, outputs = run(made, session, context="turns=1" if session else None)
        kept |= trained(verl, tokenizer, outputs, kwargs)
    returns = {}
    for fields in kept.values():
        key = fields["uid"].rpartition("/")[0]
        returns[key] = returns.get(key, 0.0) + float(fields["rm_scores"].sum())
    names = [fields["uid"] for fields in kept.values()]
    assert len(names) > 4  # the context cuts the chats of one of the two episodes
    rows = {
        name: torch.nn.utils.rnn.pad_sequence([f[name] for f in kept.values()], batch_first=True)
        for name in ("rm_scores", "response_mask")
    }
    data = DataProto(
        TensorDict(
            {
                "token_level_rewards": rows["rm_scores"],
                "response_mask": rows["response_mask"],
            },
            batch_size=len(names),
        ),
        {"uid": np.array(names, dtype=object)},
    )
    data = compute_advantage_for_multi_trajectories(data, list(kept), "gem_ma", config={})
    seen = set()
    for name, mask, advantages in zip(
        names, rows["response_mask"], data.batch["advantages"], strict=True
    ):
        _, seat, session, part = name.split("/")
        other = returns[f"u1/{seat}/{1 - int(session)}"]
        # Nothing is paid before the end, so every turn led to all that the episode brought.
        expected = returns[f"u1/{seat}/{session}"] - other
        assert advantages[mask == 1].unique().tolist() == [expected]
        assert not advantages[mask == 0].any()
        seen.add((seat, part))
    assert {("x", "0"), ("x", "1"), ("o", "1")} <= seen


@pytest.mark.filterwarnings("ignore")
def test_verl_credits_turns_with_what_came_from_them(verl):
    import torch

    from gem_ma.training.trainers.verl import compute_seat_advantages

    mask = torch.tensor([[1, 0, 1, 1], [1, 1, 0, 0], [1, 0, 0, 0]])
    rewards = torch.tensor([[1.0, 0, 0, 2], [0, 4, 0, 0], [8.0, 0, 0, 0]])
    index = ["u/x/0/0", "u/x/0/1", "u/x/1/0"]
    found, _ = compute_seat_advantages(rewards, mask, index)
    assert found.tolist() == [[7 - 8, 0, 6 - 8, 6 - 8], [4 - 8, 4 - 8, 0, 0], [8 - 7, 0, 0, 0]]
    alone, _ = compute_seat_advantages(rewards, mask, ["u/x/0/0", "u/o/0/0", "v/x/0/0"])
    assert alone[:, 0].tolist() == [3.0, 4.0, 8.0]


@pytest.mark.filterwarnings("ignore")
def test_verl_learns_nothing_from_rows_that_fill_a_batch_up(verl):
    import torch

    from gem_ma.training.trainers.verl import compute_seat_advantages

    mask = torch.tensor([[1, 1], [1, 0], [0, 0], [0, 0]])
    rewards = torch.tensor([[0.0, 1], [3.0, 0], [0.0, 0], [0.0, 0]])
    index = ["u/x/0/0", "u/x/1/0", "pad0a1b", "pad0a1b"]  # as `upsample_batch_to_divisible_size`
    found, returns = compute_seat_advantages(rewards, mask, index)
    assert found.tolist() == returns.tolist() == [[-2, -2], [2, 0], [0, 0], [0, 0]]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("context", [None, "turns=1"])
def test_verl_is_told_which_weights_drew_a_seat(verl, tokenizer, context):
    versions = iter(range(3, 99))

    async def generate(request_id, *, prompt_ids, sampling_params, image_data=None):
        ids, version = said(tokenizer, cells(tokenizer, prompt_ids)[0]), next(versions)
        drafts = {"spec_num_draft_tokens": 4, "spec_num_accepted_tokens": 1}
        return drawn(ids, [-1.0] * len(ids), version, version + 1, **drafts)

    kwargs, outputs = run(loop(tokenizer, generate), context=context)
    # x draws with 3, 5, 7 and 9, o with 4, 6 and 8, and each reply goes on with the next version.
    told = {"x": (3, 10, 16, 4), "o": (4, 9, 12, 3)}
    names = ("min_global_steps", "max_global_steps")
    drafts = ("spec_num_draft_tokens", "spec_num_accepted_tokens")
    for output in outputs:
        fields = output.as_dict()["extra_fields"]
        assert tuple(fields[name] for name in names + drafts) == told[fields["seat"]]
    trained(verl, tokenizer, outputs, kwargs)
    tags = [tuple(tag[name] for name in names) for tag in verl.tags]
    assert tags == [told[output.extra_fields["seat"]][:2] for output in outputs]


@pytest.mark.filterwarnings("ignore")
def test_verl_says_that_nobody_drew_a_token(verl, tokenizer):
    made = loop(tokenizer, scripted(tokenizer), response_length=5)
    made.rollout_config.prompt_length = 5
    with pytest.raises(ValueError, match=r"no reply was generated for x, o .* more than 10 tokens"):
        run(made)


@pytest.mark.filterwarnings("ignore")
def test_verl_cuts_at_its_room(verl, tokenizer):
    row = {"seat": "x", "others": last}
    kwargs, outputs = run(loop(tokenizer, scripted(tokenizer), response_length=10), **row)
    (short,) = outputs
    assert len(short.response_ids) == len(short.response_mask) == 10
    fields = trained(verl, tokenizer, outputs, kwargs)["u1_0_0"]
    assert len(fields["rm_scores"]) == 10
    made = loop(tokenizer, scripted(tokenizer))
    made.rollout_config.prompt_length = len(short.prompt_ids)
    made.rollout_config.response_length = 20
    _, outputs = run(made, **row, make={"invalid": "lose"})
    assert outputs[0].extra_fields["turn_scores"][-1] == -1.0  # no room for another reply


@pytest.mark.filterwarnings("ignore")
def test_verl_gets_the_pictures(verl, processor):
    asked, moves = [], iter(MOVES)

    async def generate(request_id, *, prompt_ids, sampling_params, image_data=None):
        asked.append((prompt_ids, [pixels(one) for one in image_data or []]))
        return drawn(said(processor.tokenizer, next(moves)))

    row = {"seat": "x", "others": last, "make": SEEN}
    kwargs, outputs = run(loop(processor, generate, 9000), **row)
    assert [seen for _, seen in asked] == [seen for _, seen in shown(processor)]
    (output,) = outputs
    assert output.response_logprobs is None
    assert [pixels(one) for one in output.multi_modal_data["images"]] == asked[-1][1]
    fields = trained(verl, processor, outputs, kwargs)["u1_0_0"]
    grid = fields["multi_modal_inputs"]["image_grid_thw"]
    assert len(grid) == len(asked)
    pad = processor.tokenizer.convert_tokens_to_ids("<|image_pad|>")
    merge = processor.image_processor.merge_size**2
    assert int(grid.prod(-1).sum()) == merge * int((fields["input_ids"] == pad).sum())
    moves = iter(MOVES)
    with pytest.raises(ValueError, match="with pictures cannot be cut: raise the limit"):
        run(loop(processor, generate, 20), **row)
    with pytest.raises(Exception, match="takes no pictures; use a vision-language model"):
        run(loop(processor.tokenizer, generate), **row)


@pytest.mark.filterwarnings("ignore")
def test_verl_knows_one_model(verl):
    import inspect

    from verl.experimental.agent_loop.agent_loop import AgentLoopOutput
    from verl.workers.rollout.llm_server import LLMServerClient

    given = [*inspect.signature(LLMServerClient.generate).parameters, *AgentLoopOutput.model_fields]
    assert {"prompt_ids", "sampling_params", "response_ids", "reward_score"} <= set(given)
    assert not [name for name in given if "lora" in name or "adapter" in name or "model" in name]


@pytest.mark.filterwarnings("ignore")
def test_verl_finds_the_estimator_as_the_example_says(verl):
    import subprocess
    import sys
    from pathlib import Path

    text = (Path(__file__).parents[3] / "examples/train/verl_game.py").read_text()
    assert "VERL_USE_EXTERNAL_MODULES=gem_ma.training.trainers.verl" in text
    code = (
        "from verl.trainer.ppo.core_algos import get_adv_estimator_fn as get; print(get('gem_ma'))"
    )
    module = {"VERL_USE_EXTERNAL_MODULES": "gem_ma.training.trainers.verl"}
    done = subprocess.run(
        [sys.executable, "-c", code], env={**os.environ, **module}, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "function compute_seat_advantages" in done.stdout
