"""Oat adapter: games for a PPOMultiTurnActor, with one Oat episode for each trained seat.

Oat trains on turns. Each turn is a transition with its own prompt, so a context or a chat template
may cut a chat anywhere. Oat's learner computes returns within an episode and subtracts a critic's
values or nothing; it has no groups. Only texts are supported, no pictures.

Checked by tests/training against the transitions, the actor's step and the learner's advantages of
Oat 0.2.4; vLLM, DeepSpeed and launchpad were not run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from gem_ma.chat.conversation import make_tool_schemas
from gem_ma.chat.reply import Reply
from gem_ma.chat.tokenization import ChatTokenizer
from gem_ma.chat.turn import Turn
from gem_ma.rollouts.episode import Episode
from gem_ma.rollouts.rollout import rollout
from gem_ma.training.trainer_rows import build_rows
from gem_ma.training.trainers.seats import SeatAssignment

try:
    from oat.types import Transition
except ImportError as error:
    raise ImportError("this adapter needs Oat: pip install oat-llm==0.2.4") from error


class BatchEngineAgent:
    """An agent that requests the replies of many turns from an engine in one batch.

    Args:
        tokens: the tokenizer that makes prompts of chats.
        generate: a function from prompts as token ids to a pair for each prompt: the drawn token
            ids and their log-probabilities.
    """

    def __init__(
        self,
        tokens: ChatTokenizer,
        generate: Callable[[list[list[int]]], Sequence[tuple[Sequence[int], Sequence[float]]]],
    ):
        self.tokens, self.generate = tokens, generate

    def act(self, turns: list[Turn]) -> list[Reply]:
        """Return the engine's replies to some turns."""
        prompts = [
            self.tokens.build_prompt(t.messages, make_tool_schemas(t.tools)).ids for t in turns
        ]
        decode = self.tokens.tokenizer.decode
        return [
            Reply(
                decode(list(ids), skip_special_tokens=True),
                token_ids=list(ids),
                logprobs=list(logprobs),
            )
            for ids, logprobs in self.generate(prompts)
        ]

    def __repr__(self) -> str:
        return "BatchEngineAgent()"


def collect_transitions(
    table: SeatAssignment, agent: BatchEngineAgent, games: int, **how: Any
) -> list[list[Transition]]:
    """Play games and return a list of transitions for each trained seat of each game.

    Args:
        table: the environment and the agents of its seats.
        agent: the agent in the trained seats.
        games: how many games to play.
        **how: as of `rollout`, such as seed, group and context.
    """
    agents = {**table.others, **dict.fromkeys(table.seats, agent)}
    episodes = rollout(table.env, agents, games, max_errors=0, progress=False, **how)
    return make_transitions(episodes, agent.tokens, table.seats)


def make_transitions(
    episodes: Iterable[Episode], tokens: ChatTokenizer, seats: Sequence[str]
) -> list[list[Transition]]:
    """Return the turns of each trained seat of each episode as Oat transitions."""
    transitions: dict[tuple[str, str], list[Transition]] = {}
    for row in build_rows(episodes, tokens, train=seats, per="turn"):
        if not row["trainable"]:
            continue
        if row["pictures"]:
            raise ValueError(
                f"Oat takes no pictures, and {row['agent']} was shown some; use observe='text'"
            )
        ((start, end),) = row["spans"]
        prompt, said = row["ids"][:start], row["ids"][start:end]
        texts = [tokens.tokenizer.decode(ids) for ids in (prompt, said)]
        turn = Transition(
            obs=texts[0],
            action=texts[1],
            rewards=row["rewards"][0],
            done=False,
            prompt=texts[0],
            prompt_ids=prompt,
            response=texts[1],
            response_ids=said,
            response_logprobs=row["logprobs"][start:end],
            response_is_truncated=False,
            action_is_formatted=True,  # the game's reward already judges the format
            loss_mask=True,
            info={"seat": float(seats.index(row["agent"]))},  # Oat averages these numbers
        )
        transitions.setdefault((row["episode"], row["agent"]), []).append(turn)
    for turns in transitions.values():
        turns[-1].done = True
    return list(transitions.values())
