"""Data sets of Hugging Face's library datasets, with a row for each conversation or each turn.

Checked by tests/rollouts/formats/test_dataset.py against datasets 5.2.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from gem_ma.chat.messages import ChatMessage, Picture, list_pictures, to_hf
from gem_ma.rollouts.episode import Episode
from gem_ma.rollouts.formats.conversations import add_thoughts, list_chats, list_tools
from gem_ma.rollouts.formats.transcripts import replace_all_surrogates, to_plain_json
from gem_ma.validation.arguments import check_each
from gem_ma.validation.endpoints import redact_secrets
from gem_ma.validation.extras import LazyModule
from gem_ma.validation.json_types import JSONObject

if TYPE_CHECKING:
    import datasets  # from the extra "datasets"

DatasetRows: TypeAlias = Literal["episode", "turn"]
_datasets = LazyModule("datasets", "datasets", "to_dataset")


def to_dataset(
    episodes: Iterable[Episode],
    *,
    rows: DatasetRows = "episode",
    seats: Collection[str] | None = None,
) -> datasets.Dataset:
    """Return a Hugging Face Dataset with a row for each conversation, or for each turn.

    Episodes that failed are left out. The columns are env, kwargs, options, seed, episode, group,
    seat, agent, ended, return, tools (schemas) and images. With rows="episode", there are also
    messages (the whole conversation), rewards and invalid (of each reply), and begun (how many
    replies are from before the rollout); with rows="turn", prompt (what the seat read at this
    turn), completion (its reply), turn, reward and invalid.

    A content is a text, or, if an episode has pictures, a list of {"type": "text"} and
    {"type": "image"}. `to_parquet` writes the data set.

    Args:
        episodes: The episodes, such as those of `rollout` or `load_episodes`.
        rows: "episode": a row for each seat of an episode; "turn": a row for each reply.
        seats: The seats whose conversations are rows; None: all.

    Returns:
        A `datasets.Dataset`.

    Raises:
        ImportError: The library datasets is not installed.

    Examples:
        >>> import gem_ma
        >>> episodes = gem_ma.rollout("game:KuhnPoker-v0", "random", 2, seed=0)
        >>> dataset = gem_ma.to_dataset(episodes)
        >>> dataset.num_rows, dataset[0]["seat"], dataset[0]["return"]
        (4, 'first', -1.0)
        >>> gem_ma.to_dataset(episodes, rows="turn")[0]["completion"][0]["content"]
        'check'
    """
    if rows not in ("episode", "turn"):
        raise ValueError(f"rows={rows!r}: expected 'episode' or 'turn'")
    checked = check_each(episodes, Episode, "episodes")
    make = _make_episode_row if rows == "episode" else _list_turn_rows
    made = [row for episode, seat in list_chats(checked, seats) for row in make(episode, seat)]
    pictured = any(row["images"] for row in made)
    for row in made:
        for name in ("messages", "prompt", "completion"):
            for message in row.get(name, ()):
                _shape_content(message, pictured)
    features = _datasets.Features(_list_columns(rows, pictured))
    columns = {name: [row[name] for row in made] for name in features}
    return _datasets.Dataset.from_dict(columns, features=features)


def write_dataset(
    episodes: Iterable[Episode],
    path: Path,
    seats: Collection[str] | None = None,
    rows: DatasetRows = "episode",
) -> None:
    """Write a data set to a file NAME.parquet, or to a folder as `save_to_disk` does."""
    data = to_dataset(episodes, rows=rows, seats=seats)
    if path.suffix == ".parquet":
        data.to_parquet(str(path))
    else:
        data.save_to_disk(str(path))


def _list_columns(rows: DatasetRows, pictured: bool) -> JSONObject:
    text, whole, number = (_datasets.Value(kind) for kind in ("string", "int64", "float64"))
    message = {
        "role": text,
        "content": _datasets.List({"type": text, "text": text}) if pictured else text,
        "reasoning_content": text,
        "tool_calls": _datasets.List(_datasets.Json()),
        "tool_call_id": text,
        "name": text,
    }
    messages = _datasets.List(message)
    own = {
        "episode": {
            "messages": messages,
            "rewards": _datasets.List(number),
            "invalid": _datasets.List(_datasets.Value("bool")),
            "begun": whole,
        },
        "turn": {
            "prompt": messages,
            "completion": messages,
            "turn": whole,
            "reward": number,
            "invalid": _datasets.Value("bool"),
        },
    }
    return {
        **dict.fromkeys(("env", "episode", "seat", "agent", "ended"), text),
        **dict.fromkeys(("kwargs", "options"), _datasets.Json()),
        **dict.fromkeys(("group", "seed"), whole),
        "return": number,
        **own[rows],
        "tools": _datasets.List(_datasets.Json()),
        "images": _datasets.List(_datasets.Image()),
    }


def _make_common(episode: Episode, seat: str) -> JSONObject:
    return {
        "env": episode.spec.id,
        "episode": episode.id,
        "kwargs": to_plain_json(dict(episode.spec.kwargs)),
        "options": to_plain_json(episode.options),
        "group": episode.group,
        "seed": episode.seed,
        "seat": seat,
        "agent": redact_secrets(episode.agents[seat]),
        "ended": episode.ended,
        "return": episode.returns.get(seat),
        "tools": list_tools(episode, seat),
    }


def _make_episode_row(episode: Episode, seat: str) -> list[JSONObject]:
    steps = [step for step in episode.steps if step.agent == seat and step.reply is not None]
    messages = episode.messages(seat)
    fields = {
        "messages": _shape_messages(messages),
        "rewards": [step.reward for step in steps],
        "invalid": [bool(step.invalid) for step in steps],
        "begun": len(steps) - len(episode.list_own_steps(seat)),
        "images": _encode_pictures(list_pictures(messages)),
    }
    return [{**_make_common(episode, seat), **fields}]


def _list_turn_rows(episode: Episode, seat: str) -> list[JSONObject]:
    """Return a row for each reply that the rollout itself asked for."""
    chat = episode.chat(seat)
    own = set(episode.list_own_steps(seat))
    indices = [index for index, step in enumerate(episode.steps) if step.agent == seat]
    whole = chat.build_messages()
    replies = [message for message in whole if message["role"] == "assistant"]
    found = []
    for turn, (index, reply) in enumerate(zip(indices, replies, strict=False)):
        if index not in own:
            continue
        step, read = episode.steps[index], list(chat.build_messages(turn))
        fields = {
            "prompt": _shape_messages(read),
            "completion": _shape_messages([reply]),
            "turn": turn,
            "reward": step.reward,
            "invalid": bool(step.invalid),
            "images": _encode_pictures(list_pictures(read)),
        }
        found.append({**_make_common(episode, seat), **fields})
    return found


def _shape_messages(messages: Sequence[ChatMessage]) -> list[JSONObject]:
    shaped = to_hf(messages, pixels=False)
    add_thoughts(shaped, messages)
    plain: list[JSONObject] = replace_all_surrogates(shaped)
    return plain


def _shape_content(message: JSONObject, pictured: bool) -> None:
    """Give all contents of a column one type: a text, or a list of parts."""
    content = message["content"]
    if pictured and isinstance(content, str):
        message["content"] = [{"type": "text", "text": content}]


def _encode_pictures(pictures: Sequence[Picture]) -> list[Any]:
    return [{"bytes": picture.png, "path": None} for picture in pictures]
