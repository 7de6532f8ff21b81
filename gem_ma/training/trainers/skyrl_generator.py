"""SkyRL adapter: whole games as a generator, with a separate group for each seat.

SkyRL passes its generator all prompts of a batch, each repeated `n_samples_per_prompt` times. For a
game with two trained seats, two prompts make one group of games. The first prompt's rows are the
first seat in games with the same start, and the second prompt's rows are the second seat in the
same games. A row of the data set has the columns `prompt`, `env_class`, `env`, `seat`, `others`,
`make`, `seed`, `options` and `context`. A group of games uses the start in its first prompt.

A turn's reward is at its last token. With `generator.step_wise_trajectories=true` a seat may have
several sequences, and the last sequence has the sum of the rewards.

Checked by tests/training against the trainer of SkyRL 0.3.0, without its engines and workers.
"""

from __future__ import annotations

import asyncio
import itertools
import math
from collections.abc import Sequence
from typing import Any

from gem_ma.chat.messages import to_openai_chat
from gem_ma.chat.tokenization import ChatTokenizer
from gem_ma.chat.turn import Turn
from gem_ma.rollouts.episode import Episode
from gem_ma.training.trainer_rows import TrainerRow, build_rows
from gem_ma.training.trainers.batches import (
    compute_token_rewards,
    iter_seat_episodes,
    make_pixel_inputs,
)
from gem_ma.training.trainers.engine_agent import EngineAgent, GeneratedTokens, play_group
from gem_ma.training.trainers.seats import SeatAssignment, assign_seats
from gem_ma.validation.json_types import JSONMapping

try:
    from skyrl.train.generators.base import GeneratorInterface, GeneratorOutput
except ImportError as error:
    raise ImportError("this adapter needs SkyRL: pip install skyrl[fsdp]==0.3.0") from error


