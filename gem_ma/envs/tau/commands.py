"""The command users, which plays assistants with different users and describes the users."""

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
        help="play assistants with different users; print success, and the traits of the users",
        epilog="example: gem-ma users tau:shop --users user:plain,user:forgetful,users:held-out "
        "--assistants informed-assistant,random --episodes 20",
    )
    parser.add_argument("id", help="an environment of tau: or tau2:")
    parser.add_argument(
        "--users",
        action="append",
        required=True,
        metavar="SPEC",
        help="agents in the user's seat, separated by commas, such as rule-user, user:forgetful, "
        "users:train or llm-user:openai:MODEL@URL; may be repeated",
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
    parser.set_defaults(run=_users)


def _users(args: argparse.Namespace) -> int:
    from gem_ma.envs.tau.user_metrics import measure_users

    users = [one for text in args.users for one in text.split(",")]
    assistants = [
        one for text in args.assistants or ["informed-assistant"] for one in text.split(",")
    ]
    try:
        report = measure_users(
            args.id, users, assistants, args.episodes, args.seed, **dict(args.settings)
        )
    except (ValueError, BadArgument) as error:
        raise UsageError(format_error(error)) from None
    sys.stdout.write(f"{json.dumps(report.to_json()) if args.json else report}\n")
    return 0
