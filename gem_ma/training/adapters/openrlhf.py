"""OpenRLHF: one seat as an agent instance, whose file `--train.agent_func_path` names.

OpenRLHF appends text, so what stands between two replies is cut out of the chat template's own
rendering. Checked by tests/test_adapters.py against the agent module of OpenRLHF 0.11.2, run with a
scripted engine; the whole package wants flash-attn and was not installed.
"""

from __future__ import annotations

import json
from typing import Any

from gem_ma.messages import hf, pictures
from gem_ma.seats import Outcome
from gem_ma.training.adapters import sit

try:
    import torch
    from openrlhf.utils.agent import AgentInstanceBase, MultiTurnAgentExecutor
except ImportError as error:
    raise ImportError("this adapter needs OpenRLHF: pip install openrlhf==0.11.2") from error

_MARK = "gem-ma-reply"


def executor(
    processor: Any, env: str, seat: str | None = None, others: Any = None, **make: Any
) -> type[MultiTurnAgentExecutor]:
    """Return the class `AgentExecutor` that OpenRLHF looks for in a file.

    processor: the model's tokenizer, or its processor if it sees. The rest is as of `sit`. The
    label of a data set's row is the seed, or {"seed": 1, "options": {...}} as JSON; the prompt is
    not used. The first picture of a VLM has to be in the row, as OpenRLHF takes the pictures of the
    prompt from there; so a model that sees plays games that show nothing before the first reply.
    """

    class Instance(AgentInstanceBase):
        def __init__(self, *_: Any, **__: Any):
            self.seat = sit(env, seat, others, **make)
            self.turns = 0

        async def reset(self, states: dict[str, Any], **_: Any) -> dict[str, Any]:
            start = json.loads(str(states["label"]))
            start = start if isinstance(start, dict) else {"seed": start}
            outcome = await self.seat.reset(start.get("seed"), start.get("options"))
            if pictures(outcome.messages):
                raise ValueError(f"{env} begins with a picture, which OpenRLHF takes from the row")
            text = processor.apply_chat_template(
                hf(outcome.messages), tokenize=False, add_generation_prompt=True
            )
            return {"observation": text}

        async def step(self, state_dict: dict[str, Any], **_: Any) -> dict[str, Any]:
            outcome = await self.seat.step(state_dict["action_text"])
            self.turns += 1
            return {
                "rewards": torch.tensor(outcome.reward),
                "environment_feedback": _between(processor, outcome),
                "environment_images": [one.pil() for one in pictures(outcome.messages)],
                "done": outcome.turn is None,
                "extra_logs": {"turns": torch.tensor(float(self.turns))},
            }

    class AgentExecutor(MultiTurnAgentExecutor):
        def __init__(self) -> None:
            super().__init__(Instance)

    return AgentExecutor


def _between(processor: Any, outcome: Outcome) -> str:
    """Return what the chat template writes from the end of a reply to the begin of the next."""
    if outcome.turn is None:
        return ""
    chat = [
        {"role": "user", "content": "."},
        {"role": "assistant", "content": _MARK},
        *hf(outcome.messages),
    ]
    text = str(processor.apply_chat_template(chat, tokenize=False, add_generation_prompt=True))
    _, found, rest = text.partition(_MARK)
    if not found:
        raise ValueError("the chat template rewrites replies; OpenRLHF needs one that keeps them")
    # The token that ends a reply is among its ids already, though vLLM leaves it out of the text.
    return rest.removeprefix(getattr(processor, "tokenizer", processor).eos_token or "")