class GameGenerator(GeneratorInterface):
    """A SkyRL generator that plays games.

    Args:
        generator_cfg: SkyRL's generator configuration.
        inference_engine_client: SkyRL's client of its inference engines.
        tokenizer: the model's tokenizer.
        policy_model_name: name of the model that the engines call; None: their default.
        processor: the model's processor, needed for pictures.
    """

    def __init__(
        self,
        generator_cfg: Any,
        inference_engine_client: Any,
        tokenizer: Any,
        policy_model_name: str | None = None,
        processor: Any = None,
    ):
        self.config, self.client = generator_cfg, inference_engine_client
        template = dict(getattr(generator_cfg, "chat_template_kwargs", None) or {})
        self.tokens = ChatTokenizer(processor or tokenizer, template)
        self.model = policy_model_name

    async def generate(self, input_batch: Any, disable_tqdm: bool = False) -> GeneratorOutput:
        """Play the games of a batch, and return the sequences in the order of the prompts."""
        ids, extras = input_batch["trajectory_ids"], input_batch["env_extras"]
        runs = [list(run) for _, run in itertools.groupby(ids, lambda one: one.instance_id)]
        copies = len(runs[0])
        tables: list[tuple[SeatAssignment, JSONMapping]] = []
        place = 0
        while place < len(ids):
            start = dict(extras[place])
            make = dict(start.get("make") or {})
            table = assign_seats(
                GameGenerator, start["env"], start.get("seat"), start.get("others"), make
            )
            tables.append((table, start))
            place += copies * len(table.seats)
        if place != len(ids) or any(len(run) != copies for run in runs):
            seats = tables[-1][0].seats
            raise ValueError(
                f"got {len(runs)} prompts, the first with {copies} samples, for games with the "
                f"seats {', '.join(seats)}: expected a multiple of {len(seats)} prompts, all with "
                "equally many samples"
            )
        engine = EngineAgent(
            self.tokens,
            self._make_generate(input_batch.get("sampling_params")),
            self._compute_room(),
        )
        played = await asyncio.gather(
            *(play_group(table, engine, start, copies) for table, start in tables)
        )
        found: list[list[TrainerRow]] = []
        for (table, _), episodes in zip(tables, played, strict=True):
            found += self._collect_sequences(table, episodes, copies)
        return self._make_output(found, ids)

    def _compute_room(self) -> int | None:
        room = self.config.max_input_length
        return None if room is None else int(room) + 1

    def _make_generate(self, sampling: Any) -> Any:
        async def generate(turn: Turn, prompt: list[int], shown: list[Any]) -> GeneratedTokens:
            request = {
                "prompt_token_ids": [prompt],
                "session_ids": [f"{turn.episode}-{turn.seat}"],
                "sampling_params": sampling,
            }
            if shown:
                request["mm_features"] = [await self._fetch_features(turn, prompt)]
            response = await self.client.generate(request, model=self.model)
            logprobs = response.get("response_logprobs")
            return GeneratedTokens(
                response["response_ids"][0], None if logprobs is None else logprobs[0]
            )

        return generate

    async def _fetch_features(self, turn: Turn, prompt: list[int]) -> Any:
        """Return the engine's features of the pictures; raise ValueError if its tokens differ."""
        chat = {"model": self.client.model_name, "messages": to_openai_chat(turn.messages)}
        rendered = await self.client.render_chat_completion({"json": chat})
        if list(rendered["token_ids"]) != prompt:
            raise ValueError(
                "SkyRL's engine encodes the chat with other tokens than those of the replies, and "
                "so cannot place the pictures; use a chat template that keeps replies unchanged"
            )
        return rendered["features"]

    def _collect_sequences(
        self, table: SeatAssignment, episodes: Sequence[Episode], copies: int
    ) -> list[list[TrainerRow]]:
        """Return for each prompt the rows of its seat; none if the seat never acted."""
        known: dict[tuple[str, str], list[TrainerRow]] = {}
        for row in build_rows(episodes, self.tokens, train=table.seats):
            if row["trainable"]:
                known.setdefault((row["episode"], row["agent"]), []).append(row)
                if row["part"] and not self.config.step_wise_trajectories:
                    raise ValueError(
                        f"SkyRL takes one sequence per episode unless generator."
                        f"step_wise_trajectories=true, {row['agent']} has several: "
                        f"{row['notes'][0]}"
                    )
                if row["pictures"] and self.config.step_wise_trajectories:
                    raise ValueError(
                        f"SkyRL takes no pictures with step_wise_trajectories=true, and "
                        f"{row['agent']} was shown some; set it to false, or use observe='text'"
                    )
        return [
            known.get((e.id, seat), [])
            for e, seat in iter_seat_episodes(episodes, table.seats, copies)
        ]

    def _make_output(self, found: list[list[TrainerRow]], ids: Sequence[Any]) -> GeneratorOutput:
        stepwise = bool(self.config.step_wise_trajectories)
        end = self.tokens.tokenizer.eos_token_id
        silent = {"ids": [end, end], "mask": [0, 0], "logprobs": [0.0, 0.0],
                  "spans": [(1, 2)], "rewards": [0.0], "pictures": []}  # fmt: skip
        out: dict[str, list[Any]] = {
            name: []
            for name in ("prompt_token_ids", "response_ids", "rewards", "loss_masks",
                         "rollout_logprobs", "trajectory_ids", "is_last_step", "stop_reasons")
        }  # fmt: skip
        images: list[Any] = []
        for parts, one in zip(found, ids, strict=True):
            total = sum(sum(part["rewards"]) for part in parts)
            for number, row in enumerate(parts or [silent], 1):
                last = number == max(len(parts), 1)
                start, stop = row["spans"][0][0], row["spans"][-1][1]
                own = row["mask"][start:stop]
                out["prompt_token_ids"].append(row["ids"][:start])
                out["response_ids"].append(row["ids"][start:stop])
                out["rewards"].append(
                    (total if last else 0.0) if stepwise else compute_token_rewards(row)[start:stop]
                )
                out["loss_masks"].append(own)
                out["rollout_logprobs"].append(
                    [p if o else 0.0 for p, o in zip(row["logprobs"][start:stop], own, strict=True)]
                )
                out["trajectory_ids"].append(one)
                out["is_last_step"].append(last)
                out["stop_reasons"].append("stop")
                images.append(row["pictures"])
        if any(math.isnan(p) for one in out["rollout_logprobs"] for p in one):
            out["rollout_logprobs"] = None  # type: ignore[assignment]
        if not stepwise:
            del out["is_last_step"]
        return GeneratorOutput(rollout_metrics=None, **out, **self._make_pixel_inputs(images))

    def _make_pixel_inputs(self, shown: Sequence[Sequence[Any]]) -> dict[str, Any]:
        """Return the pictures of each sequence as inputs of the trained model."""
        if not any(shown):
            return {}
        made = [make_pixel_inputs(self.tokens, some) for some in shown]
        return {
            name: [None if one is None else one[name] for one in made]
            for name in ("pixel_values", "image_grid_thw")
        }
