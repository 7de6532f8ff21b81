"""A vLLM server as the player of a learner: it loads the learner's weights after each update."""

from __future__ import annotations

import copy
import os
import shutil
from collections import deque
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Self

from gem_ma.agents.providers.errors import ServerError
from gem_ma.agents.providers.openai import OpenAIAgent, open_openai_client
from gem_ma.chat.event_loops import run_async
from gem_ma.chat.reply import Reply
from gem_ma.chat.turn import Turn
from gem_ma.training.background_rollouts import RolloutPolicy
from gem_ma.validation.json_types import JSONMapping


class VLLMPolicy(RolloutPolicy):
    """Plays on a vLLM server, which loads the weights of a learner after each update.

    A learner with a LoRA adapter saves the adapter, and the server loads it under a new name.
    Requests under way end with the old one. Start the server with `--enable-lora`,
    `--logprobs-mode processed_logprobs` and `VLLM_ALLOW_RUNTIME_LORA_UPDATING=True`.

    A learner without an adapter saves the whole model. The server pauses, reloads its weights, and
    continues its requests with them. Start it with `--logprobs-mode processed_logprobs` and
    `VLLM_SERVER_DEV_MODE=1`.

    Args:
        learner: An HFLearner.
        base_url: The address of the server, such as http://127.0.0.1:8000/v1.
        folder: Where the weights are saved. The server reads the same folder.
        name: The name of the adapters at the server, which a version follows; without an adapter
            that of the model.
        keep: How many older adapters the server keeps, for requests under way.
        **agent: Further arguments of OpenAIAgent.
    """

    def __init__(
        self,
        learner: Any,
        base_url: str,
        folder: str | os.PathLike[str],
        *,
        name: str = "policy",
        keep: int = 2,
        **agent: Any,
    ):
        self.folder = Path(folder).resolve()
        self.name = name
        self.keep = keep
        options = {
            "temperature": learner.temperature,
            "max_tokens": learner.max_new_tokens,
            "token_ids": True,
            "seed": learner.seed,
            **agent,
        }
        self.agent = OpenAIAgent(name, base_url, **options)
        self._adapters: deque[str] = deque()  # at the server, the newest last
        super().__init__(learner)

    def publish(self, version: int) -> None:
        """Send the learner's current weights to the server."""
        if self.learner.adapter is None:
            self._load_model()
            model = self.name
        else:
            model = f"{self.name}-{version}"
            self._load_adapter(model)
        agent = copy.copy(self.agent)  # over the same connections
        agent.model = model
        self._published = agent, version

    async def act(self, turns: list[Turn]) -> Sequence[str]:
        """Return replies of the server; each reply records the version of its weights."""
        agent, version = self.get_published()
        agent.seed = None if self.agent.seed is None else self.seed
        replies: list[Reply] = await agent.act(turns)
        for reply in replies:
            reply.policy_version = version
        return replies

    async def __aenter__(self) -> Self:
        await self.agent.__aenter__()
        return self

    async def __aexit__(self, *error: object) -> None:
        await self.agent.__aexit__(*error)

    def _load_adapter(self, name: str) -> None:
        path = self.folder / name
        self.learner.model.save_pretrained(path, selected_adapters=[self.learner.adapter])
        if self.learner.adapter != "default":  # which peft saves in a folder of its own
            path /= self.learner.adapter
        self._post("load_lora_adapter", {"lora_name": name, "lora_path": str(path)})
        self._adapters.append(name)
        while len(self._adapters) > self.keep + 1:
            oldest = self._adapters.popleft()
            self._post("unload_lora_adapter", {"lora_name": oldest})
            shutil.rmtree(self.folder / oldest, ignore_errors=True)

    def _load_model(self) -> None:
        path = self.folder / self.name
        self.learner.model.save_pretrained(path)
        self._post("/pause?mode=keep", {})
        try:
            arguments = {"weights_path": str(path)}
            self._post("/collective_rpc", {"method": "reload_weights", "kwargs": arguments})
        finally:
            self._post("/resume", {})

    def _post(self, route: str, body: JSONMapping) -> None:
        """Send a request to a route below the address of the API, or with a slash of the server."""
        run_async(lambda: self._send(route, body))

    async def _send(self, route: str, body: JSONMapping) -> None:
        import openai

        endpoint, secrets = self.agent.find_endpoint()
        url = (endpoint.url or "").rstrip("/")
        target = f"{url.removesuffix('/v1') if route.startswith('/') else url + '/'}{route}"
        async with open_openai_client(endpoint) as client:
            try:
                await client.post(target, cast_to=str, body=dict(body))
            except openai.OpenAIError as error:
                raise ServerError(
                    f"POST {route}: {type(error).__name__}: {secrets.hide(str(error))[:2000]} "
                    f"({self.agent!r})"
                ) from None
