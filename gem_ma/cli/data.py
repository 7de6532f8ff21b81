"""The command data, which fetches files that some environments need."""

from __future__ import annotations

import argparse
import importlib
import sys
from pathlib import Path

from gem_ma.cli.command_options import SubcommandParsers, UsageError
from gem_ma.packs import DOWNLOADS


def add_commands(commands: SubcommandParsers) -> None:
    """Add data to the commands of gem-ma."""
    if not DOWNLOADS:
        return
    data = commands.add_parser(
        "data",
        group="play",
        help="fetch the files that an environment needs",
        epilog=f"example: gem-ma data {min(DOWNLOADS)}",
    )
    data.add_argument(
        "what",
        choices=sorted(DOWNLOADS),
        help="the files to fetch",
    )
    data.add_argument(
        "--from",
        dest="source",
        metavar="PATH",
        help="a clone of the original, or a folder with its files (default: download them)",
    )
    data.add_argument(
        "--into",
        metavar="PATH",
        help="folder for the files (default: the folder that their environment variable names, or "
        "one in the user's cache)",
    )
    data.set_defaults(run=_run_data)


def _run_data(args: argparse.Namespace) -> int:
    module = importlib.import_module(DOWNLOADS[args.what])
    if args.into and Path(args.into).exists() and not Path(args.into).is_dir():
        raise UsageError(f"--into {args.into}: expected a folder, got a file")
    write = sys.stdout.write
    module.fetch(source=args.source, into=args.into, say=lambda line: write(f"{line}\n"))
    if args.into and Path(args.into).resolve() != module.folder().resolve():
        write(f"set {module.VARIABLE}={args.into} to use them\n")
    return 0
