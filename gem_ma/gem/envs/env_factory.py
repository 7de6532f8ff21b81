"""Making an environment of ours with the names that GEM gives to its arguments."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any

from gem_ma.apis import factory
from gem_ma.apis.aec import AECEnv
from gem_ma.envs import registry
from gem_ma.envs.game_factory import import_game_class
from gem_ma.validation.json_types import JSONMapping, JSONObject
from gem_ma.wrappers import TimeLimit

_DATA_ARGUMENTS = {  # of GEM's environments over data sets, and what `make` calls them
    "dataset_name": "data",
    "dataset": "data",
    "question_key": "question",
    "answer_key": "answer",
    "test_key": "answer",
    "image_key": "images",
}
_SANDBOX_TYPES = ("none", "bwrap")  # of GEM; the sandbox is ours at either
_NO_EFFECT = ("max_workers", "verbose", "load_from_cache_file", "sandbox_type")
_RARE_WORDS = 40_000  # of which hardcore=True has one found
_KIWIX_URL = "http://localhost:8080"  # GEM's defaults
_KIWIX_BOOK = "wikipedia_en_simple_all_nopic_2025-09"
_KIWIX_PACE = ("query_delay_ms", "max_query_attempts", "query_use_cache")  # how often it asks


def make_env(
    env_id: str, arguments: JSONMapping, seed: int | None = None, function: Any = None
) -> AECEnv:
    """Make an environment; a limit of turns within which it cannot be won just ends it.

    Args:
        arguments: by GEM's names, or by those of `gem_ma.make`.
        seed: for a data set that takes one.
        function: whose arguments the error for an unknown one thinks of as well.
    """
    arguments = translate_arguments(env_id, arguments)
    if seed is not None:
        try:
            return _make_with_limit(env_id, {**arguments, "seed": seed})
        except registry.UnknownArgument:  # it has no use for a seed, or something else is wrong
            pass
    with factory.extend_argument_errors(function or make_env):
        return _make_with_limit(env_id, arguments)


def _make_with_limit(env_id: str, arguments: JSONMapping) -> AECEnv:
    try:
        return factory.make(env_id, **arguments)
    except ValueError as error:
        # A game refuses a limit within which it cannot be won; in GEM, the episode just ends there.
        if "max_turns" not in arguments or "max_turns" not in str(error):
            raise
        others = {name: value for name, value in arguments.items() if name != "max_turns"}
        return TimeLimit(factory.make(env_id, **others), arguments["max_turns"])


def translate_arguments(env_id: str, arguments: JSONMapping) -> JSONObject:
    """Return arguments by the names of `gem_ma.make`; what a game calls as GEM does stays.

    Raises:
        TypeError: GEM has an argument of this name, and here is nothing that it could mean.
        ValueError: Here is nothing that the value could mean.
    """
    # Answers are graded in the sandbox, wherever that is.
    others = {name: value for name, value in arguments.items() if name != "use_mp"}
    for name in ("data", "dataset"):
        if others.get(name, "") is None:
            del others[name]
    spec = registry.spec(env_id)
    try:
        known = inspect.signature(import_game_class(spec)).parameters
    except ImportError:  # which is said where it is made
        return others
    translate = _TRANSLATIONS.get(spec.entry_point)
    if translate is None and "data" in known:
        translate = _translate_data_arguments
    if translate is None:
        return others
    named = {name: others.pop(name) for name in list(others) if name not in known}
    return {**translate(spec, named), **others}


def _translate_data_arguments(spec: registry.Spec, named: JSONObject) -> JSONObject:
    """Translate what MathEnv, MathVisualEnv, CodeEnv and QaEnv take."""
    if named.get("sandbox_type", "none") not in _SANDBOX_TYPES:
        raise ValueError(
            f"sandbox_type={named['sandbox_type']!r}: expected one of {_SANDBOX_TYPES}"
        )
    translated: JSONObject = {}
    if "extract_boxed" in named:
        translated["format"] = "boxed" if named.pop("extract_boxed") else "answer"
    if named.pop("use_format_error_reward", False):
        # What has no box ends the episode, and costs as much as in GEM.
        translated |= {"format": "boxed", "invalid": "lose", "penalty": 0.1}
    if not named.get("dataset_name", "-"):
        del named["dataset_name"]
        if "dataset" not in named and "data" not in spec.kwargs:
            raise ValueError("expected a dataset_name or a dataset")
    if "dataset" in named:  # which stands before its name
        named.pop("dataset_name", None)
    for name, value in named.items():
        if name not in _NO_EFFECT:
            translated[_DATA_ARGUMENTS.get(name, name)] = value
    return translated


def _translate_hangman(spec: registry.Spec, named: JSONObject) -> JSONObject:
    if named.pop("hardcore", False):
        named.setdefault("vocabulary", _RARE_WORDS)
    return named


def _translate_wiki_game(spec: registry.Spec, named: JSONObject) -> JSONObject:
    if named.pop("page_summary_length", None) is not None:
        raise TypeError(
            "page_summary_length= is not taken: a page is shown as its source has it; graph= gives "
            "texts of your own"
        )
    variant = named.pop("variant", "noregrets")
    if variant != "noregrets":
        raise ValueError(
            f"variant={variant!r}: expected 'noregrets', where links of the page are followed, and "
            "back goes who finds a link back"
        )
    backend, settings = named.pop("backend", None), named.pop("trawler_kwargs", None) or {}
    if backend is None and not settings:
        return named
    if backend != "kiwix":
        raise ValueError(
            f"backend={backend!r}: expected 'kiwix', with trawler_kwargs={{'url': ..., 'zimfile': "
            "...}; Wikipedia itself is not asked. source= takes a ZIM file too, graph= your pages"
        )
    if strange := settings.keys() - {"url", "zimfile", *_KIWIX_PACE}:
        raise ValueError(f"trawler_kwargs: got {', '.join(sorted(strange))}; expected url, zimfile")
    url, book = settings.get("url", _KIWIX_URL), settings.get("zimfile", _KIWIX_BOOK)
    return {**named, "source": f"{url.rstrip('/')}/content/{book}"}


_TRANSLATIONS: Mapping[str, Callable[[registry.Spec, JSONObject], JSONObject]] = {
    "gem_ma.envs.guessing.hangman:Hangman": _translate_hangman,
    "gem_ma.envs.words.wiki_game:WikiGame": _translate_wiki_game,
}
