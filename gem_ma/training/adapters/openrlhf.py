"""OpenRLHF: one seat as an agent instance, whose file `--train.agent_func_path` names.

OpenRLHF appends text, so what stands between two replies is cut out of the chat template's own
rendering. Checked by tests/training against the agent module of OpenRLHF 0.11.2, run with a
scripted engine; the whole package wants flash-attn and was not installed.
"""

from __future__ import annotations

import json
from typing import Any

from gem_ma.apis.seats import Outcome, Seat
from gem_ma.talk.messages import hf, pictures
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
    label of a data set's row is the seed, or {"seed": 1, "options": {...}} as JSON; the prompt and
    the pictures of the row are not used.
    """

    async def begin(label: Any) -> tuple[Seat, Outcome]:
        place = sit(env, seat, others, **make)
        return place, await place.reset(*_start(label))

    class Instance(AgentInstanceBase):
        def __init__(self, *_: Any, **__: Any):
            self.turns = 0

        async def reset(self, states: dict[str, Any], **_: Any) -> dict[str, Any]:
            self.seat, outcome = await begin(states["label"])
            _shown(processor, outcome)  # or an error
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
                "environment_images": _shown(processor, outcome),
                "done": outcome.turn is None,
                "extra_logs": {"turns": torch.tensor(float(self.turns))},
            }

    class AgentExecutor(MultiTurnAgentExecutor):
        def __init__(self) -> None:
            super().__init__(Instance)

        async def execute(
            self, prompt: Any, label: Any, *args: Any, images: Any = None, **kwargs: Any
        ) -> Any:
            # OpenRLHF wants the first pictures before the instance is reset, so they are of a game
            # that is begun for them alone, from the same seed.
            first: list[Any] = []
            if _sees(processor):
                place, outcome = await begin(label)
                first = _shown(processor, outcome)
                place.leave()
            return await super().execute(prompt, label, *args, images=first or None, **kwargs)

    return AgentExecutor


def _start(label: Any) -> tuple[int, Any]:
    """Return the seed and the options of a label."""
    start = json.loads(str(label))
    start = start if isinstance(start, dict) else {"seed": start}
    if start.get("seed") is None:
        raise ValueError(f'the label {label} has no seed; expected a number or {{"seed": 1}}')
    return start["seed"], start.get("options")


def _sees(processor: Any) -> bool:
    return getattr(processor, "image_processor", None) is not None


def _shown(processor: Any, outcome: Outcome) -> list[Any]:
    """Return the pictures that the seat has to reply to."""
    found = [one.pil() for one in pictures(outcome.messages)] if outcome.turn is not None else []
    if found and not _sees(processor):
        raise ValueError(
            f"a {type(processor).__name__} takes no pictures; use a model that sees with its "
            "processor, or observe='text'"
        )
    return found


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
