"""ObservationWrapper: joins the history of an episode in every observation."""

from __future__ import annotations

from collections import deque
from typing import Protocol

from gem_ma.gem.core import EnvLike, EnvWrapper
from gem_ma.validation.json_types import JSONMapping, JSONObject


class ChatTemplateTokenizer(Protocol):
    """A tokenizer that joins messages by its chat template, as in transformers."""

    def apply_chat_template(
        self,
        conversation: list[dict[str, str]],
        /,
        *,
        tokenize: bool,
        add_generation_prompt: bool,
    ) -> object:
        """Return the messages as one text."""
        ...


class ObservationWrapper(EnvWrapper):
    """A wrapper that joins earlier observations and replies in one text.

    Args:
        env: the environment.
        include_action: whether replies are included, up to the end of a tool call.
        include_chat_template: whether the tokenizer's chat template joins the messages; a tool's
            answer has the role "tool".
        apply_chat_template_on_reset: whether the template is applied to the first observation only.
        max_history_length: how many earlier steps are kept; None: all.
        tokenizer: the tokenizer with the chat template; None: no template is used.
    """

    def __init__(
        self,
        env: EnvLike,
        include_action: bool = True,
        include_chat_template: bool = True,
        apply_chat_template_on_reset: bool = False,
        max_history_length: int | None = None,
        tokenizer: ChatTemplateTokenizer | None = None,
    ):
        super().__init__(env)
        if include_chat_template and apply_chat_template_on_reset:
            raise ValueError(
                "got both include_chat_template and apply_chat_template_on_reset; pass one of them"
            )
        if (include_chat_template or apply_chat_template_on_reset) and tokenizer is None:
            raise ValueError("a chat template needs tokenizer=")
        if include_chat_template and not include_action:
            raise ValueError("include_chat_template needs include_action=True")
        self.include_action, self.include_chat_template = include_action, include_chat_template
        self.apply_chat_template_on_reset = apply_chat_template_on_reset
        self.max_history_length, self.tokenizer = max_history_length, tokenizer
        most = max_history_length
        self._observations: deque[tuple[str, bool]] = deque(maxlen=most + 1 if most else None)
        self._replies: deque[str] = deque(maxlen=most)

    def reset(self, seed: int | None = None, **kwargs: object) -> tuple[str, JSONObject]:
        """Begin an episode."""
        self._observations.clear()
        self._replies.clear()
        observation, info = self.env.reset(seed=seed, **kwargs)
        if self.apply_chat_template_on_reset:
            observation = self._apply_template([{"role": "user", "content": observation}])
        self._observations.append((observation, info.get("use_tool", False)))
        return self.observation(info), info

    def step(self, action: str) -> tuple[str, float, bool, bool, JSONObject]:
        """Take a reply."""
        observation, reward, terminated, truncated, info = self.env.step(action)
        self._replies.append(info.get("parsed_action", action))
        self._observations.append((observation, info.get("use_tool", False)))
        return self.observation(info), reward, terminated, truncated, info

    def observation(self, info: JSONMapping) -> str:
        """Return the joined text between the `prefix` and `suffix` of an info, if it has them."""
        text = (
            self._format_chat()
            if self.include_chat_template
            else "".join(map(_end_line, self._list_parts()))
        )
        return f"{info.get('prefix', '')}{text}{info.get('suffix', '')}"

    def _list_parts(self) -> list[str]:
        observations = [text for text, _ in self._observations]
        if not self.include_action:
            return observations
        parts = observations[:1]
        for reply, observation in zip(self._replies, observations[1:], strict=True):
            parts += [reply, observation]
        return parts

    def _format_chat(self) -> str:
        messages = []
        for number, text in enumerate(self._list_parts()):
            tool = self._observations[number // 2][1]
            role = "assistant" if number % 2 else "tool" if tool else "user"
            messages.append({"role": role, "content": text})
        return self._apply_template(messages)

    def _apply_template(self, messages: list[dict[str, str]]) -> str:
        assert self.tokenizer is not None  # __init__ checks it
        return str(
            self.tokenizer.apply_chat_template(messages, tokenize=False, add_generation_prompt=True)
        )


def _end_line(text: str) -> str:
    return text if not text or text.endswith("\n") else f"{text}\n"
