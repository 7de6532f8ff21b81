"""The commands play, run and render: one match, or many."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gem_ma.agents import HumanAgent, load_agent, load_seat_agents
from gem_ma.apis.session import Session
from gem_ma.chat.agent import Agent, ask_agent
from gem_ma.cli.command_options import (
    AGENTS_HELP,
    SubcommandParsers,
    UsageError,
    add_observation_options,
    add_picture_options,
    add_seed_option,
    add_setting_option,
    add_tool_option,
    choose_seed,
    format_agents_option,
    format_error,
    make_env_from_args,
    parse_count,
    parse_positive,
    parse_seconds,
    wrap_with_tools,
)
from gem_ma.cli.cost_options import add_cost_options, load_priced_agents
from gem_ma.cli.episodes import add_episode_options, parse_agents, play_episodes
from gem_ma.rollouts.episode import Episode

if TYPE_CHECKING:
    import numpy as np

    from gem_ma.apis.aec import AECEnv


def add_commands(commands: SubcommandParsers) -> None:
    """Add play, run and render to the commands of gem-ma."""
    play = commands.add_parser(
        "play",
        group="play",
        help="play a match and print it",
        description="Play one match and print it. For a seat with the agent human, type each move.",
        epilog="example: gem-ma play game:ConnectFour-v0 --agents human,random --seed 0",
    )
    play.add_argument("id", help="an environment; see gem-ma list")
    play.add_argument("--agents", action="append", metavar="[SEAT=]SPEC", help=AGENTS_HELP)
    add_tool_option(play)
    add_seed_option(play, "the match")
    add_observation_options(play)
    play.set_defaults(run=_run_play)

    run = commands.add_parser(
        "run",
        group="play",
        help="play many episodes and save their records",
        epilog="example: gem-ma run game:KuhnPoker-v0 --episodes 1000 --out kuhn.jsonl --resume",
    )
    run.add_argument("id", help="an environment; see gem-ma list")
    run.add_argument("--agents", action="append", metavar="[SEAT=]SPEC", help=AGENTS_HELP)
    add_tool_option(run)
    add_episode_options(run)
    add_cost_options(run, "agents")
    run.add_argument(
        "--context",
        help="how much of their chat agents read, such as turns=4,images=2 (default: all of it)",
    )
    run.add_argument(
        "--shuffle", action="store_true", help="draw for each episode which agent takes which seat"
    )
    run.add_argument(
        "--workers",
        type=_parse_workers,
        help="number of processes to play in, or ray, or ray:8 for eight actors of Ray (default: "
        "this process)",
    )
    run.add_argument(
        "--step-timeout",
        type=parse_seconds,
        help="seconds for a step of the environment; needs --workers (default: no limit)",
    )
    add_observation_options(run)
    run.set_defaults(run=_run_rollout)

    render = commands.add_parser(
        "render",
        group="play",
        help="draw an environment into a PNG or GIF file",
        description="Draw an environment into a PNG or GIF file, at its start or after some random "
        "moves.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog=(
            "examples:\n"
            "  gem-ma render game:ConnectFour-v0 --moves 9 --out board.png\n"
            "  gem-ma render game:ConnectFour-v0 --moves 20 --theme held-out:5 --out match.gif"
        ),
    )
    render.add_argument("id", help="an environment; see gem-ma list")
    render.add_argument(
        "--out",
        required=True,
        help="the file: NAME.png with the last position, or NAME.gif with a frame for each move",
    )
    add_seed_option(render, "the match", 0)
    render.add_argument(
        "--moves",
        type=parse_count,
        default=0,
        help="number of random moves to play before the drawing (default: 0)",
    )
    render.add_argument("--seat", help="draw what this seat sees (default: the whole position)")
    add_picture_options(render)
    add_setting_option(render)
    render.set_defaults(run=_run_render)


def _parse_workers(text: str) -> int | str:
    if text.isdecimal():
        return parse_positive(text)
    if not re.fullmatch(r"ray(:[1-9]\d*)?", text):
        raise argparse.ArgumentTypeError(f"{text!r}: expected a whole number, ray or ray:8")
    return text


def _run_play(args: argparse.Namespace) -> int:
    env = wrap_with_tools(make_env_from_args(args.id, args), args.tools)
    seats = env.possible_agents
    players = dict(zip(seats, _load_players(args.agents, seats), strict=True))
    session = Session(env)
    session.reset(choose_seed(args.seed))
    write = sys.stdout.write
    write(f"{env.id}, seed {env.episode_seed}\n")
    env.core.render_mode = "ansi"
    people = [seat for seat in seats if isinstance(players[seat], HumanAgent)]
    while session.due:
        replies: dict[str, str] = {}
        for seat in session.due:
            try:
                replies |= session.ask(players, [seat])
            except ValueError as error:  # the agent cannot play this game
                raise UsageError(f"{seat}: {error}") from None
        turn = env.turns
        session.step(replies)
        if people:  # people must see no more than their seats
            continue
        write(f"\n{turn + 1}. {', '.join(f'{seat}: {r}' for seat, r in replies.items())}\n")
        for text in (text for seat in env.to_act for text in env.turn(seat).results):
            write(f"   tool: {text}\n")
        if not env.game.conversation:  # in a conversation, the replies show all that is new
            write(f"{env.render()}\n")
    if people:
        messages = [str(message) for message in env.messages(people[0])]
        write("\n".join(["", *messages, "", env.render(), ""]))
    write(
        "\nreturns: "
        + ", ".join(f"{seat} {value:+g}" for seat, value in session.returns.items())
        + "\n"
    )
    return 0


def _load_players(names: Sequence[str] | None, seats: Sequence[str]) -> list[Agent]:
    """Return the agents that a list of specs names, one for each seat."""
    try:
        return load_seat_agents(names or "random", seats)
    except (TypeError, ValueError) as error:
        raise UsageError(f"{format_agents_option(names or ())}: {error}") from None


def _run_rollout(args: argparse.Namespace) -> int:
    from gem_ma.rollouts.rollout import rollout

    env = wrap_with_tools(make_env_from_args(args.id, args), args.tools)
    try:
        agents = load_priced_agents(args, parse_agents(args, env.possible_agents))
    except (OSError, ValueError) as error:
        raise UsageError(format_error(error)) from None

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

    return play_episodes(args, play)


def _render_frame(env: AECEnv, seat: str | None) -> np.ndarray:
    frame = env.core.render(seat)
    assert frame is not None
    assert not isinstance(frame, str)  # guaranteed by its render mode
    return frame


def _run_render(args: argparse.Namespace) -> int:
    from gem_ma.renderers import png, save_gif

    if not args.out.endswith((".png", ".gif")):
        raise UsageError(f"--out {args.out}: expected a name that ends in .png or .gif")
    env = make_env_from_args(args.id, args)
    env.render_mode = "rgb_array"
    env.reset(seed=args.seed)
    frames, player = [_render_frame(env, args.seat)], load_agent("random")
    for _ in range(args.moves):
        if env.to_act:
            env.step_seats({seat: ask_agent(player, [env.turn(seat)])[0] for seat in env.to_act})
            frames.append(_render_frame(env, args.seat))
    if args.out.endswith(".gif"):
        save_gif(frames, args.out)
    else:
        Path(args.out).write_bytes(png.encode_png(frames[-1]))
    sys.stdout.write(f"written to {args.out}\n")
    return 0
