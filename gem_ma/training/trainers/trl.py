"""TRL adapter: GRPOTrainer's two environment interfaces, `rollout_func` and `environment_factory`.

Checked by tests/training against TRL 1.16 with transformers 5.23.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from gem_ma.agents.hf import HFAgent
from gem_ma.apis import factory
from gem_ma.apis.factory import EnvSource
from gem_ma.chat.agent import AgentSource, SeatAgents
from gem_ma.chat.messages import ChatMessage, to_hf
from gem_ma.chat.tokenization import ChatTokenizer, ReplyHistory
from gem_ma.engine.seeding import derive_seed
from gem_ma.rollouts.rollout import rollout
from gem_ma.training.trainer_rows import (
    PromptCompletion,
    TrainerRow,
    build_rows,
    split_prompt_completion,
)
from gem_ma.training.trainers.batches import iter_seat_episodes
from gem_ma.training.trainers.seats import SyncSeat, make_seat
from gem_ma.validation.json_types import JSONMapping, JSONObject

GAME_OVER_TEXT = "The game is over. Do not call this tool again."


def rollout_func(
    env: EnvSource,
    others: Mapping[str, AgentSource] | None = None,
    *,
    agent: Callable[[Any], Any] | None = None,
    max_new_tokens: int = 256,
    template: JSONMapping | None = None,
    history: ReplyHistory = "keep",
    context: Any = None,
    seed: int = 0,
    **make: Any,
) -> Callable[[Sequence[Any], Any], dict[str, Any]]:
    """Return a `rollout_func` that plays games; each prompt is one seat of a game.

    The text of the prompts is not used. The trainer's model plays, and is trained in, all seats
    that `others` does not play. TRL compares runs of `num_generations` rows, so each run is one
    seat in games with the same start. With two seats, a batch has a group of the first seat, then
    a group of the second seat in the same games, and so on. Use `env_reward` as the reward
    function: the reward of a row is the return of its seat.

    Args:
        env: an id with `make`, its arguments, or an environment.
        others: from seat to the agent that plays it; the other seats are trained.
        agent: makes the agent of the trained seats from the trainer; its replies need token ids and
            logprobs. Use it for vLLM, or for a model on several devices. None: HFAgent with the
            trainer's model, `max_new_tokens`, `template` and `history`.
        max_new_tokens: maximum tokens of a reply.
        template: further arguments of the chat template, such as {"enable_thinking": False}.
        history: how a prompt contains earlier replies (see `gem_ma.chat.ChatTokenizer`). TRL takes
            one sequence per episode, so use "keep" for a model that thinks: with "drop_thoughts" or
            "template" its episodes have several sequences.
        context: how much of its chat an agent reads, as of `rollout`.
        seed: decides the starts, together with the training step.
        **make: arguments of the environment, if `env` is an id.
    """
    env = factory.resolve_env(rollout_func, env, make)
    others = dict(others or {})
    seats = [name for name in env.possible_agents if name not in others]
    last, calls = -1, 0

    def play_prompts(prompts: Sequence[Any], trainer: Any) -> dict[str, Any]:
        nonlocal last, calls
        training = trainer.model.training
        copies = trainer.num_generations if training else trainer.num_generations_eval
        games, rest = divmod(len(prompts), len(seats))
        if rest or games % copies:
            raise ValueError(
                f"got {len(prompts)} prompts on this device for games with the seats "
                f"{', '.join(seats)} in groups of {copies}: per_device_train_batch_size times "
                f"steps_per_generation must be a multiple of {copies * len(seats)}"
            )
        step = trainer.state.global_step
        last, calls = step, calls + 1 if step == last else 0
        tokens = ChatTokenizer(trainer.processing_class, template, history)
        player = (
            agent(trainer)
            if agent is not None
            else _make_agent(trainer, max_new_tokens, template, history)
        )
        try:
            episodes = rollout(
                env,
                {**others, **dict.fromkeys(seats, player)},
                games,
                group=copies,
                seed=derive_seed(seed, step, calls, trainer.accelerator.process_index),
                context=context,
                max_errors=0,
                progress=False,
            )
        finally:
            trainer.model.train(training)
        completions: dict[tuple[str, str], PromptCompletion] = {}
        turns: dict[tuple[str, str], TrainerRow] = {}
        for row in build_rows(episodes, tokens, train=seats):
            if row["trainable"]:
                if row["part"]:
                    raise ValueError(
                        f"TRL takes one sequence per episode, {row['agent']} has several: "
                        f"{row['notes'][0]}"
                    )
                if row["pictures"]:
                    raise ValueError(
                        f"TRL takes no pictures from a rollout_func, and {row['agent']} was shown "
                        "some; take environment_factory, or observe='text'"
                    )
                completions[row["episode"], row["agent"]] = split_prompt_completion(row)
                turns[row["episode"], row["agent"]] = row
        end = tokens.tokenizer.eos_token_id
        silent = PromptCompletion([end], [end], [0], [0.0], 0.0)  # a seat that never acted
        order = list(iter_seat_episodes(episodes, seats, copies))
        parts = [completions.get((episode.id, seat), silent) for episode, seat in order]
        returns = [episode.returns[seat] for episode, seat in order]
        return {
            "prompt_ids": [part.prompt for part in parts],
            "completion_ids": [part.completion for part in parts],
            "logprobs": [part.logprobs for part in parts],
            "env_mask": [part.mask for part in parts],
            "env_reward": returns,
            "turn_credit": [
                _compute_turn_credit(
                    turns.get((episode.id, seat)), returns[i], _compute_baseline(returns, i, copies)
                )
                for i, (episode, seat) in enumerate(order)
            ],
            "seat": [seat for _, seat in order],
        }

    return play_prompts


def env_reward(env_reward: list[float], **_: object) -> list[float]:
    """Return the returns of `rollout_func` unchanged; use this as GRPOTrainer's reward function."""
    return env_reward


