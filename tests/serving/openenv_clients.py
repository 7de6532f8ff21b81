"""Play an episode on a server with a library's own OpenEnv client: LIBRARY URL REPLIES [FIELD].

The replies are those of the model, as JSON. What the model was shown goes out as JSON. The
libraries want other releases of openenv and mcp than the server, so that each has a Python of its
own: `pip install 'verifiers[openenv]'`, `pip install 'agilerl[llm]'`.
"""

import asyncio
import json
import os
import sys
from types import SimpleNamespace


def verifiers(url, replies):
    """Let verifiers' OpenEnv taskset play; in the place of a model are these replies."""
    from verifiers.v1.tasksets.openenv.taskset import OpenEnvConfig, OpenEnvEnv, OpenEnvTaskset

    shown, earned = [], {}

    class Interaction:
        trace = SimpleNamespace(record_reward=earned.__setitem__, stop=earned.__setitem__)

        async def __aenter__(self):
            return self

        async def __aexit__(self, *_):
            pass

        async def turn(self, text):
            shown.append(json.loads(text)["observation"]["text"])
            return SimpleNamespace(terminated=False, last_reply=replies[len(shown) - 1])

    player = SimpleNamespace(interaction=lambda task: Interaction())
    (task,) = OpenEnvTaskset(OpenEnvConfig(base_url=url, resets=[{"seed": 0}])).load()
    asyncio.run(OpenEnvEnv.run(None, task, SimpleNamespace(player=player)))
    return {"shown": shown, **earned}


def agilerl(url, replies, field=None):
    """Let AgileRL's RolloutHarness play."""
    import tiny_models
    import torch
    from agilerl.llm_envs.harness import RolloutHarness

    tokenizer = tiny_models.tokenizer()
    harness = RolloutHarness(
        url, tokenizer, max_turns=20, action_field="text", observation_field=field
    )
    harness.reset(seed=0)
    shown, rewards = [harness._prompt_text], []
    for reply in replies:
        ids = tokenizer(reply + "<|im_end|>", return_tensors="pt")["input_ids"]
        said = torch.cat([harness.full_ids.reshape(1, -1), ids], 1)
        _, reward, terminated, truncated, _ = harness.step(said)
        shown.append(tokenizer.decode(harness.full_ids.flatten()))
        rewards.append(reward)
        if terminated or truncated:
            break
    harness.close()
    return {"shown": shown, "rewards": rewards, "done": harness.done}


if __name__ == "__main__":
    library, where, said, *more = sys.argv[1:]
    play = {"verifiers": verifiers, "agilerl": agilerl}[library]
    print(json.dumps(play(where, json.loads(said), *more)), flush=True)
    os._exit(0)  # their threads would go on for minutes
