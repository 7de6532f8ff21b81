"""The command tournament: its options and its output."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from gem_ma.cli.command_options import (
    SubcommandParsers,
    add_limit_options,
    add_observation_options,
    add_seed_option,
    collect_env_arguments,
    parse_positive,
    report_interrupt,
    translate_arguments,
)
from gem_ma.cli.evaluation.printing import (
    ProgressLines,
    describe_kept,
    print_json,
    print_table,
    report_usage,
    write_text,
)
from gem_ma.evaluation.metrics import format_number

if TYPE_CHECKING:
    from gem_ma.evaluation.ratings import AgentRating
    from gem_ma.evaluation.tournament import Leaderboard


def add_tournament(commands: SubcommandParsers) -> None:
    """Add tournament to the commands."""
    parser = commands.add_parser(
        "tournament",
        group="evaluate",
        help="let agents play each other, and rate them",
        description="Let agents play each other in games of two seats or more, and rate them.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog=(
            "example:\n"
            "  gem-ma tournament game:ConnectFour-v0 --agents search openai:MODEL@URL --out cup\n\n"
            "Use the same folder again to add agents or matches: only missing matches are\n"
            "played. It exits with 1 if a match failed."
        ),
    )
    parser.add_argument(
        "games", nargs="+", metavar="ID", help="one or several environments of two seats or more"
    )
    parser.add_argument(
        "--agents",
        action="extend",
        nargs="+",
        default=[],
        metavar="[NAME=]SPEC",
        help="the agents that take part, separated by spaces or commas; may be repeated. Their "
        "order has nothing to do with seats: every agent plays in every seat. NAME= gives an agent "
        "a name. With two names the same agent can take part twice, and play itself",
    )
    parser.add_argument("--out", required=True, help="folder for matches and results")
    parser.add_argument(
        "--matches",
        type=parse_positive,
        default=10,
        help="number of starts that each group of agents plays; all groups play the same starts, "
        "in every seating (default: 10)",
    )
    parser.add_argument(
        "--schedule",
        choices=("round-robin", "swiss"),
        default="round-robin",
        help="round-robin: every group of agents plays; swiss: in each round, agents with similar "
        "results play each other (default: round-robin)",
    )
    parser.add_argument(
        "--rounds",
        type=parse_positive,
        help="number of rounds of a Swiss tournament (default: the binary logarithm of the number "
        "of agents, rounded up)",
    )
    parser.add_argument(
        "--seating",
        choices=("all", "rotate"),
        default="all",
        help="all: each group plays in all orders of its agents; rotate: each agent plays once in "
        "each seat (default: all)",
    )
    parser.add_argument(
        "--anchors",
        default="random",
        help="agents that take part too, separated by commas; the rating of the first is fixed at "
        "0; none: no such agent, and the mean rating is 0 (default: random)",
    )
    parser.add_argument(
        "--forfeits",
        choices=("loss", "leave-out"),
        default="loss",
        help="whether ratings count a forfeit as a loss, or leave it out (default: loss)",
    )
    parser.add_argument(
        "--skills",
        action="store_true",
        help="also rate by Plackett-Luce, from whole rankings; needs the extra evaluation",
    )
    add_seed_option(parser, "everything", 0)
    add_limit_options(parser, "matches", " in each line-up")
    parser.add_argument("--workers", type=parse_positive, help="number of processes to play in")
    parser.add_argument("--picture", metavar="FILE.png", help="draw the cross table into a file")
    parser.add_argument("--json", action="store_true", help="print JSON")
    add_observation_options(parser)
    parser.set_defaults(run=report_usage(_run_tournament))


def _run_tournament(args: argparse.Namespace) -> int:
    from gem_ma.evaluation.tournament import run_tournament

    if args.picture and not args.picture.endswith(".png"):
        raise ValueError(f"--picture {args.picture}: expected a name that ends in .png")
    if args.picture and not Path(args.picture).parent.is_dir():
        raise ValueError(
            f"--picture {args.picture}: the folder of this file does not exist; create it"
        )
    total = None if args.json else ProgressLines()
    with report_interrupt(lambda: describe_kept(args.out, "matches")):
        board = run_tournament(
            args.games,
            _split_agents(args.agents),
            args.out,
            matches=args.matches,
            schedule=args.schedule,
            rounds=args.rounds,
            seating=args.seating,
            anchors=() if args.anchors == "none" else args.anchors.split(","),
            forfeits=args.forfeits,
            skills=args.skills,
            seed=args.seed,
            concurrency=args.concurrency,
            max_errors=args.max_errors,
            workers=args.workers,
            progress=bool(total),
            on_cell=total,
            make=collect_env_arguments(args),
        )
    if args.picture and board.agents:
        from gem_ma.renderers import draw, png

        cells = len(board.agents)
        size = 140 + 56 * cells, 140 + 84 * cells
        Path(args.picture).write_bytes(png.encode_png(draw(board.build_scene(), size)))
    code = int(bool(board.failed or board.stopped))
    if args.json:
        print_json(board.to_dict())
        return code
    if board.ratings:
        _print_ratings(board)
    _print_returns(board)
    for cycle in board.cycles:
        doubt = "" if cycle.certain else ", perhaps by chance"
        write_text(f"a cycle{doubt}: {' beats '.join((*cycle.agents, cycle.agents[0]))}\n")
    for one in board.stopped:
        write_text(f"stopped {one['what']}: {translate_arguments(one['reason'], args)}\n")
    failures = f", {board.failed} failed" if board.failed else ""
    write_text(f"{board.matches} matches{failures}, written to {args.out}\n")
    return code


def _print_ratings(board: Leaderboard) -> None:
    head = ["agent", "rating", "win", "draw", "loss", "forfeit"]
    print_table(head, [_format_rating(board, one) for one in board.ratings])
    write_text(
        "[]: 95% intervals, proper Bayesian bootstrap over starts; the prior: as if each agent\n"
        "had half won and half lost one more start, against all others in equal parts\n"
    )
    for game, rated in board.by_game.items():
        line = ", ".join(f"{one.agent} {_format_points(one)}" for one in rated)
        write_text(f"{game}: {line}\n")
    for agent, (mu, sigma) in sorted(board.skills.items(), key=lambda one: -one[1][0]):
        write_text(f"Plackett-Luce: {agent} {mu:.1f}, give or take {sigma:.1f}\n")
    write_text("\npoints in percent that the row took from the column\n")
    head, *lines = board.build_cross_table()
    print_table(head, lines)
    write_text("\n")
    lines = [
        [*key, *(str(count) for count in row.values())] for key, row in sorted(board.seats.items())
    ]
    print_table(["game", "seat", "agent", "win", "draw", "loss", "forfeit"], lines)


def _print_returns(board: Leaderboard) -> None:
    """Print returns in games without winners, and the agents that are in no table."""
    if board.unrated:
        lines = [
            [game, agent, format_number(one)]
            for (game, agent), one in board.returns.items()
            if game in board.unrated
        ]
        write_text("\nnot rated, as nobody wins there from another:\n")
        print_table(["game", "agent", "return"], lines)
    for agent in board.absent:
        write_text(f"{agent}: no match of it came to its end, so it is in no table\n")


def _format_points(one: AgentRating) -> str:
    if one.low == one.high == 0:
        return "0, the anchor"
    return f"{one.points:+.0f} [{one.low:+.0f}, {one.high:+.0f}]"


def _split_agents(given: Sequence[str]) -> list[str]:
    """Return the agents of a tournament, split at commas."""
    return [one for text in given for one in text.split(",")]


def _format_rating(board: Leaderboard, one: AgentRating) -> list[str]:
    counts = board.count_outcomes(one.agent)
    between = _format_points(one)
    return [one.agent, between, *(str(count) for count in counts.values())]
