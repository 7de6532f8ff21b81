"""verl adapter: whole games as an agent loop on token ids, with a separate group for each seat.

A row of the data set has `agent_name: gem_ma` and, in `extra_info`, `env`, `seat`, `others`,
`make`, `seed`, `options` and `context`. Without `seat`, every seat that `others` does not play is
trained. An episode has one sequence for each seat, or several if a context or the chat template
cuts its chat.

By default, verl gives all sequences of an episode one reward and one group. The sequences of this
adapter keep the rewards of their turns, and their group names the seat. The estimator
`algorithm.adv_estimator=gem_ma` uses both; verl's own GRPO uses only the last sequence. Importing
this file registers the agent loop and the estimator. It is written against verl 0.9.1;
docs/trainers.md lists what was run.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any
from uuid import uuid4

from gem_ma.chat.tokenization import ChatTokenizer
from gem_ma.chat.turn import Turn
from gem_ma.training.trainer_rows import TrainerRow, build_rows
from gem_ma.training.trainers.batches import compute_token_rewards, find_row_end
from gem_ma.training.trainers.engine_agent import EngineAgent, GeneratedTokens, play_group
from gem_ma.training.trainers.seats import assign_seats
from gem_ma.validation.json_types import JSONObject

try:
    import torch
    from verl.experimental.agent_loop.agent_loop import AgentLoopBase, AgentLoopOutput, register
    from verl.experimental.agent_loop.tool_agent_loop import SPEC_DECODE_EXTRA_KEYS
    from verl.trainer.ppo.core_algos import register_adv_est
except ImportError as error:
    raise ImportError("this adapter needs verl: pip install 'verl[verl-core]==0.9.1'") from error


class SeatOutput(AgentLoopOutput):
    """A sequence of one seat, with the rewards of its tokens and the name of its group."""

    token_rewards: list[float]
    group: str

    def as_dict(self) -> JSONObject:
        """Return the fields that verl trains on, with `token_rewards` in place of one reward."""
        found = super().as_dict()
        found["rm_scores"] = torch.tensor(found.pop("token_rewards"), dtype=torch.float32)
        return _SeatFields(found, uid=found.pop("group"))


class _SeatFields(dict[str, Any]):
    """Fields that keep their own group `uid` when verl adds the row's fields to them."""

    def update(self, row: Mapping[str, Any]) -> None:  # type: ignore[override]
        super().update({**row, "uid": self["uid"]})


@register("gem_ma")
class GameAgentLoop(AgentLoopBase):
    """An agent loop that plays one episode."""

    async def run(self, sampling_params: JSONObject, **kwargs: Any) -> list[SeatOutput]:
        """Play an episode, and return the sequences of all trained seats."""
        row = dict(kwargs["extra_info"])
        table = assign_seats(
            GameAgentLoop,
            row["env"],
            row.get("seat"),
            row.get("others"),
            dict(row.get("make") or {}),
        )
        tokens = ChatTokenizer(
            self.processor or self.tokenizer, dict(self.apply_chat_template_kwargs)
        )
        room = int(self.rollout_config.response_length)
        request = uuid4().hex
        engine_fields: dict[str, list[JSONObject]] = defaultdict(list)  # by seat, one per reply

        async def generate(turn: Turn, prompt: list[int], shown: list[Any]) -> GeneratedTokens:
            output = await self.server_manager.generate(
                request_id=f"{request}-{turn.seat}",
                prompt_ids=prompt,
                sampling_params=sampling_params,
                image_data=shown or None,
            )
            engine_fields[turn.seat].append(output.extra_fields)
            return GeneratedTokens(output.token_ids, output.log_probs)

        limit = int(self.rollout_config.prompt_length) + room
        episodes = await play_group(table, EngineAgent(tokens, generate, limit), row)
        if not engine_fields:
            raise ValueError(
                f"no reply was generated for {', '.join(table.seats)} with {row}: these seats "
                f"never act, or their prompts have more than {limit} tokens, the sum of "
                "rollout.prompt_length and rollout.response_length"
            )
        every_reply = [fields for seat in engine_fields.values() for fields in seat]
        returns = {f"return/{name}": episodes[0].returns[name] for name in table.seats}
        session = f"{kwargs.get('uid', '')}/{{}}/{kwargs.get('session_id', request)}"
        return [
            _make_output(
                one,
                room,
                session.format(one["agent"]),
                {
                    **_merge_engine_fields(engine_fields.get(one["agent"], every_reply)),
                    "reward_extra_info": returns,
                },
            )
            for one in build_rows(episodes, tokens, train=table.seats)
            if one["trainable"]
        ]


