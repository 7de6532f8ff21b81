"""An agent for a trainer's own inference engine, and groups of games that it plays."""

from __future__ import annotations

import contextlib
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, NamedTuple

from gem_ma.chat.conversation import make_tool_schemas
from gem_ma.chat.messages import list_pictures
from gem_ma.chat.reply import Reply
from gem_ma.chat.tokenization import ChatTokenizer
from gem_ma.chat.turn import Turn
from gem_ma.rollouts.episode import Episode
from gem_ma.rollouts.rollout import arollout
from gem_ma.training.trainers.seats import SeatAssignment
from gem_ma.validation.json_types import JSONMapping


class GeneratedTokens(NamedTuple):
    """Tokens that an engine drew: their ids and, if it reports them, their log-probabilities."""

    ids: Sequence[int]
    logprobs: Sequence[float] | None = None


class EngineAgent:
    """An agent for a trainer's own engine, which reads and writes token ids.

    Args:
        tokens: the tokenizer that makes prompts of chats.
        generate: an async function of a turn, its prompt as token ids, and the prompt's pictures.
        room: number of prompt tokens from which on the engine is not called. The reply is then
            empty, the game handles it like any reply, and training samples add its reward to the
            seat's last drawn reply. None: no limit.
    """

    def __init__(
        self,
        tokens: ChatTokenizer,
        generate: Callable[[Turn, list[int], list[Any]], Awaitable[GeneratedTokens]],
        room: int | None = None,
    ):
        self.tokens, self.generate, self.room = tokens, generate, room

    async def act(self, turns: list[Turn]) -> list[Reply]:
        """Return the engine's replies to some turns."""
        return [await self._ask_engine(turn) for turn in turns]

    async def _ask_engine(self, turn: Turn) -> Reply:
        prompt = self.tokens.build_prompt(turn.messages, make_tool_schemas(turn.tools))
        if self.room is not None and len(prompt.ids) >= self.room:
            return Reply("", token_ids=[], finish_reason="length")  # no token was drawn
        images = [one.to_pil() for one in list_pictures(turn.messages)]
        completion = await self.generate(turn, prompt.ids, images)
        ids = list(completion.ids)
        text = self.tokens.tokenizer.decode(ids, skip_special_tokens=True)
        return Reply(text, token_ids=ids, logprobs=completion.logprobs)

    def __repr__(self) -> str:
        return "EngineAgent()"


async def play_group(
    table: SeatAssignment, engine: EngineAgent, start: JSONMapping, games: int = 1
) -> list[Episode]:
    """Play games with the same start, with the engine in all trained seats.

    Args:
        table: the environment and the agents of its seats.
        engine: the agent in the trained seats.
        start: `seed`, `options` and `context` of a data set's row, as `rollout` takes them.
        games: how many games to play.
    """
    agents = {**table.others, **dict.fromkeys(table.seats, engine)}
    names = ("seed", "options", "context")
    reset_kwargs = {name: start[name] for name in names if start.get(name) is not None}
    episodes: list[Episode] = []
    playing = arollout(
        table.env, agents, games, group=games, concurrency=games, max_errors=0, progress=False,
        **reset_kwargs,
    )  # fmt: skip
    async with contextlib.aclosing(playing) as finished:
        async for episode in finished:
            episodes.append(episode)
    return sorted(episodes, key=lambda episode: episode.number)
