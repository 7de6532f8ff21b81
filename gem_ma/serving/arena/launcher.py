"""An arena until it is interrupted: `gem-ma arena`."""

from __future__ import annotations

import os
import re
import socket
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from gem_ma.envs.registry import find_registered
from gem_ma.serving.arena.lobby import ArenaLobby
from gem_ma.serving.middleware import is_loopback, resolve_token

LOOPBACK_HOSTS = frozenset({"127.0.0.1", "localhost", "[::1]"})
DEFAULT_ENVS = (
    "game:ConnectFour-v0", "game:TicTacToe-v0", "game:Chess-v0", "game:Reversi-v0", "game:Hex-v0",
    "game:Nim-v0", "game:RockPaperScissors-v0", "game:KuhnPoker-v0", "game:LiarsDice-v0",
    "game:Battleship-v0", "game:Wordle-v0", "game:Hangman-v0", "game:TwentyQuestions-v0",
    "game:Werewolf-v0", "game:Minesweeper-v0", "game:Sokoban-v0", "tau:shop", "screens:login",
)  # fmt: skip


def arena(
    folder: str | os.PathLike[str],
    *,
    envs: Sequence[str] | None = None,
    agents: Sequence[str] = ("random", "search:depth=3"),
    records: Sequence[str | os.PathLike[str]] = (),
    host: str = "127.0.0.1",
    port: int = 8080,
    token: str | None = None,
    say: Callable[[str], Any] | None = None,
) -> None:
    """Let people and agents play in a browser, until interrupted.

    Args:
        folder: what the matches are kept in; those that are there go on.
        envs: ids that are offered; None: eighteen of all kinds, and every other that can be played
            here without a network is found by a search.
        agents: specs of those who may be seated.
        host: what it listens on. Anything but the loopback demands a token.
        token: what the address has to carry once, as ?token=TOKEN; else the environment variable
            GEM_MA_TOKEN.
        say: called once with a line that tells the address.
    """
    from gem_ma.serving.arena.web_app import ArenaApp, run_app

    token = resolve_token(host, token)
    if token is not None and not re.fullmatch(r"[\w.~-]+", token, re.ASCII):
        raise ValueError("a token has letters, digits, and . ~ - _ only")
    hall = ArenaLobby(
        Path(folder),
        agents,
        [id for id in DEFAULT_ENVS if find_registered(id)] if envs is None else envs,
        records,
        others=envs is None,
    )
    site = ArenaApp(hall, token, LOOPBACK_HOSTS if is_loopback(host) else None)
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.create_server((host, port), family=family) as listener:
        if say is not None:
            url_host = f"[{host}]" if ":" in host else host
            query = f"?token={token}" if token else ""
            say(f"http://{url_host}:{listener.getsockname()[1]}/{query}")
        run_app(site, listener)
