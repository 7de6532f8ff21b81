"""The command line: gem-ma list, gem-ma play, gem-ma render."""

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

    render = commands.add_parser(
        "render",
        help="draw an environment into a PNG or GIF file",
        epilog="example: gem-ma render game:ConnectFour-v0 --seed 0 --moves 9 --out board.png",
    )
    render.add_argument("id", help="an environment; see gem-ma list")
    render.add_argument("--out", required=True, help="board.png, or match.gif for every move")
    render.add_argument("--seed", type=int, default=0, help="what decides the match (default: 0)")
    render.add_argument("--moves", type=int, default=0, help="random moves to play (default: 0)")
    render.add_argument("--agent", help="a seat whose view it is (default: everything)")
    render.add_argument("--theme", default="light", help="a name, or an int that draws one")
    render.add_argument("--size", default="252x252", help="width and height (default: 252x252)")
    render.set_defaults(run=_render)
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


def _render(args: argparse.Namespace) -> int:
    from gem_ma.renderers import UnknownTheme, png, save_gif

    width, _, height = args.size.partition("x")
    if not (width.isdecimal() and height.isdecimal() and int(width) and int(height)):
        raise UsageError(f"--size {args.size}: expected two numbers such as 252x252")
    if not args.out.endswith((".png", ".gif")):
        raise UsageError(f"--out {args.out}: expected a name that ends in .png or .gif")
    which = int(args.theme) if args.theme.lstrip("-").isdecimal() else args.theme
    try:
        env = registry.make(args.id, theme=which, image_size=(int(width), int(height)))
    except UnknownTheme as error:
        raise UsageError(str(error)) from None
    env.render_mode = "rgb_array"
    env.reset(seed=args.seed)
    frames, player = [env.render(args.agent)], load("random")
    for _ in range(args.moves):
        if env.to_act:
            env.play({seat: ask(player, [env.turn(seat)])[0] for seat in env.to_act})
            frames.append(env.render(args.agent))
    try:
        if args.out.endswith(".gif"):
            save_gif(frames, args.out)
        else:
            with open(args.out, "wb") as file:
                file.write(png.from_array(frames[-1]))
    except OSError as error:
        raise UsageError(f"--out {args.out}: {error.strerror}") from None
    return 0


if __name__ == "__main__":
    sys.exit(main())
