"""The command line: gem-ma list, play, run, render, serve and data, and where others are added."""

from __future__ import annotations

import argparse
import difflib
import math
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from gem_ma import __version__
from gem_ma.agents import SPECS, HumanAgent, load, load_all
from gem_ma.cli import completion
from gem_ma.cli.commands import (
    UsageError,
    add_commands,
    add_info,
    add_settings,
    count,
    make,
    positive,
)
from gem_ma.envs import registry
from gem_ma.envs.registry import BadArgument, MissingNeed, UnknownEnv
from gem_ma.guards.remote import without_secrets
from gem_ma.match.match import SeatError
from gem_ma.rollouts.episode import Episode
from gem_ma.talk.asking import Agent, ask
from gem_ma.talk.conversation import Conversation


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; return 0, or 2 for input that makes no sense, or 130 when interrupted."""
    try:
        parser = _parser()
        if "_ARGCOMPLETE" in os.environ:
            completion.answer(parser)
        args = parser.parse_args(arguments)
        code = int(args.run(args))
        sys.stdout.flush()  # while a pipe that was closed is no news to anybody
        return code
    except BrokenPipeError:  # the reader, `head` for example, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except _wrong() as error:
        sys.stderr.write(f"gem-ma: {_said(error)}\n")
        return 2
    except (KeyboardInterrupt, EOFError):
        sys.stderr.write("\n")
        return 130


def _wrong() -> tuple[type[Exception], ...]:
    """Return what words on a command line, or the machine they are typed on, can lead to.

    It is asked for when something was raised: some of it takes long to import.
    """
    from gymnasium.error import DependencyNotInstalled

    from gem_ma.agents.openai import ServerError
    from gem_ma.renderers import BadScene, UnknownTheme

    known = BadScene, DependencyNotInstalled, MissingNeed, SeatError, ServerError
    return *known, ImportError, OSError, UnknownEnv, UnknownTheme, UsageError


def _said(error: Exception) -> str:
    """Return in one line what is wrong."""
    if isinstance(error, OSError) and error.strerror and error.filename:
        return f"{error.filename}: {error.strerror}"
    return without_secrets(" ".join(str(error).split()))


class _Parser(argparse.ArgumentParser):
    """A parser whose errors are told as all others are."""

    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{message}; {self.prog} -h says more")


_WIDEST = 8192  # pixels of a side
_WHO = f"who sits in the seats, in order, or one for all: {SPECS} (default: random)"


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="gem-ma",
        description="Several language or vision-language models in one environment.",
        epilog="example: gem-ma play game:ConnectFour-v0 --agents human,random; gem-ma COMMAND -h "
        "says more of each command",
    )
    parser.add_argument("--version", action="version", version=f"gem-ma {__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    lister = commands.add_parser(
        "list", help="list environments", epilog="example: gem-ma list 'ta:*' --here"
    )
    lister.add_argument("pattern", nargs="?", default="*", help="part of an id, or with * and ?")
    lister.add_argument(
        "--here", action="store_true", help="only those that need nothing that is not here"
    )
    lister.add_argument("--needs", action="store_true", help="say what each takes beside gem_ma")
    lister.set_defaults(run=_list)
    add_info(commands)

    play = commands.add_parser(
        "play",
        help="play a match and print it",
        epilog="example: gem-ma play game:ConnectFour-v0 --agents human,random --seed 0",
    )
    play.add_argument("id", help="an environment; see gem-ma list")
    play.add_argument("--agents", default="random", help=_WHO)
    play.add_argument("--seed", type=int, help="an int that decides the match (default: drawn)")
    add_settings(play)
    play.set_defaults(run=_play)

    run = commands.add_parser(
        "run",
        help="play many episodes and keep their records",
        epilog="example: gem-ma run game:KuhnPoker-v0 --episodes 1000 --out kuhn.jsonl --resume",
    )
    run.add_argument("id", help="an environment; see gem-ma list")
    run.add_argument("--agents", default="random", help=_WHO)
    run.add_argument("--episodes", type=positive, default=1, help="how many (default: 1)")
    run.add_argument("--concurrency", type=positive, default=64, help="alive at once (default: 64)")
    run.add_argument("--seed", type=int, help="an int that decides all (default: drawn)")
    run.add_argument("--observe", default="text", choices=("text", "image", "both"))
    run.add_argument("--context", help="what agents read of their chat, such as turns=4,images=2")
    run.add_argument("--shuffle", action="store_true", help="draw who takes which seat")
    run.add_argument("--out", help="a file of JSON lines, pictures in a folder beside it")
    run.add_argument("--resume", action="store_true", help="play what is not in the file yet")
    run.add_argument("--workers", help="processes to play in, or 'ray' (default: this one)")
    run.add_argument("--step-timeout", type=_seconds, help="seconds for a step, with --workers")
    run.add_argument("--max-errors", type=count, default=10, help="then it stops (default: 10)")
    add_settings(run)
    run.set_defaults(run=_run)

    render = commands.add_parser(
        "render",
        help="draw an environment into a PNG or GIF file",
        epilog="example: gem-ma render game:ConnectFour-v0 --seed 0 --moves 9 --out board.png",
    )
    render.add_argument("id", help="an environment; see gem-ma list")
    render.add_argument("--out", required=True, help="board.png, or match.gif for every move")
    render.add_argument("--seed", type=int, default=0, help="what decides the match (default: 0)")
    render.add_argument("--moves", type=count, default=0, help="random moves to play (default: 0)")
    render.add_argument("--agent", help="a seat whose view it is (default: everything)")
    render.add_argument("--theme", default="light", help="a name, or an int that draws one")
    render.add_argument("--size", default="252x252", help="width and height (default: 252x252)")
    add_settings(render)
    render.set_defaults(run=_render)

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
    serve.add_argument("--max-sessions", type=int, default=256, help="(default: 256)")
    serve.add_argument("--max-message", type=int, default=1 << 20, help="bytes (default: 1 MiB)")
    serve.add_argument(
        "--first-message",
        type=float,
        default=30.0,
        metavar="SECONDS",
        help="for a connection to say something whole (default: 30)",
    )
    serve.add_argument(
        "--idle",
        type=float,
        default=1800.0,
        metavar="SECONDS",
        help="between an answer and the next message (default: 1800)",
    )
    serve.add_argument("--seat", help="the seat of all clients; the others are played here")
    serve.add_argument("--others", default="random", help="who plays them (default: random)")
    serve.add_argument("--observe", default="text", choices=("text", "image", "both"))
    add_settings(serve)
    serve.set_defaults(run=_serve)

    data = commands.add_parser(
        "data",
        help="fetch the files that an environment needs",
        epilog="example: gem-ma data tau-bench",
    )
    data.add_argument("what", choices=("tau-bench",), help="what tau:retail and tau:airline need")
    data.add_argument(
        "--from",
        dest="source",
        metavar="PATH",
        help="a clone of the original, or a folder with retail/ and airline/ (default: download)",
    )
    data.add_argument(
        "--into", metavar="PATH", help="a folder (default: TAU_BENCH_DATA, or the user's cache)"
    )
    data.set_defaults(run=_data)

    from gem_ma.cli.evaluation import add_commands as add_evaluation
    from gem_ma.cli.viewing import add_commands as add_views

    for add in (add_evaluation, add_views, add_commands):
        add(commands)
    return parser


def _port(text: str) -> int:
    if not text.isdecimal() or int(text) > 65535:
        raise argparse.ArgumentTypeError(f"{text!r}: expected a number from 0 to 65535")
    return int(text)


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = math.nan
    if not 0 < seconds < math.inf:
        raise argparse.ArgumentTypeError(f"{text!r}: expected seconds, more than 0")
    return seconds


def _list(args: argparse.Namespace) -> int:
    ids = registry.list_envs(args.pattern)
    if not ids:
        close = difflib.get_close_matches(args.pattern, registry.list_envs(), n=1, cutoff=0.3)
        hint = f"; did you mean {close[0]!r}?" if close else ""
        raise UsageError(f"no id matches {args.pattern!r}{hint}")
    for id in ids:
        spec = registry.spec(id)
        if not (args.here and spec.missing()):
            needs = f"  {', '.join(spec.needs)}" if args.needs and spec.needs else ""
            sys.stdout.write(f"{id}{needs}\n")
    return 0


def _play(args: argparse.Namespace) -> int:
    env = make(args.id, args.settings)
    seats = env.possible_agents
    players = dict(zip(seats, _players(args.agents, seats), strict=True))
    chats = {seat: Conversation(seat) for seat in seats}
    env.reset(seed=args.seed)
    write = sys.stdout.write
    write(f"{args.id}, seed {env.episode_seed}\n")
    returns = dict.fromkeys(seats, 0.0)
    env.render_mode = "ansi"
    people = [seat for seat in seats if isinstance(players[seat], HumanAgent)]
    while env.to_act:
        replies = {}
        for seat in env.to_act:
            try:
                (reply,) = ask(players[seat], [env.turn(seat, chats[seat])])
            except ValueError as error:  # it cannot play this game
                raise UsageError(f"{seat}: {error}") from None
            replies[seat] = chats[seat].steps[-1].reply = reply
        turn = env.turns
        rewards, _, _ = env.play(replies)
        for seat, reward in rewards.items():
            returns[seat] += reward
        if people:  # who are to see no more than their seats do
            continue
        write(f"\n{turn + 1}. {', '.join(f'{seat}: {r}' for seat, r in replies.items())}\n")
        if env.game.conversation:  # each reply says what is new
            results = [text for seat in env.to_act for text in env.turn(seat).results]
            write("".join(f"   tool: {text}\n" for text in results))
        else:
            write(f"{env.render()}\n")
    if people:
        news = [str(message) for message in env.messages(people[0])]
        write("\n".join(["", *news, "", env.render(), ""]))
    write("\nreturns: " + ", ".join(f"{seat} {value:+g}" for seat, value in returns.items()) + "\n")
    return 0


def _players(names: str, seats: Sequence[str]) -> list[Agent]:
    """Return the agents that a list of spec strings names, one for each seat."""
    try:
        return load_all(names, seats)
    except (TypeError, ValueError) as error:
        raise UsageError(f"--agents {names}: {error}") from None


def _run(args: argparse.Namespace) -> int:
    from gem_ma.rollouts.rollout import Interrupted, rollout
    from gem_ma.rollouts.run import TooManyErrors

    env = make(args.id, args.settings, observe=args.observe)
    specs = args.agents.split(",")
    _players(args.agents, env.possible_agents)
    try:
        episodes = rollout(
            env,
            specs[0] if len(specs) == 1 else specs,
            args.episodes,
            concurrency=args.concurrency,
            seed=args.seed,
            shuffle=args.shuffle,
            context=args.context,
            max_errors=args.max_errors,
            out=args.out,
            resume=args.resume,
            workers=int(args.workers) if (args.workers or "").isdecimal() else args.workers,
            step_timeout=args.step_timeout,
        )
    except Interrupted as stop:
        _summary(stop.episodes, args)
        return 130
    except TooManyErrors as stop:
        _summary(stop.episodes, args)
        sys.stderr.write(f"gem-ma: {_said(stop)}\n")
        return 1
    except ValueError as error:
        raise UsageError(str(error)) from None
    return int(_summary(episodes, args) > 0)


def _summary(episodes: Sequence[Episode], args: argparse.Namespace) -> int:
    """Say how many episodes there are and what the seats earned; return how many failed."""
    done = [episode for episode in episodes if episode.failure is None]
    failures = [episode.failure for episode in episodes if episode.failure is not None]
    failed = len(failures)
    write = sys.stdout.write
    write(f"{len(done)} of {args.episodes} episodes" + (f", {failed} failed" * bool(failed)) + "\n")
    for seat in done[0].returns if done else ():
        mean = sum(episode.returns[seat] for episode in done) / len(done)
        bad = sum(1 for e in done for step in e.steps if step.agent == seat and step.invalid)
        said = sum(1 for e in done for step in e.steps if step.agent == seat)
        write(f"{seat}: mean return {mean:+.3f}, {said} replies, {bad} invalid\n")
    if args.out:
        write(f"written to {args.out}\n")
    if failures:
        last = failures[-1]
        sys.stderr.write(f"gem-ma: the last failure: {last.kind}: {last.message}\n")
    return failed


def _serve(args: argparse.Namespace) -> int:
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
            say=lambda line: sys.stdout.write(f"{line}\n") and sys.stdout.flush(),
            **{"observe": args.observe, **dict(args.settings)},
        )
    except (BadArgument, ValueError) as error:
        raise UsageError(str(error)) from None
    return 0


def _data(args: argparse.Namespace) -> int:
    from gem_ma.envs.tau import data, fetch

    write = sys.stdout.write
    fetch.fetch(source=args.source, into=args.into, say=lambda line: write(f"{line}\n"))
    if args.into and Path(args.into).resolve() != data.folder().resolve():
        write(f"set {data.VARIABLE}={args.into} to use them\n")
    return 0


def _render(args: argparse.Namespace) -> int:
    from gem_ma.renderers import png, save_gif

    width, _, height = args.size.partition("x")
    sides = [int(side) for side in (width, height) if side.isdecimal()]
    if len(sides) != 2 or not all(1 <= side <= _WIDEST for side in sides):
        raise UsageError(f"--size {args.size}: expected two numbers up to {_WIDEST}, like 252x252")
    if not args.out.endswith((".png", ".gif")):
        raise UsageError(f"--out {args.out}: expected a name that ends in .png or .gif")
    which = int(args.theme) if args.theme.lstrip("-").isdecimal() else args.theme
    env = make(args.id, args.settings, theme=which, image_size=tuple(sides))
    env.render_mode = "rgb_array"
    env.reset(seed=args.seed)
    frames, player = [env.render(args.agent)], load("random")
    for _ in range(args.moves):
        if env.to_act:
            env.play({seat: ask(player, [env.turn(seat)])[0] for seat in env.to_act})
            frames.append(env.render(args.agent))
    if args.out.endswith(".gif"):
        save_gif(frames, args.out)
    else:
        Path(args.out).write_bytes(png.from_array(frames[-1]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
