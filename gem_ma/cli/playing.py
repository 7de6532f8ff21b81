"""The commands play, run, gateway and render: one match or many, played here or from outside."""

from __future__ import annotations

import argparse
import re
import sys
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from gem_ma.agents import HumanAgent, load, load_all, seated
from gem_ma.apis.session import Session
from gem_ma.chat.agent import Agent, ask_agent
from gem_ma.cli.common import (
    WHO,
    Stopped,
    UsageError,
    add_looks,
    add_pictures,
    add_seed,
    add_settings,
    add_tools,
    count,
    drawn,
    in_one_line,
    make,
    port,
    positive,
    said,
    seconds,
    seed,
    spoken,
    with_tools,
)
from gem_ma.guards.remote import model_at, variable
from gem_ma.rollouts.episode import Episode
from gem_ma.serving.gate import token_for


def add_commands(commands: Any) -> None:
    """Add play, run, gateway and render to the commands of gem-ma."""
    play = commands.add_parser(
        "play",
        help="play a match and print it",
        epilog="example: gem-ma play game:ConnectFour-v0 --agents human,random --seed 0",
    )
    play.add_argument("id", help="an environment; see gem-ma list")
    play.add_argument("--agents", action="append", metavar="[SEAT=]SPEC", help=WHO)
    add_tools(play)
    add_seed(play, "the match")
    add_looks(play)
    play.set_defaults(run=_play)

    run = commands.add_parser(
        "run",
        help="play many episodes and keep their records",
        epilog="example: gem-ma run game:KuhnPoker-v0 --episodes 1000 --out kuhn.jsonl --resume",
    )
    run.add_argument("id", help="an environment; see gem-ma list")
    run.add_argument("--agents", action="append", metavar="[SEAT=]SPEC", help=WHO)
    add_tools(run)
    _add_many(run)
    run.add_argument("--context", help="what agents read of their chat, such as turns=4,images=2")
    run.add_argument("--shuffle", action="store_true", help="draw who takes which seat")
    run.add_argument(
        "--workers", type=_workers, help="processes to play in, or 'ray' (default: this one)"
    )
    run.add_argument("--step-timeout", type=seconds, help="seconds for a step, with --workers")
    add_looks(run)
    run.set_defaults(run=_run)

    gateway = commands.add_parser(
        "gateway",
        help="let programs from outside take seats, and pass their calls on to a model's server",
        epilog="example: gem-ma gateway game:ConnectFour-v0 --model http://127.0.0.1:8000/v1 "
        "--episodes 100 --out played.jsonl; programs POST to /claim of the address that it says",
    )
    gateway.add_argument("id", help="an environment; see gem-ma list")
    gateway.add_argument("--model", metavar="[MODEL@]URL", help="the server of their model")
    gateway.add_argument(
        "--key",
        default="OPENAI_API_KEY",
        metavar="VARIABLE",
        help="the environment variable with its key (default: OPENAI_API_KEY)",
    )
    gateway.add_argument(
        "--token-ids", action="store_true", help="ask it for token ids, which vLLM gives"
    )
    gateway.add_argument("--seats", help="those for programs, with commas between (default: all)")
    gateway.add_argument("--agents", action="append", metavar="[SEAT=]SPEC", help=WHO)
    gateway.add_argument(
        "--turn",
        type=seconds,
        default=600.0,
        metavar="SECONDS",
        help="for a move, after which a program has failed (default: 600)",
    )
    gateway.add_argument("--host", default="127.0.0.1", help="(default: this machine only)")
    gateway.add_argument("--port", type=port, default=0, help="(default: one that is free)")
    _add_many(gateway)
    add_looks(gateway)
    gateway.set_defaults(run=_gateway)

    render = commands.add_parser(
        "render",
        help="draw an environment into a PNG or GIF file",
        epilog="example: gem-ma render game:ConnectFour-v0 --seed 0 --moves 9 --out board.png",
    )
    render.add_argument("id", help="an environment; see gem-ma list")
    render.add_argument("--out", required=True, help="board.png, or match.gif for every move")
    render.add_argument("--seed", type=seed, default=0, help="what decides the match (default: 0)")
    render.add_argument("--moves", type=count, default=0, help="random moves to play (default: 0)")
    render.add_argument("--agent", help="a seat whose view it is (default: everything)")
    add_pictures(render)
    add_settings(render)
    render.set_defaults(run=_render)