def _compute_baseline(returns: Sequence[float], place: int, copies: int) -> float:
    """Return the mean return of the other rows in a row's group."""
    begin = place - place % copies
    group = returns[begin : begin + copies]
    return (sum(group) - returns[place]) / max(copies - 1, 1)


def _compute_turn_credit(row: TrainerRow | None, total: float, others: float) -> list[float]:
    """Return for each token of a completion the return from its turn on, minus a baseline.

    The baseline is `others`. `total` is the return of the whole row.
    """
    if row is None:
        return [0.0]
    rewards = [0.0] * len(row["ids"])
    for (start, end), reward in zip(row["spans"], row["rewards"], strict=True):
        rewards[start:end] = [total - others] * (end - start)
        total -= reward
    return rewards[row["spans"][0][0] :]


def add_turn_credit(trainer: type[Any]) -> type[Any]:
    """Return a subclass of a GRPOTrainer class that learns from the rewards of turns.

    It needs a `rollout_func` of this file. The advantage of a token is the return from its turn on,
    minus the mean return of the other episodes of its seat and start. TRL's own trainer has one
    advantage for the whole row.
    """

    class TurnCreditTrainer(trainer):
        def _generate_and_score_completions(self, inputs: Any) -> Any:
            outputs = super()._generate_and_score_completions(inputs)
            worth = outputs["completion_mask"].new_zeros(outputs["completion_mask"].shape).float()
            for number, row in enumerate(inputs):  # TRL adds the columns of a rollout_func
                credit = worth.new_tensor(row["turn_credit"][: worth.shape[1]])
                worth[number, : len(credit)] = credit
            return {**outputs, "advantages": worth}

    return TurnCreditTrainer


def _make_agent(
    trainer: Any, max_new_tokens: int, template: JSONMapping | None, history: ReplyHistory
) -> HFAgent:
    return HFAgent(
        trainer.accelerator.unwrap_model(trainer.model),
        trainer.processing_class,
        max_new_tokens=max_new_tokens,
        temperature=trainer.temperature,
        seed=derive_seed(trainer.state.global_step, trainer.accelerator.process_index) >> 32,
        template=template,
        history=history,
    )


class SeatToolEnv:
    """An environment of `environment_factory`: a seat whose only tool is `act`.

    A row of the data set may have `seed` and `options`. Rows with the same values have the same
    start.
    """

    def __init__(self, solo: SyncSeat):
        self._sync_seat = solo

    def reset(self, seed: int | None = None, options: Any = None, **_: object) -> Any:
        """Start a game; return the first observation, which TRL adds to the last user message."""
        return _merge_content(self._sync_seat.reset(seed, options).messages)

    def act(self, reply: str) -> Any:
        """Make your move in the game, and see what comes of it.

        Args:
            reply: The move.
        """
        if self._sync_seat.done:  # TRL continues as long as the model calls
            return GAME_OVER_TEXT
        outcome = self._sync_seat.step(str(reply))
        return _merge_content(outcome.messages) or GAME_OVER_TEXT

    def get_reward(self) -> float:
        """Return the seat's total reward in the game."""
        return self._sync_seat.reward


def environment_factory(
    env: EnvSource, seat: str | None = None, others: SeatAgents | None = None, **make: Any
) -> Callable[[], SeatToolEnv]:
    """Return an `environment_factory` for GRPOTrainer; the arguments are those of `make_seat`."""
    return lambda: SeatToolEnv(SyncSeat(make_seat(env, seat, others, **make)))


def _merge_content(messages: Sequence[ChatMessage]) -> Any:
    """Return new messages of a seat as one text, or as content blocks if there are pictures."""
    blocks: list[JSONObject] = []
    for message in to_hf([one for one in messages if one["role"] != "assistant"]):
        content = message["content"]
        text = isinstance(content, str)
        blocks += [{"type": "text", "text": content}] if text else content
    if any(block["type"] != "text" for block in blocks):
        return blocks
    return "\n\n".join(block["text"] for block in blocks)
