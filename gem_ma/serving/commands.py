"""The commands serve, arena, gateway and export, which offer environments to others."""

from __future__ import annotations

import argparse
import functools
import sys
from collections.abc import Callable
from typing import Any

from gem_ma.agents import load_agent
from gem_ma.agents.programs.agent_model import load_model
from gem_ma.cli.command_options import (
    AGENTS_HELP,
    SubcommandParsers,
    UsageError,
    add_observation_options,
    collect_env_arguments,
    make_env_from_args,
    parse_port,
    parse_positive,
    parse_seconds,
)
from gem_ma.cli.episodes import add_episode_options, parse_agents, play_episodes
from gem_ma.envs.registry import BadArgument, MissingRequirement
from gem_ma.rollouts.episode import Episode
from gem_ma.serving.export.projects import HUBS, write_project
from gem_ma.serving.middleware import resolve_token
from gem_ma.validation.endpoints import check_variable_name


def add_commands(commands: SubcommandParsers) -> None:
    """Add serve, arena, gateway and export to the commands of gem-ma."""
    _add_arena(commands)
    _add_gateway(commands)
    _add_export(commands)
    serve = commands.add_parser(
        "serve",
        group="serve",
        help="offer an environment over OpenEnv's WebSocket protocol, or as an MCP server",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog=(
            "examples:\n"
            "  gem-ma serve game:ConnectFour-v0 --port 8000\n"
            "  gem-ma serve game:ConnectFour-v0 --mcp http --seat red --observe both\n\n"
            "Set the environment variable GEM_MA_TOKEN to require a token from clients."
        ),
    )
    serve.add_argument("id", help="an environment; see gem-ma list")
    serve.add_argument(
        "--mcp",
        choices=("stdio", "http"),
        help="be an MCP server, over standard input and output, or over HTTP at /mcp (default: "
        "serve OpenEnv's protocol)",
    )
    serve.add_argument(
        "--host",
        default="127.0.0.1",
        help="address to listen on (default: 127.0.0.1, this computer only)",
    )
    serve.add_argument(
        "--port", type=parse_port, default=8000, help="port; 0 takes a free one (default: 8000)"
    )
    serve.add_argument(
        "--max-sessions",
        type=parse_positive,
        default=256,
        help="connections, or episodes of MCP clients, at the same time (default: 256)",
    )
    serve.add_argument(
        "--max-message",
        type=parse_positive,
        default=1 << 20,
        help="bytes of the longest message (default: 1 MiB)",
    )
    serve.add_argument(
        "--first-message",
        type=parse_seconds,
        default=30.0,
        metavar="SECONDS",
        help="seconds within which a connection must send its first whole message (default: 30)",
    )
    serve.add_argument(
        "--idle",
        type=parse_seconds,
        default=1800.0,
        metavar="SECONDS",
        help="seconds between an answer and the next message (default: 1800)",
    )
    serve.add_argument("--seat", help="the seat of all clients; agents play the others here")
    serve.add_argument(
        "--others",
        default="random",
        metavar="[SEAT=]SPEC",
        help="agents in the other seats, as for gem-ma play (default: random)",
    )
    add_observation_options(serve)
    serve.set_defaults(run=_run_serve)


def _run_serve(args: argparse.Namespace) -> int:
    def say(line: str) -> None:
        sys.stdout.write(f"{line}\n")
        sys.stdout.flush()

    if sys.stderr.isatty():  # large libraries take long to import
        sys.stderr.write(f"{args.id} is being made ...\n")
    offer: Callable[..., None]
    try:
        if args.mcp:
            from gem_ma.serving.mcp_server import serve_mcp

            offer = functools.partial(serve_mcp, transport=args.mcp)
        else:
            from gem_ma.serving.server import serve as offer
        offer(
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
            **collect_env_arguments(args),
        )
    except (BadArgument, ValueError) as error:
        raise UsageError(str(error)) from None
    return 0


def _add_arena(commands: SubcommandParsers) -> None:
    parser = commands.add_parser(
        "arena",
        group="serve",
        help="let people and agents play in a browser",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog=(
            "examples:\n"
            "  gem-ma arena --out matches\n"
            "  gem-ma arena game:ConnectFour-v0 tau:shop --out matches --agents search:depth=3\n\n"
            "It prints an address; open it in a browser. Set the environment variable\n"
            "GEM_MA_TOKEN to require a token from browsers; any --host beyond this computer needs\n"
            "one."
        ),
    )
    parser.add_argument(
        "envs",
        nargs="*",
        metavar="ID",
        help="the environments to offer, and no others (default: eighteen of all kinds, and all "
        "others by a search)",
    )
    parser.add_argument(
        "--out",
        required=True,
        help="folder for the matches; the same folder continues its unfinished matches",
    )
    parser.add_argument(
        "--agents",
        action="append",
        default=[],
        metavar="SPEC",
        help="agents that may take seats, separated by commas, such as hf:runs/ttt/model; may be "
        "repeated (default: random and search:depth=3)",
    )
    parser.add_argument(
        "--records",
        action="append",
        default=[],
        metavar="FILE",
        help="a file of recorded episodes, to replay and to continue from any turn; may be "
        "repeated",
    )
    parser.add_argument(
        "--host",
        default="127.0.0.1",
        help="address to listen on (default: 127.0.0.1, this computer only)",
    )
    parser.add_argument(
        "--port", type=parse_port, default=8080, help="port; 0 takes a free one (default: 8080)"
    )
    parser.set_defaults(run=_run_arena)


