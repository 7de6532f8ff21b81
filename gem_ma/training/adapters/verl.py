"""verl: one seat as an agent loop, token ids in and out.

A row of the data set says `agent_name: gem_ma` and, in `extra_info`, `env`, `seat`, `others`,
`make`, `seed` and `options` as `sit` takes them. One sequence for an episode, one number for a
sequence; verl 0.9.1 gives the last reward to all where a loop returns several, so that two seats
cannot train together. Written against verl 0.9.1; see docs/training.md for what was run.
"""

from __future__ import annotations

from typing import Any
from uuid import uuid4

from gem_ma.talk.conversation import schemas
from gem_ma.talk.messages import pictures
from gem_ma.talk.reply import Reply
from gem_ma.talk.tokens import Tokens
from gem_ma.training.adapters import sit

try:
    from verl.experimental.agent_loop.agent_loop import AgentLoopBase, AgentLoopOutput, register
except ImportError as error:
    raise ImportError("this adapter needs verl: pip install 'verl[verl-core]==0.9.1'") from error


@register("gem_ma")
class GemAgentLoop(AgentLoopBase):
    """Play one episode; stop where the response has no room for another turn."""

    async def run(self, sampling_params: dict[str, Any], **kwargs: Any) -> AgentLoopOutput:
        """Return the episode as one sequence."""
        row = dict(kwargs["extra_info"])
        seat = sit(row["env"], row.get("seat"), row.get("others"), **dict(row.get("make") or {}))
        tokens = Tokens(self.processor or self.tokenizer, dict(self.apply_chat_template_kwargs))
        room, request = int(self.rollout_config.response_length), uuid4().hex
        outcome = await seat.reset(row.get("seed"), row.get("options"))
        if outcome.turn is None:
            raise ValueError(f"{seat.name} of {row['env']} never comes to act with {row}")
        ids: list[int] = []
        mask: list[int] = []
        logprobs: list[float] = []
        rewards: list[float] = []
        start, shown, known = 0, [], True
        while outcome.turn is not None:
            turn = outcome.turn
            prompt = tokens.prompt(turn.messages, schemas(turn.tools))
            if prompt.ids[: len(ids)] != ids:
                raise ValueError(f"verl takes one sequence for an episode: {prompt.note}")
            new = len(prompt.ids) - len(ids)
            if ids and len(prompt.ids) - start >= room:
                break
            start = start or new
            mask += [0] * new
            logprobs += [0.0] * new
            shown = [one.pil() for one in pictures(turn.messages)]
            made = await self.server_manager.generate(
                request_id=request,
                prompt_ids=prompt.ids,
                sampling_params=sampling_params,
                image_data=shown or None,
            )
            said = list(made.token_ids)
            ids = [*prompt.ids, *said]
            mask += [1] * len(said)
            known = known and made.log_probs is not None
            logprobs += list(made.log_probs or [0.0] * len(said))
            text = tokens.tokenizer.decode(said, skip_special_tokens=True)
            outcome = await seat.step(Reply(text, token_ids=said))
            rewards.append(outcome.reward)
        end = start + room
        return AgentLoopOutput(
            prompt_ids=ids[:start],
            response_ids=ids[start:end],
            response_mask=mask[start:end],
            response_logprobs=logprobs[start:end] if known else None,
            multi_modal_data={"images": shown} if shown else {},
            reward_score=sum(rewards),
            num_turns=2 * len(rewards),
            metrics={},
            extra_fields={"turn_scores": rewards, "tool_rewards": []},
        )
