"""Wrappers by the names of GEM's trainers: for tools, observations and episode totals."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TypeAlias

from gem_ma.gem.core import EnvWrapper
from gem_ma.gem.tools.base_tool import BaseTool
from gem_ma.gem.tools.python_code_tool import PythonCodeTool
from gem_ma.gem.tools.search_tool import SearchTool
from gem_ma.gem.tools.tool_env_wrapper import ToolEnvWrapper
from gem_ma.gem.wrappers.episode_tracking_wrapper import EpisodeTrackingWrapper
from gem_ma.gem.wrappers.observation_wrapper import ChatTemplateTokenizer, ObservationWrapper
from gem_ma.validation.arguments import check_type

WrapperFunction: TypeAlias = Callable[..., EnvWrapper]


def _make_tool_wrapper(
    tool: BaseTool, reward: float = 0.0, success: float = 0.0
) -> WrapperFunction:
    return partial(
        ToolEnvWrapper,
        tools=[tool],
        tool_reward=reward,
        tool_success_reward=success,
        max_tool_uses=5,
    )


def _make_observation_wrapper(
    action: bool, chat: bool = False, first: bool = False
) -> WrapperFunction:
    return partial(
        ObservationWrapper,
        include_action=action,
        include_chat_template=chat,
        apply_chat_template_on_reset=first,
    )


WRAPPER_FACTORY: dict[str, WrapperFunction] = {
    "python_tool": _make_tool_wrapper(PythonCodeTool(timeout=5), 0.05, 0.25),
    "python_tool_no_int_reward": _make_tool_wrapper(PythonCodeTool(timeout=5)),
    "python_tool_no_int_reward_last_line_error": _make_tool_wrapper(
        PythonCodeTool(timeout=5, keep_error_last_line=True)
    ),
    "search_tool": _make_tool_wrapper(SearchTool(topk=3, timeout=5), 0.3),
    "search_tool_no_int_reward": _make_tool_wrapper(SearchTool(topk=3, timeout=5)),
    "concat": _make_observation_wrapper(action=False),
    "concat_chat": _make_observation_wrapper(action=True, chat=True),
    "concat_with_action": _make_observation_wrapper(action=True),
    "concat_chat_on_reset": _make_observation_wrapper(action=True, first=True),
    "episode_tracking": EpisodeTrackingWrapper,
}
TOKENIZER_REQUIRED = ["concat_chat", "concat_chat_on_reset"]


def get_wrapper_fns(
    wrappers: str, tokenizer: ChatTemplateTokenizer | None = None
) -> list[WrapperFunction]:
    """Return the wrappers with these names, in this order.

    Args:
        wrappers: names, separated by commas.
        tokenizer: the tokenizer for wrappers that use a chat template.
    """
    if not wrappers:
        return []
    check_type(wrappers, str, "wrappers")
    functions = []
    for name in wrappers.split(","):
        if name not in WRAPPER_FACTORY:
            raise KeyError(f"no wrapper {name!r}; there are {', '.join(WRAPPER_FACTORY)}")
        function = WRAPPER_FACTORY[name]
        if name in TOKENIZER_REQUIRED and tokenizer is not None:
            function = partial(function, tokenizer=tokenizer)
        functions.append(function)
    return functions
