"""The data of one episode in a page: its steps, its pictures, and what a spectator saw."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from PIL import Image

from gem_ma.chat.conversation import Step
from gem_ma.chat.messages import find_observation_pictures
from gem_ma.chat.reply import Reply
from gem_ma.evaluation.viewer.spectator import (
    SpectatorView,
    UnseenEpisode,
    combine_pictures,
    group_steps,
)
from gem_ma.evaluation.viewer.squares import SquaredPicture, SquareSheets
from gem_ma.renderers.picture import Picture
from gem_ma.rollouts.episode import Episode
from gem_ma.validation.json_types import JSONObject


class EpisodeRecording:
    """The data of one episode; a picture is stored as its changes to the previous picture."""

    def __init__(self, squares: SquareSheets, views: Iterator[SpectatorView] | None = None):
        self._squares = squares
        self._views = views
        self._pictures: list[JSONObject] = []
        self._numbers: dict[Any, int] = {}  # a picture's key or content -> its number
        self._last: dict[
            str | None, tuple[int, SquaredPicture]
        ] = {}  # the viewer, None for spectators -> the last picture and its number

    def data(self, episode: Episode) -> JSONObject:
        """Return the page's data of an episode, or raise UnseenEpisode if its views raise it."""
        out: JSONObject = {
            name: getattr(episode, name)
            for name in Episode.__slots__
            if name not in ("spec", "steps", "failure")
        }
        out["seed"] = str(episode.seed)  # numbers in JavaScript are less exact
        out["spec"] = {"id": episode.spec.id, "kwargs": episode.spec.kwargs}
        out["failure"] = episode.failure and episode.failure._asdict()
        views, out["steps"] = [], []
        before = self._squares.pictures
        try:
            for steps in (*group_steps(episode.steps), ()):
                view = next(self._views, None) if self._views is not None else None
                if view is not None:
                    picture_index = self._add_picture(None, view.pixels)
                    views.append(
                        {"picture": picture_index, "text": view.text, "earned": view.earned}
                    )
                seats = view.seats if view is not None else {}
                out["steps"] += [self._step(step, seats.get(step.agent)) for step in steps]
            for _ in self._views or ():  # at its end, the spectator stores the environment again
                pass
        except UnseenEpisode:
            self._squares.pictures = before
            raise
        if self._views is not None:
            out["views"] = views
        out["pictures"] = self._pictures
        return out

    def _step(self, step: Step, again: Picture | None) -> JSONObject:
        reply = step.reply
        out: JSONObject = {"agent": step.agent, "number": step.number, "text": step.text}
        for name in ("results", "calls", "move", "reward", "invalid", "seconds"):
            out[name] = getattr(step, name)
        out["reply"] = None if reply is None else str(reply)
        if isinstance(reply, Reply):
            out |= {"tool_calls": reply.tool_calls, "usage": reply.usage}
            out |= {"latency": reply.latency, "finish_reason": reply.finish_reason}
            out["tokens"] = count_written_tokens(reply)
            if reply.logprobs:
                out["logprob"] = sum(reply.logprobs) / len(reply.logprobs)
        if pictures := find_observation_pictures(step.observation):
            out["alt"] = "\n".join(picture.alt for picture in pictures if picture.alt)
            try:
                out["picture"] = self._picture(step.agent, combine_pictures(pictures))
            except (OSError, SyntaxError, ValueError, Image.DecompressionBombError):
                if again is None:  # recorded without pictures, or the folder was moved
                    out["lost"] = True
                else:
                    out["picture"] = self._add_picture(step.agent, again.array)
        return out

    def _picture(self, seat: str, picture: Picture) -> int:
        """Return the number of a recorded picture in this episode, and add it if it is new."""
        number = self._numbers.get(picture.key)
        if number is None:
            number = self._numbers[picture.key] = self._add_picture(seat, picture.array)
        return number

    def _add_picture(self, who: str | None, pixels: np.ndarray) -> int:
        base, old = self._last.get(who, (None, None))
        new = self._squares.of(pixels, old)
        content = new.size, new.numbers.tobytes()
        number = self._numbers.setdefault(content, len(self._pictures))
        if number == len(self._pictures):
            description: JSONObject = {"width": new.size[0], "height": new.size[1]}
            if old is None or old.size != new.size:
                description["squares"] = new.numbers.tolist()
            else:
                where = np.flatnonzero(new.numbers != old.numbers)
                description["base"] = base
                description["changes"] = np.stack([where, new.numbers[where]], 1).ravel().tolist()
            self._pictures.append(description)
            self._squares.pictures += 1
        self._last[who] = number, new
        return number


def count_written_tokens(reply: Any) -> int:
    """Return how many tokens a model wrote; 0 if it did not report them."""
    token_count = reply.usage.get("completion_tokens") if isinstance(reply, Reply) else None
    if isinstance(token_count, int):
        return token_count
    return len(getattr(reply, "token_ids", None) or ())
