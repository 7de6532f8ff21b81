"""Makes environments of gem_ma from the arguments that GEM's environments take."""

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

_DATA_ARGUMENTS = {  # GEM's names for environments over datasets, and the names of `make`
    "dataset_name": "data",
    "dataset": "data",
    "question_key": "question",
    "answer_key": "answer",
    "test_key": "answer",
    "image_key": "images",
}
_SANDBOX_TYPES = ("none", "bwrap")  # of GEM; gem_ma's sandbox is used for both
_NO_EFFECT = ("max_workers", "verbose", "load_from_cache_file", "sandbox_type")
_RARE_WORDS = 40_000  # size of the vocabulary with hardcore=True
_KIWIX_URL = "http://localhost:8080"  # GEM's defaults
_KIWIX_BOOK = "wikipedia_en_simple_all_nopic_2025-09"
_KIWIX_PACE = ("query_delay_ms", "max_query_attempts", "query_use_cache")  # pace of its requests


def make_env(
    env_id: str, arguments: JSONMapping, seed: int | None = None, function: Any = None
) -> AECEnv:
    """Make an environment, also with a limit of turns within which it cannot be won.

    Args:
        env_id: the id of the environment.
        arguments: arguments by GEM's names, or by those of `gem_ma.make`.
        seed: the seed of a dataset that takes one; None: its default.
        function: the function whose arguments errors about unknown arguments also suggest.
    """
    arguments = translate_arguments(env_id, arguments)
    if seed is not None:
        try:
            return _make_with_limit(env_id, {**arguments, "seed": seed})
        except registry.UnknownArgument:  # it takes no seed, or another argument is wrong
            pass
    with factory.extend_argument_errors(function or make_env):
        return _make_with_limit(env_id, arguments)


def _make_with_limit(env_id: str, arguments: JSONMapping) -> AECEnv:
    try:
        return factory.make(env_id, **arguments)
    except ValueError as error:
        # A game refuses a limit within which it cannot be won; in GEM, the episode ends there.
        if "max_turns" not in arguments or "max_turns" not in str(error):
            raise
        others = {name: value for name, value in arguments.items() if name != "max_turns"}
        return TimeLimit(factory.make(env_id, **others), arguments["max_turns"])


def translate_arguments(env_id: str, arguments: JSONMapping) -> JSONObject:
    """Return arguments by the names of `gem_ma.make`; names that a game shares with GEM stay.

    Raises:
        TypeError: An argument of GEM has no counterpart.
        ValueError: The value of an argument has no counterpart.
    """
    # Answers are always graded in the sandbox.
    others = {name: value for name, value in arguments.items() if name != "use_mp"}
    for name in ("data", "dataset"):
        if others.get(name, "") is None:
            del others[name]
    spec = registry.spec(env_id)
    try:
        known = inspect.signature(import_game_class(spec)).parameters
    except ImportError:  # making the environment will report it
        return others
    translate = _TRANSLATIONS.get(spec.entry_point)
    if translate is None and "data" in known:
        translate = _translate_data_arguments
    if translate is None:
        return others
    named = {name: others.pop(name) for name in list(others) if name not in known}
    return {**translate(spec, named), **others}


def _translate_data_arguments(spec: registry.Spec, named: JSONObject) -> JSONObject:
    """Translate the arguments of MathEnv, MathVisualEnv, CodeEnv and QaEnv."""
    if named.get("sandbox_type", "none") not in _SANDBOX_TYPES:
        raise ValueError(
            f"sandbox_type={named['sandbox_type']!r}: expected one of {_SANDBOX_TYPES}"
        )
    translated: JSONObject = {}
    if "extract_boxed" in named:
        translated["format"] = "boxed" if named.pop("extract_boxed") else "answer"
    if named.pop("use_format_error_reward", False):
        # A reply without a box ends the episode with the same penalty as in GEM.
        translated |= {"format": "boxed", "invalid": "lose", "penalty": 0.1}
    if not named.get("dataset_name", "-"):
        del named["dataset_name"]
        if "dataset" not in named and "data" not in spec.kwargs:
            raise ValueError("got neither dataset_name= nor dataset=; pass one of them")
    if "dataset" in named:  # it takes precedence over dataset_name
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
            "page_summary_length= is not supported: a page is shown as its source has it; pass "
            "texts of your own as graph="
        )
    variant = named.pop("variant", "noregrets")
    if variant != "noregrets":
        raise ValueError(
            f"variant={variant!r}: expected 'noregrets', the only one that is supported: a player "
            "follows links of the page, and has no other way back"
        )
    backend, settings = named.pop("backend", None), named.pop("trawler_kwargs", None) or {}
    if backend is None and not settings:
        return named
    if backend != "kiwix":
        raise ValueError(
            f"backend={backend!r}: expected 'kiwix', with trawler_kwargs={{'url': ..., 'zimfile': "
            "...}; Wikipedia itself is not supported. source= takes a ZIM file too, graph= your "
            "own pages"
        )
    if strange := settings.keys() - {"url", "zimfile", *_KIWIX_PACE}:
        raise ValueError(f"trawler_kwargs: got {', '.join(sorted(strange))}; expected url, zimfile")
    url, book = settings.get("url", _KIWIX_URL), settings.get("zimfile", _KIWIX_BOOK)
    return {**named, "source": f"{url.rstrip('/')}/content/{book}"}


def _translate_webshop(spec: registry.Spec, named: JSONObject) -> JSONObject:
    reward = named.pop("format_error_reward", None)
    if reward is not None:
        if reward > 0:
            raise ValueError(f"format_error_reward={reward}: expected 0 or less")
        named |= {"penalty": abs(reward), "invalid": "skip"}  # an invalid reply takes a turn
    for name in ("session", "session_prefix"):  # GEM's reset replaces both
        named.pop(name, None)
    return named


_TRANSLATIONS: Mapping[str, Callable[[registry.Spec, JSONObject], JSONObject]] = {
    "gem_ma.envs.guessing.hangman:Hangman": _translate_hangman,
    "gem_ma.envs.webshop.game:WebShop": _translate_webshop,
    "gem_ma.envs.words.wiki_game:WikiGame": _translate_wiki_game,
}