def _run_arena(args: argparse.Namespace) -> int:
    def say(line: str) -> None:
        sys.stdout.write(f"{line}\n")
        sys.stdout.flush()

    agents = [one for specs in args.agents for one in specs.split(",") if one]
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
    except (BadArgument, MissingRequirement, ImportError, OSError, ValueError) as error:
        raise UsageError(str(error)) from None
    return 0


def _add_gateway(commands: SubcommandParsers) -> None:
    gateway = commands.add_parser(
        "gateway",
        group="serve",
        help="let external programs take seats, and pass their calls on to a model's server",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog=(
            "example:\n"
            "  gem-ma gateway tau:shop --seat assistant --agents user=rule-user \\\n"
            "      --model http://127.0.0.1:8000/v1 --episodes 100 --out played.jsonl\n\n"
            "It prints an address. A program takes a seat with POST to /claim of this address.\n"
            "Set the environment variable GEM_MA_TOKEN to require a token from programs; any\n"
            "--host beyond this computer needs one. It exits with 1 if an episode failed."
        ),
    )
    gateway.add_argument("id", help="an environment; see gem-ma list")
    gateway.add_argument(
        "--model",
        metavar="[MODEL@]URL or SPEC",
        help="the server that answers the programs' model calls, where MODEL replaces the model "
        "that a program names; or an agent, such as hf:PATH (default: programs cannot call a "
        "model here)",
    )
    gateway.add_argument(
        "--key",
        default="OPENAI_API_KEY",
        metavar="VARIABLE",
        help="environment variable with the key of the server (default: OPENAI_API_KEY)",
    )
    gateway.add_argument(
        "--token-ids",
        action="store_true",
        help="ask the server for token ids and log-probabilities, which vLLM returns, for training",
    )
    gateway.add_argument(
        "--seat",
        dest="seats",
        metavar="SEAT,SEAT",
        help="seats that programs may take, separated by commas (default: all); --agents plays the "
        "others",
    )
    gateway.add_argument("--agents", action="append", metavar="[SEAT=]SPEC", help=AGENTS_HELP)
    gateway.add_argument(
        "--turn",
        type=parse_seconds,
        default=600.0,
        metavar="SECONDS",
        help="seconds for a move; the episode of a slower program fails (default: 600)",
    )
    gateway.add_argument(
        "--host",
        default="127.0.0.1",
        help="address to listen on (default: 127.0.0.1, this computer only)",
    )
    gateway.add_argument("--port", type=parse_port, default=0, help="port (default: a free one)")
    add_episode_options(gateway)
    add_observation_options(gateway)
    gateway.set_defaults(run=_run_gateway)


def _run_gateway(args: argparse.Namespace) -> int:
    env = make_env_from_args(args.id, args)
    agents = parse_agents(args, env.possible_agents)
    seats = args.seats.split(",") if args.seats else None
    try:
        resolve_token(args.host)
        check_variable_name(args.key)
        model = load_model(args.model)
        for seat in seats or ():
            if seat not in env.possible_agents:
                raise ValueError(f"--seat {seat}: the seats are {', '.join(env.possible_agents)}")
        used_specs = {spec for seat, spec in agents.items() if seats and seat not in seats}
        for spec in {*agents.values()} - used_specs:  # not loaded later, but they may be wrong
            load_agent(spec)
    except ValueError as error:
        raise UsageError(str(error)) from None
    from gem_ma.serving.gateway import gateway

    def play(**settings: Any) -> list[Episode]:
        gate = gateway(
            env,
            model,
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

    return play_episodes(args, play)


def _add_export(commands: SubcommandParsers) -> None:
    parser = commands.add_parser(
        "export",
        group="serve",
        help="write an environment as a package for the hub of verifiers, OpenEnv or NeMo Gym",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog=(
            "examples:\n"
            "  gem-ma export game:KuhnPoker-v0 --to verifiers --out kuhn_env\n"
            "  gem-ma export game:ConnectFour-v0 --to openenv --out four_env --seat red\n\n"
            "The README of the package says how to install, play and publish it."
        ),
    )
    parser.add_argument("id", help="an environment; see gem-ma list")
    parser.add_argument("--to", required=True, choices=HUBS, help="the hub")
    parser.add_argument(
        "--out", required=True, metavar="FOLDER", help="a new folder, which names the package"
    )
    parser.add_argument("--seat", help="the seat that is played there (default: all seats)")
    parser.add_argument(
        "--others",
        default="random",
        metavar="[SEAT=]SPEC",
        help="with --seat: agents in the other seats, as for gem-ma play (default: random)",
    )
    add_observation_options(parser)
    parser.set_defaults(run=_run_export)


def _run_export(args: argparse.Namespace) -> int:
    try:
        top = write_project(
            args.id,
            args.to,
            args.out,
            seat=args.seat,
            others=args.others,
            **collect_env_arguments(args),
        )
    except (BadArgument, ValueError) as error:
        raise UsageError(str(error)) from None
    (readme,) = top.rglob("README.md")
    sys.stdout.write(f"{top}\n\n{readme} says how to install, play and publish it\n")
    return 0