def _merge_engine_fields(replies: Sequence[JSONObject]) -> JSONObject:
    """Merge the extra fields of verl's engine for several replies into those of a sequence.

    verl's trainer reads from them which versions of the weights drew the sequence.
    """
    merged: JSONObject = {}
    for fields in replies:
        merged.update(fields)
    for name, choose in (("min_global_steps", min), ("max_global_steps", max)):
        versions = [fields[name] for fields in replies if fields.get(name) is not None]
        merged[name] = choose(versions, default=None)
    for name in merged.keys() & set(SPEC_DECODE_EXTRA_KEYS):
        merged[name] = sum(fields.get(name, 0) for fields in replies)
    return merged


def _make_output(row: TrainerRow, room: int, session: str, extra_fields: JSONObject) -> SeatOutput:
    start = row["spans"][0][0]
    end = find_row_end(row, start + room)
    logprobs = [
        value if own else 0.0
        for value, own in zip(row["logprobs"][start:end], row["mask"][start:end], strict=True)
    ]
    return SeatOutput(
        prompt_ids=row["ids"][:start],
        response_ids=row["ids"][start:end],
        response_mask=row["mask"][start:end],
        response_logprobs=None if any(map(math.isnan, logprobs)) else logprobs,
        multi_modal_data={"images": [one.to_pil() for one in row["pictures"]]}
        if row["pictures"]
        else {},
        reward_score=sum(row["rewards"]),
        num_turns=2 * len(row["spans"]),
        metrics={},
        extra_fields={
            **extra_fields,
            "turn_scores": row["rewards"],
            "tool_rewards": [],
            "seat": row["agent"],
        },
        token_rewards=compute_token_rewards(row)[start:end],
        group=f"{session}/{row['part']}",
    )


@register_adv_est("gem_ma")  # type: ignore[untyped-decorator]
def compute_seat_advantages(
    token_level_rewards: Any,
    response_mask: Any,
    index: Sequence[str],
    config: Any = None,
    **_: object,
) -> tuple[Any, Any]:
    """Return each token's reward to go, minus the mean return of its seat in the other episodes.

    The other episodes are those with the same start.

    Args:
        token_level_rewards: rewards of all tokens.
        response_mask: 1 for tokens that the policy drew.
        index: the groups of `SeatOutput`: start, seat, episode, and the part of its chat. Other
            names are padding rows of verl, whose advantages are 0.
        config: not used.

    Returns:
        The advantages twice, since verl also expects returns.
    """
    places: dict[tuple[str, ...], list[tuple[int, int]]] = defaultdict(list)
    for place, name in enumerate(index):
        if "/" not in str(name):
            continue
        *episode, part = str(name).rsplit("/", 3)
        places[tuple(episode)].append((int(part), place))
    own = token_level_rewards.sum(-1)
    totals = {key: float(sum(own[i] for _, i in parts)) for key, parts in places.items()}
    groups: dict[tuple[str, ...], list[float]] = defaultdict(list)
    for key, total in totals.items():
        groups[key[:2]].append(total)
    advantages = torch.zeros_like(token_level_rewards)
    for key, parts in places.items():
        group = groups[key[:2]]
        others = (sum(group) - totals[key]) / (len(group) - 1) if len(group) > 1 else 0.0
        later = totals[key]
        for _part, i in sorted(parts):
            later -= float(own[i])  # return of the later parts
            to_go = token_level_rewards[i].flip(-1).cumsum(-1).flip(-1)
            advantages[i] = to_go + later - others
    advantages = advantages * response_mask
    return advantages, advantages
