"""The command leaderboard: its options and its output."""

from __future__ import annotations

import argparse
from pathlib import Path

from gem_ma.cli.command_options import SubcommandParsers, UsageError, format_count
from gem_ma.cli.evaluation.printing import print_json, report_usage, write_text


def add_leaderboard(commands: SubcommandParsers) -> None:
    """Add leaderboard to the commands."""
    parser = commands.add_parser(
        "leaderboard",
        group="evaluate",
        help="merge the results of several evaluations into one table; rows that were played under "
        "other conditions are left out, with the reason",
        epilog="example: gem-ma leaderboard before=results/one after=results/two --out page.html",
    )
    parser.add_argument(
        "files",
        nargs="+",
        metavar="[NAME=]FOLDER",
        help="folders that gem-ma eval wrote, or their results.json; NAME= gives the agent of a "
        "folder a name",
    )
    parser.add_argument(
        "--out", help="also write a page with all metrics, FILE.html, and links to the episodes"
    )
    parser.add_argument(
        "--verify",
        action="store_true",
        help="play all episodes of the folders again without a model, and leave out rows whose "
        "records or results differ, are incomplete or come from another release; exit with 1 if "
        "a row is left out",
    )
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.set_defaults(run=report_usage(_run_leaderboard))


def _run_leaderboard(args: argparse.Namespace) -> int:
    from gem_ma.evaluation.suite_leaderboard import (
        format_share,
        merge_results,
        write_leaderboard_page,
    )

    if args.out and not Path(args.out).resolve().parent.is_dir():
        raise UsageError(f"--out {args.out}: the folder of this file does not exist; create it")
    leaderboard = merge_results(args.files, verify=args.verify)
    exit_code = int(args.verify and bool(leaderboard.refused))
    if args.out:
        write_leaderboard_page(leaderboard, args.out)
    if args.json:
        print_json(leaderboard.to_dict())
        return exit_code
    lines = []
    for table in leaderboard.tables:
        rows = format_count(len(table.common_rows), "row")
        lines.append(f"{table.suite}, mean success over {rows} that all have played")
        wide = max(len(line.name) for line in table.agent_results)
        for rank, line in enumerate(table.agent_results, 1):
            lines.append(f"{rank:>3}  {line.name:{wide}}  {format_share(line.success)}")
    if args.verify:
        count = sum(
            row.episodes
            for table in leaderboard.tables
            for line in table.agent_results
            for row in line.results.values()
        )
        lines.append(f"verified: {format_count(count, 'episode')}")
    lines += [f"not compared: {one}" for one in leaderboard.refused]
    lines += [f"written to {args.out}"] if args.out else []
    write_text("".join(f"{line}\n" for line in lines))
    return exit_code
