"""The command data: the files that some environments need."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from gem_ma.cli.common import UsageError


def add_commands(commands: Any) -> None:
    """Add data to the commands of gem-ma."""
    data = commands.add_parser(
        "data",
        help="fetch the files that an environment needs",
        epilog="example: gem-ma data tau-bench",
    )
    data.add_argument(
        "what",
        choices=("tau-bench", "tau2-bench"),
        help="what tau:retail and tau:airline need, or tau2:telecom and its like",
    )
    data.add_argument(
        "--from",
        dest="source",
        metavar="PATH",
        help="a clone of the original, or for tau-bench a folder with retail/ and airline/ "
        "(default: download)",
    )
    data.add_argument(
        "--into",
        metavar="PATH",
        help="a folder (default: TAU_BENCH_DATA or TAU2_BENCH_DATA, or the user's cache)",
    )
    data.set_defaults(run=_data)


def _data(args: argparse.Namespace) -> int:
    data, fetch = _modules(args.what)
    if args.into and Path(args.into).exists() and not Path(args.into).is_dir():
        raise UsageError(f"--into {args.into}: expected a folder")
    write = sys.stdout.write
    fetch.fetch(source=args.source, into=args.into, say=lambda line: write(f"{line}\n"))
    if args.into and Path(args.into).resolve() != data.folder().resolve():
        write(f"set {data.VARIABLE}={args.into} to use them\n")
    return 0


def _modules(what: str) -> tuple[Any, Any]:
    """Return what says where files lie, and what fetches them."""
    if what == "tau2-bench":
        from gem_ma.envs.tau2 import domain
        from gem_ma.envs.tau2 import fetch as fetch2

        return domain, fetch2
    from gem_ma.envs.tau import data, fetch

    return data, fetch
