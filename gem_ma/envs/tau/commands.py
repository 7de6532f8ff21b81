"""The command users: it plays assistants with different users, or compares users with people."""

from __future__ import annotations

import argparse
import json
import sys

from gem_ma.cli.command_options import (
    SubcommandParsers,
    UsageError,
    add_seed_option,
    add_setting_option,
    format_error,
    parse_positive,
)
from gem_ma.envs.registry import BadArgument


def add_commands(commands: SubcommandParsers) -> None:
    """Add users to the commands of gem-ma."""
    parser = commands.add_parser(
        "users",
        group="evaluate",
        help="play assistants with different users; print success, and the traits of the users; "
        "or compare recorded users with people",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog=(
            "examples:\n"
            "  gem-ma users tau:shop --users user:plain,user:forgetful,users:held-out \\\n"
            "      --assistants informed-assistant,random --episodes 20\n"
            "  gem-ma users compare simulated.jsonl --humans matches"
        ),
    )
    parser.add_argument(
        "what",
        nargs="+",
        help="an environment of tau: or tau2:; or compare RECORDS, to compare the users of "
        "recorded episodes with people",
    )
    parser.add_argument(
        "--users",
        action="append",
        metavar="SPEC",
        help="agents in the user's seat, separated by commas, such as rule-user, user:forgetful, "
        "users:train or llm-user:openai:MODEL@URL; may be repeated; required, except for compare",
    )
    parser.add_argument(
        "--assistants",
        action="append",
        metavar="SPEC",
        help="agents in the assistant's seat, separated by commas; each plays with every user; may "
        "be repeated (default: informed-assistant)",
    )
    parser.add_argument(
        "--episodes",
        type=parse_positive,
        default=50,
        help="episodes of each pair of a user and an assistant, with the same tasks for all pairs "
        "(default: 50)",
    )
    add_seed_option(parser, "all episodes", 0)
    parser.add_argument(
        "--json",
        action="store_true",
        help="print JSON, with the number of moments at which each trait could have shown",
    )
    add_setting_option(parser)
    parser.add_argument(
        "--humans",
        metavar="FILE",
        help="for compare: people's episodes, a file or the folder of an arena; if people played "
        "the user in some, only these count",
    )
    parser.set_defaults(run=_users)


def _users(args: argparse.Namespace) -> int:
    if args.what[0] == "compare":
        return _compare(args)
    from gem_ma.envs.tau.user_metrics import EveryEpisodeFailed, measure_users

    if len(args.what) > 1 or not args.users or args.humans:
        raise UsageError(
            "expected an environment and --users SPEC, or compare RECORDS and --humans FILE"
        )
    users = [one for text in args.users for one in text.split(",")]
    assistants = [
        one for text in args.assistants or ["informed-assistant"] for one in text.split(",")
    ]
    try:
        report = measure_users(
            args.what[0], users, assistants, args.episodes, args.seed, **dict(args.settings)
        )
    except (ValueError, BadArgument) as error:
        raise UsageError(format_error(error)) from None
    except EveryEpisodeFailed as error:
        sys.stderr.write(f"gem-ma users: {format_error(error)}\n")
        return 1
    sys.stdout.write(f"{json.dumps(report.to_json()) if args.json else report}\n")
    return 0


def _compare(args: argparse.Namespace) -> int:
    """Print how far the users of recorded episodes are from people."""
    from gem_ma.envs.tau.likeness.recorded_conversations import load_recorded_episodes
    from gem_ma.envs.tau.likeness.user_comparison import compare_users
    from gem_ma.evaluation.terminal_viewer import escape_invisible

    if len(args.what) != 2 or not args.humans:
        raise UsageError("expected gem-ma users compare RECORDS --humans FILE")
    if args.users or args.assistants or args.settings:
        raise UsageError("compare plays nothing: leave --users, --assistants and --set out")
    try:
        people = load_recorded_episodes(args.humans)
        comparison = compare_users(load_recorded_episodes(args.what[1]), people)
    except ValueError as error:
        raise UsageError(format_error(error)) from None
    text = json.dumps(comparison.to_json()) if args.json else escape_invisible(str(comparison))
    sys.stdout.write(f"{text}\n")
    return 0