def _add_many(parser: argparse.ArgumentParser) -> None:
    """Add what many episodes are played with."""
    parser.add_argument("--episodes", type=positive, default=1, help="how many (default: 1)")
    parser.add_argument(
        "--concurrency", type=positive, default=64, help="alive at once (default: 64)"
    )
    add_seed(parser, "all; that of each episode, which gem-ma play takes, is in its record")
    parser.add_argument("--out", help="a file of JSON lines, pictures in a folder beside it")
    parser.add_argument("--resume", action="store_true", help="play what is not in the file yet")
    parser.add_argument("--max-errors", type=count, default=10, help="then it stops (default: 10)")


def _workers(text: str) -> int | str:
    if text.isdecimal():
        return positive(text)
    if not re.fullmatch(r"ray(:[1-9]\d*)?", text):
        raise argparse.ArgumentTypeError(f"{text!r}: expected a whole number, ray or ray:8")
    return text


def _play(args: argparse.Namespace) -> int:
    env = with_tools(make(args.id, args), args.tools)
    seats = env.possible_agents
    players = dict(zip(seats, _players(args.agents, seats), strict=True))
    session = Session(env)
    session.reset(drawn(args.seed))
    write = sys.stdout.write
    write(f"{env.id}, seed {env.episode_seed}\n")
    env.core.render_mode = "ansi"
    people = [seat for seat in seats if isinstance(players[seat], HumanAgent)]
    while session.due:
        replies: dict[str, str] = {}
        for seat in session.due:
            try:
                replies |= session.ask(players, [seat])
            except ValueError as error:  # it cannot play this game
                raise UsageError(f"{seat}: {error}") from None
        turn = env.turns
        session.step(replies)
        if people:  # who are to see no more than their seats do
            continue
        write(f"\n{turn + 1}. {', '.join(f'{seat}: {r}' for seat, r in replies.items())}\n")
        for text in (text for seat in env.to_act for text in env.turn(seat).results):
            write(f"   tool: {text}\n")
        if not env.game.conversation:  # where each reply says what is new
            write(f"{env.render()}\n")
    if people:
        news = [str(message) for message in env.messages(people[0])]
        write("\n".join(["", *news, "", env.render(), ""]))
    write(
        "\nreturns: "
        + ", ".join(f"{seat} {value:+g}" for seat, value in session.returns.items())
        + "\n"
    )
    return 0


def _players(names: Sequence[str] | None, seats: Sequence[str]) -> list[Agent]:
    """Return the agents that a list of spec strings names, one for each seat."""
    try:
        return load_all(names or "random", seats)
    except (TypeError, ValueError) as error:
        raise UsageError(f"{said(names or ())}: {error}") from None


def _run(args: argparse.Namespace) -> int:
    from gem_ma.rollouts.rollout import rollout

    env = with_tools(make(args.id, args), args.tools)
    agents = _seated(args, env.possible_agents)

    def play(**settings: Any) -> list[Episode]:
        return rollout(
            env,
            agents,
            args.episodes,
            shuffle=args.shuffle,
            context=args.context,
            workers=args.workers,
            step_timeout=args.step_timeout,
            **settings,
        )

    return _many(args, play)


