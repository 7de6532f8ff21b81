"""Run a server for benchmarks/openenv.py: python benchmarks/openenv_worker.py NAME."""

import asyncio
import socket
import sys

import uvicorn
from openenv.core.env_server.http_server import create_fastapi_app
from openenv.core.env_server.interfaces import Environment
from openenv.core.env_server.types import Action, Observation, State

from gem_ma.serving import server as serve


class Say(Action):
    message: str


class Heard(Observation):
    message: str = ""


class Echo(Environment[Say, Heard, State]):
    """The smallest possible OpenEnv environment."""

    SUPPORTS_CONCURRENT_SESSIONS = True

    def reset(self, seed=None, episode_id=None, **_):
        return Heard()

    def step(self, action, timeout_s=None, **_):
        return Heard(message=action.message, reward=0.0)

    @property
    def state(self):
        return State()


class EchoInLoop(Echo):
    """The same environment without OpenEnv's hop to a thread."""

    async def step_async(self, action, timeout_s=None, **_):
        return self.step(action)


def main():
    name = sys.argv[1]
    if name.startswith("echo"):
        echo = Echo if name == "echo" else EchoInLoop
        app = create_fastapi_app(echo, Say, Heard, max_concurrent_envs=256)
    else:
        app = serve.make_app(name)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        print(listener.getsockname()[1], flush=True)
        # All servers run as ours does, which is faster than uvicorn's defaults.
        asyncio.run(uvicorn.Server(serve.make_server_config(app)).serve(sockets=[listener]))


if __name__ == "__main__":
    main()
