"""Episodes on disk: JSON lines with the pictures beside them, and data sets."""

from __future__ import annotations

import functools
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Self

from gem_ma.episode import Episode, Failure, Reply, Step
from gem_ma.messages import Picture
from gem_ma.registry import Spec
from gem_ma.remote import without_secrets

FORMAT = 1
_START = '{"gem_ma": '  # every line of such a file begins so


class NotARecord(ValueError):
    """A file that holds something else than episodes."""


def to_json(episode: Episode) -> dict[str, Any]:
    """Return an episode as JSON values; a picture is its key."""
    out: dict[str, Any] = {"gem_ma": FORMAT}
    for name in Episode.__slots__:
        out[name] = getattr(episode, name)
    out["spec"] = {name: getattr(episode.spec, name) for name in ("id", "entry_point", "kwargs")}
    out["agents"] = {seat: without_secrets(name) for seat, name in episode.agents.items()}
    out["failure"] = episode.failure and episode.failure._asdict()
    out["steps"] = [_step(step) for step in episode.steps]
    return out


def _step(step: Step) -> dict[str, Any]:
    out: dict[str, Any] = {"agent": step.agent, "number": step.number}
    out["observation"] = {
        name: {"picture": value.key, "alt": value.alt} if isinstance(value, Picture) else value
        for name, value in step.observation.items()
    }
    if step.text != step.observation.get("text"):
        out["text"] = step.text
    if step.results:
        out["results"] = step.results
    fields = step.reply.fields() if isinstance(step.reply, Reply) else {}
    out["reply"] = {"text": str(step.reply), **fields} if fields else step.reply
    for name in ("move", "reward", "invalid", "seconds"):
        out[name] = getattr(step, name)
    return out


def from_json(data: Mapping[str, Any], pictures: Path | None = None) -> Episode:
    """Return the episode that `to_json` was given; its pictures come from files, when needed."""
    fields = {name: data[name] for name in Episode.__slots__}
    fields["spec"] = Spec(**data["spec"])
    fields["failure"] = Failure(**data["failure"]) if data["failure"] else None
    fields["agents"] = {seat: without_secrets(name) for seat, name in data["agents"].items()}
    fields["wrappers"] = tuple(data["wrappers"])
    fields["steps"] = [_from_step(step, pictures) for step in data["steps"]]
    return Episode(**fields)


def _from_step(data: dict[str, Any], pictures: Path | None) -> Step:
    observation = {
        name: _picture(value, pictures) if isinstance(value, dict) else value
        for name, value in data["observation"].items()
    }
    reply = data["reply"]
    if isinstance(reply, dict):
        reply = Reply(**{"text": reply.pop("text"), **reply})
    fields = {name: data[name] for name in ("agent", "number", "move", "reward", "invalid")}
    return Step(
        **fields,
        observation=observation,
        text=data.get("text", observation.get("text", "")),
        results=tuple(data.get("results", ())),
        reply=reply,
        seconds=data["seconds"],
    )


def _picture(data: dict[str, str], folder: Path | None) -> Picture:
    path = str(folder / f"{data['picture']}.png") if folder else ""
    return Picture(
        functools.partial(_read_pixels, path),
        data["alt"],
        key=data["picture"],
        png=functools.partial(_read_png, path),
    )


def _read_pixels(path: str) -> Any:
    import io

    import numpy as np
    from PIL import Image

    return np.array(Image.open(io.BytesIO(_read_png(path))).convert("RGB"))


def _read_png(path: str) -> bytes:
    try:
        return Path(path).read_bytes()
    except FileNotFoundError:
        raise FileNotFoundError(
            f"the picture {path or 'of this step'} was not saved; episode.replay() draws it again"
        ) from None


