"""ToolEnvWrapper: a reply that calls a tool becomes a step of its own."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from gem_ma.gem.core import EnvLike, EnvWrapper
from gem_ma.gem.tools.base_tool import BaseTool
from gem_ma.validation.json_types import JSONMapping, JSONObject

_LAST_CALL_NOTE = "\n\nThat was the last call of a tool that you have. Give your final answer now."


class ToolEnvWrapper(EnvWrapper):
    """A wrapper that answers replies that call a tool, and passes on all other replies.

    Args:
        env: the environment.
        tools: tools in the order in which they are tried.
        tool_reward: the reward of every call.
        tool_success_reward: an additional reward of a call that succeeds.
        tool_execute_error_reward: the reward of a call that fails, instead of `tool_reward`; 0 or
            less, where 0 leaves `tool_reward`.
        max_tool_uses: the number of calls in an episode, after which all replies go to the
            environment; None: no limit.
    """

    def __init__(
        self,
        env: EnvLike,
        tools: Sequence[BaseTool],
        tool_reward: float = 0.0,
        tool_success_reward: float = 0.0,
        tool_execute_error_reward: float = 0.0,
        max_tool_uses: int | None = 10,
    ):
        super().__init__(env)
        if tool_execute_error_reward > 0:
            raise ValueError(
                f"tool_execute_error_reward={tool_execute_error_reward}: expected 0 or less"
            )
        if tool_execute_error_reward and (tool_reward or tool_success_reward):
            raise ValueError(
                f"tool_execute_error_reward={tool_execute_error_reward} needs tool_reward=0 and "
                f"tool_success_reward=0, got {tool_reward} and {tool_success_reward}"
            )
        self.tools = tools
        self.tool_reward, self.tool_success_reward = tool_reward, tool_success_reward
        self.tool_execute_error_reward = tool_execute_error_reward
        self.max_tool_uses = float("inf") if max_tool_uses is None else max_tool_uses
        self.tool_use_counter = self.tool_success_counter = 0

    def reset(self, seed: int | None = None, **kwargs: object) -> tuple[str, JSONObject]:
        """Begin an episode; the first observation ends with the instructions for the tools."""
        info = {
            "prev_ep_tool_use_counter": self.tool_use_counter,
            "prev_ep_tool_success_counter": self.tool_success_counter,
            "tool_use_counter": 0,
            "tool_success_counter": 0,
            "use_tool": False,
        }
        self.tool_use_counter = self.tool_success_counter = 0
        observation, env_info = self.env.reset(seed=seed, **kwargs)
        instructions = "\n".join(tool.instruction_string() for tool in self.tools)
        if len(self.tools) > 1:
            instructions = f"Available tools:\n{instructions}"
        return f"{observation}\n{instructions}", {**env_info, **info}

    def step(self, action: str, verbose: bool = False) -> tuple[str, float, bool, bool, JSONObject]:
        """Answer a call of a tool, or step the environment with the reply.

        Args:
            action: the reply.
            verbose: whether to print the tool that was called, and its answer.
        """
        tool_call = self._call_tools(action) if self.tool_use_counter < self.max_tool_uses else None
        if tool_call is None:
            observation, reward, terminated, truncated, info = self.env.step(action)
            info = {**info, "use_tool": False}
        else:
            tool, has_error, observation, parsed_action = tool_call
            self.tool_use_counter += 1
            if self.tool_use_counter == self.max_tool_uses:
                observation += _LAST_CALL_NOTE
            reward = self.tool_reward
            if not has_error:
                self.tool_success_counter += 1
                reward += self.tool_success_reward
            elif self.tool_execute_error_reward:
                reward = self.tool_execute_error_reward
            terminated = truncated = False
            if verbose:
                sys.stdout.write(f"{tool.tool_type}: {parsed_action}\n{observation}\n")
            info = {"parsed_action": parsed_action, "tool_type": tool.tool_type, "use_tool": True}
        info["tool_use_counter"] = self.tool_use_counter
        info["tool_success_counter"] = self.tool_success_counter
        return observation, reward, terminated, truncated, info

    def _call_tools(self, action: str) -> tuple[BaseTool, bool, str, str] | None:
        """Return the first tool called with success, else the last one called, and its answer."""
        tool_call = None
        for tool in self.tools:
            is_valid, has_error, observation, parsed_action = tool.execute_action(action)
            if is_valid:
                tool_call = tool, has_error, observation, parsed_action
                if not has_error:
                    break
        return tool_call

    def get_state(self) -> JSONObject:
        """Return a snapshot of the episode for `set_state`."""
        return {
            "env": self.env.get_state(),
            "tool_use_counter": self.tool_use_counter,
            "tool_success_counter": self.tool_success_counter,
        }

    def set_state(self, state: JSONMapping) -> None:
        """Restore a snapshot of an episode."""
        self.env.set_state(state["env"])
        self.tool_use_counter = state["tool_use_counter"]
        self.tool_success_counter = state["tool_success_counter"]