def _gateway(args: argparse.Namespace) -> int:
    env = make(args.id, args)
    agents = _seated(args, env.possible_agents)
    seats = args.seats.split(",") if args.seats else None
    try:
        token_for(args.host)
        variable(args.key)
        if args.model:
            model_at(args.model)
        for seat in seats or ():
            if seat not in env.possible_agents:
                raise ValueError(f"--seats {seat}; the seats are {', '.join(env.possible_agents)}")
        played = {spec for seat, spec in agents.items() if seats and seat not in seats}
        for spec in {*agents.values()} - played:  # of seats that programs take: it may be wrong
            load(spec)
    except ValueError as error:
        raise UsageError(str(error)) from None
    from gem_ma.serving.gateway import gateway

    def play(**settings: Any) -> list[Episode]:
        gate = gateway(
            env,
            args.model,
            seats=seats,
            agents=agents,
            episodes=args.episodes,
            seconds=args.turn,
            host=args.host,
            port=args.port,
            key=args.key,
            token_ids=args.token_ids,
            **settings,
        )
        with gate:
            sys.stdout.write(f"programs take seats at {gate.url}\n")
            sys.stdout.flush()
            return gate.wait()

    return _many(args, play)


def _seated(args: argparse.Namespace, seats: Sequence[str]) -> dict[str, str]:
    try:
        return seated(args.agents or "random", seats)
    except ValueError as error:
        raise UsageError(f"{said(args.agents)}: {error}") from None


def _many(args: argparse.Namespace, play: Callable[..., list[Episode]]) -> int:
    """Play many episodes, and say what came of them."""
    from gem_ma.rollouts.rollout import FailedEpisodes, Interrupted
    from gem_ma.rollouts.run import TooManyErrors

    goes_on = args.resume and args.out and Path(args.out).exists() and Path(args.out).stat().st_size
    if not goes_on:  # with the seed that is in the file
        args.seed = drawn(args.seed)
    warnings.simplefilter("ignore", FailedEpisodes)  # told below
    try:
        episodes = play(
            concurrency=args.concurrency,
            seed=args.seed,
            max_errors=args.max_errors,
            out=args.out,
            resume=args.resume,
            progress=True,
        )
    except Interrupted as stop:
        _summary(stop.episodes, args)
        raise Stopped(_kept(stop.episodes, args)) from None
    except TooManyErrors as stop:
        _summary(stop.episodes, args)
        sys.stderr.write(f"gem-ma: {spoken(in_one_line(stop), args)}\n")
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
    seed = episodes[0].id.rpartition("-")[0] if episodes else args.seed
    write(f"{len(done)} of {args.episodes} episodes")
    write(f"{f', {failed} failed' * bool(failed)}, seed {seed}\n")
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


def _kept(episodes: Sequence[Episode], args: argparse.Namespace) -> str:
    """Return what is kept of a run that was stopped, and how it goes on."""
    done = sum(episode.failure is None for episode in episodes)
    if not args.out:
        return f"stopped: {done} of {args.episodes} episodes are done, none is kept without --out"
    more = "the same command" if args.resume else "the same command with --resume"
    few = "" if done else " (with a lower --concurrency, episodes end sooner)"
    return f"stopped: {args.out} keeps {done} of {args.episodes} episodes; {more} goes on{few}"


def _render(args: argparse.Namespace) -> int:
    from gem_ma.renderers import png, save_gif

    if not args.out.endswith((".png", ".gif")):
        raise UsageError(f"--out {args.out}: expected a name that ends in .png or .gif")
    env = make(args.id, args)
    env.render_mode = "rgb_array"
    env.reset(seed=args.seed)
    frames, player = [env.render(args.agent)], load("random")
    for _ in range(args.moves):
        if env.to_act:
            env.step_seats({seat: ask_agent(player, [env.turn(seat)])[0] for seat in env.to_act})
            frames.append(env.render(args.agent))
    if args.out.endswith(".gif"):
        save_gif(frames, args.out)
    else:
        Path(args.out).write_bytes(png.from_array(frames[-1]))
    sys.stdout.write(f"written to {args.out}\n")
    return 0