class EpisodeFile:
    """A file that episodes are appended to, each in one line; its pictures lie in a folder beside.

    A program that is killed leaves whole lines and at most one that is cut; opening the file for
    more drops that one. pictures: False leaves their files out, and `Episode.replay` redraws them.
    """

    def __init__(self, path: str | os.PathLike[str], *, pictures: bool = True):
        self.path = Path(path)
        self.pictures = pictures_of(self.path) if pictures else None
        _check(self.path)
        self._file = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
        os.ftruncate(self._file, _whole(self._file))

    def append(self, episode: Episode) -> None:
        """Write an episode: first its pictures, then its line, at once."""
        line = (json.dumps(to_json(episode)) + "\n").encode()
        if self.pictures is not None:
            for step in episode.steps:
                for part in step.observation.values():
                    if isinstance(part, Picture):
                        self._save(part)
        end = os.lseek(self._file, 0, os.SEEK_END)
        try:
            view = memoryview(line)
            while view:
                view = view[os.write(self._file, view) :]
        except OSError:  # a full disk: half a line would spoil the next one
            os.ftruncate(self._file, end)
            raise

    def _save(self, picture: Picture) -> None:
        assert self.pictures is not None
        path = self.pictures / f"{picture.key}.png"
        if path.exists():
            return
        self.pictures.mkdir(exist_ok=True)
        half = path.with_suffix(f".{os.getpid()}")
        half.write_bytes(picture.png)
        half.replace(path)

    def close(self) -> None:
        """Close the file; nothing waits to be written."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def pictures_of(path: str | os.PathLike[str]) -> Path:
    """Return the folder in which the pictures of a file of episodes lie."""
    return Path(path).with_suffix(".pictures")


def save_episodes(
    episodes: Iterable[Episode], path: str | os.PathLike[str], *, pictures: bool = True
) -> None:
    """Append episodes to a file of JSON lines."""
    with EpisodeFile(path, pictures=pictures) as file:
        for episode in episodes:
            file.append(episode)


def load_episodes(path: str | os.PathLike[str]) -> Iterator[Episode]:
    """Yield the episodes of a file, up to its last whole line."""
    path = Path(path)
    _check(path)
    folder = pictures_of(path)
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            if not line.endswith(b"\n"):
                return  # the writer was stopped here
            try:
                data = json.loads(line)
                known = data["gem_ma"] == FORMAT
            except (ValueError, TypeError, KeyError) as error:
                raise NotARecord(f"{path}, line {number}: no episode ({error})") from None
            if not known:
                raise NotARecord(
                    f"{path}, line {number}: written in format {data['gem_ma']}, and this release "
                    f"reads {FORMAT}; a newer gem_ma may read it"
                )
            yield from_json(data, folder)


def without_failures(path: Path) -> None:
    """Drop the episodes that failed out of a file, which then are played again."""
    _check(path)
    lines = path.read_bytes().splitlines(keepends=True)
    kept = [line for line in lines if line.endswith(b"\n") and not json.loads(line)["failure"]]
    if len(kept) < len(lines):
        half = path.with_suffix(f".{os.getpid()}")
        half.write_bytes(b"".join(kept))
        half.replace(path)


def _check(path: Path) -> None:
    """Refuse a file that is not ours before anything is written or cut."""
    if not path.exists():
        if path.parent.is_dir():
            return
        raise FileNotFoundError(f"{path}: there is no folder {path.parent}")
    with path.open("rb") as file:
        head = file.read(len(_START)).decode(errors="replace")
    if not _START.startswith(head[: len(_START)]):
        raise NotARecord(f"{path} is no file of episodes: it begins with {head!r}")


def _whole(file: int) -> int:
    """Return where the last whole line ends."""
    end = os.lseek(file, 0, os.SEEK_END)
    while end:
        start = max(0, end - (1 << 16))
        found = os.pread(file, end - start, start).rfind(b"\n")
        if found >= 0:
            return start + found + 1
        end = start
    return 0


def to_dataset(episodes: Iterable[Episode]) -> Any:
    """Return a Hugging Face Dataset with a row for each seat of each episode that did not fail.

    Columns: env, episode, group, seed, seat, agent, return, rewards (one for each reply), messages
    (conversational, pictures as {"type": "image"}) and images. `to_parquet` writes it.
    """
    from gem_ma.messages import trl_row

    try:
        import datasets
    except ImportError as error:
        raise ImportError("to_dataset needs datasets: pip install 'gem-ma[datasets]'") from error
    text, number = datasets.Value("string"), datasets.Value("float64")
    call = {"id": text, "type": text, "function": {"name": text, "arguments": text}}
    message = {
        "role": text,
        "content": datasets.List({"type": text, "text": text}),
        "tool_calls": datasets.List(call),
        "tool_call_id": text,
    }
    features = datasets.Features(
        {
            **dict.fromkeys(("env", "episode", "seat", "agent"), text),
            "group": datasets.Value("int64"),
            "seed": datasets.Value("int64"),
            "return": number,
            "rewards": datasets.List(number),
            "messages": datasets.List(message),
            "images": datasets.List(datasets.Image()),
        }
    )
    rows = []
    for episode in episodes:
        if episode.failure is not None:
            continue
        for seat, agent in episode.agents.items():
            row = trl_row(episode.messages(seat))
            for one in row["prompt"]:
                for made in one.get("tool_calls", ()):  # Arrow has one type for all arguments
                    made["function"]["arguments"] = json.dumps(made["function"]["arguments"])
            rows.append(
                {
                    "env": episode.spec.id,
                    "episode": episode.id,
                    "group": episode.group,
                    "seed": episode.seed,
                    "seat": seat,
                    "agent": agent,
                    "return": episode.returns[seat],
                    "rewards": [step.reward for step in episode.steps if step.agent == seat],
                    "messages": row["prompt"],
                    "images": row["images"],
                }
            )
    return datasets.Dataset.from_list(rows, features=features)
