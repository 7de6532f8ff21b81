"""The function behind `gem-ma arena`."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from gem_ma.envs.registry import find_registered
from gem_ma.serving.arena.lobby import ArenaLobby
from gem_ma.serving.listener import open_listener
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
        folder: the folder of the matches; unfinished matches in it continue.
        envs: the ids that are offered; None: eighteen of all kinds, and by a search every other
            that can be played here without a network.
        agents: the specs of agents that may take seats.
        records: files of episodes from any turn of which a new match may start.
        host: the address to listen on. All but the loopback need a token.
        port: the port to listen on; 0: any free one.
        token: the token that a browser has to send once, as ?token=TOKEN in the address; None: the
            environment variable GEM_MA_TOKEN.
        say: a function that is called once with a line with the address; None: none.
    """
    from gem_ma.serving.arena.web_app import ArenaApp, run_app

    token = resolve_token(host, token)
    if token is not None and not re.fullmatch(r"[\w.~-]+", token, re.ASCII):
        raise ValueError("token: expected only letters, digits and . ~ - _ (its value is hidden)")
    hall = ArenaLobby(
        Path(folder),
        agents,
        [id for id in DEFAULT_ENVS if find_registered(id)] if envs is None else envs,
        records,
        others=envs is None,
    )
    site = ArenaApp(hall, token, LOOPBACK_HOSTS if is_loopback(host) else None)
    with open_listener(host, port) as (listener, address):
        if say is not None:
            query = f"?token={token}" if token else ""
            say(f"http://{address}/{query}")
        run_app(site, listener)
