"""OpenRLHF adapter: whole games as an agent executor.

Pass the file that defines the executor as `--train.agent_func_path`. The samples of one prompt are
the seats of games with the same start. For example, two trained seats and `n_samples_per_prompt` 8
give four games: four samples of the first seat and four of the second. OpenRLHF compares all
samples of a prompt, so each seat's mean return is subtracted first. A sample is one sequence with
one reward.

Checked by tests/training against OpenRLHF 0.11.2, with a scripted engine. The whole package needs
flash-attn and was not installed.
"""

from __future__ import annotations

import asyncio
import json
import math
from copy import deepcopy
from typing import Any

from gem_ma.chat.agent import SeatAgents
from gem_ma.chat.tokenization import ChatTokenizer
from gem_ma.chat.turn import Turn
from gem_ma.training.trainer_rows import TrainerRow, build_rows
from gem_ma.training.trainers.batches import (
    CallBatcher,
    find_row_end,
    iter_seat_episodes,
    make_pixel_inputs,
    subtract_seat_means,
)
from gem_ma.training.trainers.engine_agent import EngineAgent, GeneratedTokens, play_group
from gem_ma.training.trainers.seats import assign_seats
from gem_ma.validation.json_types import JSONMapping, JSONObject

try:
    from openrlhf.utils.agent import AgentExecutorBase
except ImportError as error:
    raise ImportError("this adapter needs OpenRLHF: pip install openrlhf==0.11.2") from error


def make_executor_class(
    processor: Any,
    env: str,
    seat: str | None = None,
    others: SeatAgents | None = None,
    *,
    template: JSONMapping | None = None,
    **make: Any,
) -> type[AgentExecutorBase]:
    """Return the class `AgentExecutor` that OpenRLHF looks for in a file.

    The label of a data set's row is the seed, or {"seed": 1, "options": {...},
    "context": "images=2"} as JSON. The row's prompt is not used.

    Args:
        processor: the model's tokenizer, or its processor if it takes pictures; or a ChatTokenizer.
        env: an id or an environment.
        seat: the trained seat, needed if `others` is one agent; None: all seats that `others` does
            not play.
        others: one agent for all other seats, or a mapping from seat to agent.
        template: further arguments of the chat template, such as {"enable_thinking": False}.
        **make: arguments of the environment, if `env` is an id.
    """
    table = assign_seats(make_executor_class, env, seat, others, make)
    tokens = ChatTokenizer.wrap(processor, template)

    class AgentExecutor(AgentExecutorBase):
        def __init__(self) -> None:
            self.samples = CallBatcher()

        async def execute(
            self, prompt: Any, label: Any, sampling_params: Any, max_length: int,
            hf_tokenizer: Any, llm_engine: Any, images: Any = None,
        ) -> Any:  # fmt: skip
            def start_games(count: int) -> Any:
                playing = self._play(count, label, sampling_params, max_length, llm_engine)
                return asyncio.ensure_future(playing)

            number, games = await self.samples.join(label, start_games)
            found = (await asyncio.shield(games))[number]
            return {"prompt": prompt, "label": label, "images": None, **found}

        async def _play(
            self, samples: int, label: Any, sampling: Any, room: int, engine: Any
        ) -> list[JSONObject]:
            games = math.ceil(samples / len(table.seats))
            player = EngineAgent(tokens, _make_generate(engine, sampling, room), room)
            episodes = await play_group(table, player, _parse_label(label), games)
            found = {}
            for row in build_rows(episodes, tokens, train=table.seats):
                if row["part"]:
                    raise ValueError(
                        f"OpenRLHF takes one sequence per episode, {row['agent']} has several: "
                        f"{row['notes'][0]}"
                    )
                found[row["episode"], row["agent"]] = row
            order = list(iter_seat_episodes(episodes, table.seats, games))
            returns = [episode.returns[name] for episode, name in order]
            rewards = subtract_seat_means(returns, [name for _, name in order])
            if len(table.seats) == 1:
                rewards = returns
            return [
                {"reward": reward, "scores": value,
                 **_make_sequence(found.get((episode.id, name)), tokens, room)}
                for (episode, name), reward, value in zip(order, rewards, returns, strict=True)
            ]  # fmt: skip

    return AgentExecutor


def _make_generate(engine: Any, sampling: Any, room: int) -> Any:
    async def generate(turn: Turn, prompt: list[int], shown: list[Any]) -> GeneratedTokens:
        sampling_params = deepcopy(sampling)
        left = room - len(prompt)
        sampling_params.max_tokens = (
            left if sampling_params.max_tokens is None else min(left, sampling_params.max_tokens)
        )
        images = {"image": shown} if shown else None
        output = (await engine.generate(prompt, sampling_params, multi_modal_data=images)).outputs[
            0
        ]
        if not output.logprobs:
            return GeneratedTokens(output.token_ids)
        likely = zip(output.token_ids, output.logprobs, strict=True)
        return GeneratedTokens(output.token_ids, [found[token].logprob for token, found in likely])

    return generate


def _make_sequence(row: TrainerRow | None, tokens: ChatTokenizer, room: int) -> JSONObject:
    """Return a row in OpenRLHF's format; a seat that never acted gets a row without replies."""
    if row is None:
        end = tokens.tokenizer.eos_token_id
        silent = {"observation_tokens": [end, end], "action_ranges": [], "truncated": False}
        logs = {"turns": 0.0}
        return {
            **silent,
            "rollout_log_probs": [0.0, 0.0],
            "mm_train_inputs": None,
            "extra_logs": logs,
        }
    end = find_row_end(row, room)
    own = zip(row["logprobs"][:end], row["mask"][:end], strict=True)
    logprobs = [value if mine else 0.0 for value, mine in own]
    return {
        "observation_tokens": row["ids"][:end],
        "action_ranges": [(start, min(stop, end)) for start, stop in row["spans"] if start < end],
        "rollout_log_probs": None if any(map(math.isnan, logprobs)) else logprobs,
        "mm_train_inputs": make_pixel_inputs(tokens, row["pictures"]),
        "truncated": end < row["spans"][-1][1],
        "extra_logs": {"turns": float(len(row["spans"]))},
    }


def _parse_label(label: Any) -> JSONObject:
    """Return the start that a label describes, or raise ValueError if it has no seed."""
    start = json.loads(str(label))
    start = start if isinstance(start, dict) else {"seed": start}
    if start.get("seed") is None:
        raise ValueError(f'the label {label} has no seed; expected a number or {{"seed": 1}}')
    return start
