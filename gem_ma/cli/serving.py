"""The commands serve and arena: environments that others reach over a network."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from gem_ma.cli.common import UsageError, add_looks, looks, port, positive, seconds
from gem_ma.envs.registry import BadArgument, MissingNeed


def add_commands(commands: Any) -> None:
    """Add the commands to those of gem-ma."""
    _add_arena(commands)
    serve = commands.add_parser(
        "serve",
        help="offer an environment over OpenEnv's WebSocket protocol",
        epilog="example: gem-ma serve game:ConnectFour-v0 --port 8000; a token that clients have "
        "to send stands in the environment variable GEM_MA_TOKEN",
    )
    serve.add_argument("id", help="an environment; see gem-ma list")
    serve.add_argument("--host", default="127.0.0.1", help="(default: this machine only)")
    serve.add_argument("--port", type=port, default=8000, help="0 takes a free one (default: 8000)")
    serve.add_argument("--max-sessions", type=positive, default=256, help="(default: 256)")
    serve.add_argument(
        "--max-message", type=positive, default=1 << 20, help="bytes (default: 1 MiB)"
    )
    serve.add_argument(
        "--first-message",
        type=seconds,
        default=30.0,
        metavar="SECONDS",
        help="for a connection to say something whole (default: 30)",
    )
    serve.add_argument(
        "--idle",
        type=seconds,
        default=1800.0,
        metavar="SECONDS",
        help="between an answer and the next message (default: 1800)",
    )
    serve.add_argument("--seat", help="the seat of all clients; the others are played here")
    serve.add_argument(
        "--others",
        default="random",
        metavar="[SEAT=]SPEC",
        help="who plays them, as for gem-ma play (default: random)",
    )
    add_looks(serve)
    serve.set_defaults(run=_serve)


def _serve(args: argparse.Namespace) -> int:
    def say(line: str) -> None:
        sys.stdout.write(f"{line}\n")
        sys.stdout.flush()

    if sys.stderr.isatty():  # it takes long where libraries are heavy
        sys.stderr.write(f"{args.id} is being made ...\n")
    try:
        from gem_ma.serving.server import serve

        serve(
            args.id,
            host=args.host,
            port=args.port,
            max_sessions=args.max_sessions,
            max_message=args.max_message,
            first_message=args.first_message,
            idle=args.idle,
            seat=args.seat,
            others=args.others,
            say=say,
            **looks(args),
        )
    except (BadArgument, ValueError) as error:
        raise UsageError(str(error)) from None
    return 0


# -- arena -----------------------------------------------------------------------------------------


def _add_arena(commands: Any) -> None:
    parser = commands.add_parser(
        "arena",
        help="let people and agents play in a browser",
        epilog="example: gem-ma arena --out matches --agents random,search:depth=3; a token that "
        "browsers have to show stands in the environment variable GEM_MA_TOKEN",
    )
    parser.add_argument(
        "envs",
        nargs="*",
        help="environments (default: eighteen of all kinds, and all others by a search)",
    )
    parser.add_argument("--out", required=True, help="a folder for the matches, which go on there")
    parser.add_argument(
        "--agents",
        action="append",
        default=[],
        metavar="SPEC",
        help="who may be seated, with commas between; may be repeated (default: random and "
        "search:depth=3)",
    )
    parser.add_argument(
        "--records",
        action="append",
        default=[],
        metavar="FILE",
        help="episodes of which any turn may be played on from; may be repeated",
    )
    parser.add_argument("--host", default="127.0.0.1", help="(default: this machine only)")
    parser.add_argument(
        "--port", type=port, default=8080, help="0 takes a free one (default: 8080)"
    )
    parser.set_defaults(run=_arena)


def _arena(args: argparse.Namespace) -> int:
    def say(line: str) -> None:
        sys.stdout.write(f"{line}\n")
        sys.stdout.flush()

    agents = [one for some in args.agents for one in some.split(",") if one]
    try:
        from gem_ma.serving.arena import arena

        arena(
            args.out,
            envs=args.envs or None,
            agents=agents or ("random", "search:depth=3"),
            records=args.records,
            host=args.host,
            port=args.port,
            say=say,
        )
    except (BadArgument, MissingNeed, ImportError, OSError, ValueError) as error:
        raise UsageError(str(error)) from None
    return 0
