"""The command line: gem-ma list, gem-ma play."""

from __future__ import annotations

import argparse
import difflib
import sys
from collections.abc import Sequence

from gem_ma import registry
from gem_ma.agents import load
from gem_ma.env import SeatError
from gem_ma.episode import Agent, ask
from gem_ma.registry import UnknownEnv


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; return 0, or 2 for input that makes no sense, or 130 when interrupted."""
    parser = _parser()
    args = parser.parse_args(arguments)
    try:
        return int(args.run(args))
    except (UnknownEnv, SeatError, UsageError) as error:
        sys.stderr.write(f"gem-ma: {error}\n")
        return 2
    except (KeyboardInterrupt, EOFError):
        sys.stderr.write("\n")
        return 130
    except BrokenPipeError:  # the reader, `head` for example, has seen enough
        sys.stderr.close()
        return 0


class UsageError(ValueError):
    """The words of a command do not fit together."""


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="gem-ma",
        description="Several language or vision-language models in one environment.",
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    lister = commands.add_parser("list", help="list environments")
    lister.add_argument("pattern", nargs="?", default="*", help="part of an id, or with * and ?")
    lister.set_defaults(run=_list)

    play = commands.add_parser(
        "play",
        help="play a match and print it",
        epilog="example: gem-ma play game:ConnectFour-v0 --agents human,random --seed 0",
    )
    play.add_argument("id", help="an environment; see gem-ma list")
    play.add_argument(
        "--agents",
        default="random",
        help="who sits in the seats, in order, or one for all: random, human (default: random)",
    )
    play.add_argument("--seed", type=int, help="an int that decides the match (default: drawn)")
    play.set_defaults(run=_play)
    return parser


def _list(args: argparse.Namespace) -> int:
    ids = registry.list_envs(args.pattern)
    if not ids:
        close = difflib.get_close_matches(args.pattern, registry.list_envs(), n=1, cutoff=0.3)
        hint = f"; did you mean {close[0]!r}?" if close else ""
        raise UsageError(f"no id matches {args.pattern!r}{hint}")
    sys.stdout.write("".join(f"{id}\n" for id in ids))
    return 0


def _play(args: argparse.Namespace) -> int:
    env = registry.make(args.id)
    seats = env.possible_agents
    names = args.agents.split(",")
    if len(names) == 1:
        names *= len(seats)
    if len(names) != len(seats):
        raise UsageError(
            f"got {len(names)} agents, but {args.id} has {len(seats)} seats: {', '.join(seats)}"
        )
    try:
        by_name: dict[str, Agent] = {name: load(name) for name in names}
    except ValueError as error:
        raise UsageError(str(error)) from None
    env.reset(seed=args.seed)
    write = sys.stdout.write
    write(f"{args.id}, seed {env.seed}\n")
    returns = dict.fromkeys(seats, 0.0)
    env.render_mode = "ansi"
    players = dict(zip(seats, names, strict=True))
    while env.to_act:
        replies = {seat: ask(by_name[players[seat]], [env.turn(seat)])[0] for seat in env.to_act}
        turn = env.turns
        rewards, _, _ = env.play(replies)
        for seat, reward in rewards.items():
            returns[seat] += reward
        write(f"\n{turn + 1}. {', '.join(f'{seat}: {r}' for seat, r in replies.items())}\n")
        write(f"{env.render()}\n")
    write("\nreturns: " + ", ".join(f"{seat} {value:+g}" for seat, value in returns.items()) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
