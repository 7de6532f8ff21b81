"""The command serve: an environment that others reach over a network."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from gem_ma.cli.common import UsageError, add_looks, looks, positive, seconds
from gem_ma.envs.registry import BadArgument


def add_commands(commands: Any) -> None:
    """Add serve to the commands of gem-ma."""
    serve = commands.add_parser(
        "serve",
        help="offer an environment over OpenEnv's WebSocket protocol",
        epilog="example: gem-ma serve game:ConnectFour-v0 --port 8000; a token that clients have "
        "to send stands in the environment variable GEM_MA_TOKEN",
    )
    serve.add_argument("id", help="an environment; see gem-ma list")
    serve.add_argument("--host", default="127.0.0.1", help="(default: this machine only)")
    serve.add_argument(
        "--port", type=_port, default=8000, help="0 takes a free one (default: 8000)"
    )
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


def _port(text: str) -> int:
    if not text.isdecimal() or int(text) > 65535:
        raise argparse.ArgumentTypeError(f"{text!r}: expected a number from 0 to 65535")
    return int(text)


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
