"""The commands on recorded episodes: gem-ma view, watch, plot, rescore and convert."""

from __future__ import annotations

import argparse
import contextlib
import json
import shutil
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from gem_ma.cli.command_options import (
    SubcommandParsers,
    UsageError,
    add_observation_options,
    add_seed_option,
    add_setting_option,
    choose_seed,
    collect_env_arguments,
    format_count,
    format_error,
    parse_count,
    parse_finite_number,
    parse_positive,
)
from gem_ma.envs.registry import BadArgument, UntrustedSpec
from gem_ma.rollouts.episode import Episode
from gem_ma.rollouts.formats.table import FORMATS, OWN_FORMAT, READABLE, ROWS


def add_commands(commands: SubcommandParsers) -> None:
    """Add view, watch, plot, rescore and convert to the commands of gem-ma."""
    _add_rescore(commands)
    _add_convert(commands)
    view = commands.add_parser(
        "view",
        group="evaluate",
        help="write recorded episodes as one HTML page",
        epilog="example: gem-ma run game:ConnectFour-v0 --episodes 100 --out a.jsonl && "
        "gem-ma view a.jsonl --out page.html",
    )
    view.add_argument("source", help="a file of episodes, or a folder with several")
    view.add_argument("--out", required=True, help="the page, such as page.html")
    view.add_argument(
        "--no-spectator",
        action="store_true",
        help="leave out what spectators see, so that no episode is replayed",
    )
    view.add_argument(
        "--spectators",
        type=_parse_spectator_count,
        default="5000",
        metavar="N|all",
        help="replay this many episodes, the first ones, for spectators (default: 5000)",
    )
    _add_trust_option(view)
    view.set_defaults(run=_run_view)

    watch = commands.add_parser(
        "watch",
        group="play",
        help="watch a match, or recorded episodes, in the terminal",
        epilog="example: gem-ma watch game:ConnectFour-v0 --agents search:depth=3,random --delay 1",
    )
    watch.add_argument("what", help="an environment (see gem-ma list), or a file of episodes")
    watch.add_argument(
        "--agents",
        action="append",
        metavar="[SEAT=]SPEC",
        help="agents that play, as for gem-ma play",
    )
    watch.add_argument("--seat", help="show what this seat sees (default: what a spectator sees)")
    add_seed_option(watch, "the match")
    watch.add_argument(
        "--delay", type=parse_finite_number, default=1.0, help="seconds between moves (default: 1)"
    )
    add_observation_options(watch)
    watch.add_argument(
        "--episode", type=parse_count, help="only the episode of the file with this number"
    )
    _add_trust_option(watch)
    watch.set_defaults(run=_run_watch)

    plot = commands.add_parser(
        "plot",
        group="evaluate",
        help="draw a figure of measurements; needs the extra plots",
        epilog="example: gem-ma plot pass-k results/before results/after --out figure.svg",
    )
    kinds = plot.add_subparsers(required=True, metavar="KIND")
    for kind, sources, summary, example in (
        (
            "learning",
            "the history of a training, such as history.jsonl or NAME-SEED.jsonl, or a folder with "
            "histories; histories of one NAME are seeds of one curve",
            "draw the learning curves of trainings",
            "runs/ttt --out curves.svg",
        ),
        (
            "win-rates",
            "the folder of a tournament",
            "draw how often each agent of a tournament won against each other one",
            "cup --out wins.svg",
        ),
        (
            "pass-k",
            "folders of gem-ma eval; each is a line of the figure",
            "draw how likely k trials of a task all succeed, over k",
            "results/before results/after --out pass-k.svg",
        ),
        (
            "robustness",
            "folders of gem-ma eval with several strengths of noise, such as those of --suite "
            "vision-robust; each is a line of the figure",
            "draw success over the strength of noise in pictures",
            "robust-results --out robustness.svg",
        ),
        (
            "tokens",
            "files of episodes, or folders with such files",
            "draw how many tokens seats read and write",
            "played.jsonl --out tokens.svg",
        ),
    ):
        one = kinds.add_parser(
            kind,
            help=summary,
            description=f"{summary[0].upper()}{summary[1:]}. It needs matplotlib, which the extra "
            "plots installs.",
            epilog=f"example: gem-ma plot {kind} {example}",
        )
        several = None if kind == "win-rates" else "+"
        one.add_argument("source", nargs=several, help=sources)
        one.add_argument(
            "--out", required=True, help="the file of the figure: NAME.png, NAME.svg or NAME.pdf"
        )
        if kind == "learning":
            one.add_argument(
                "--columns",
                help="columns of the history to draw, separated by commas (default: the return of "
                "each seat)",
            )
            one.add_argument(
                "--smooth",
                type=parse_positive,
                default=10,
                help="number of updates that each point averages (default: 10)",
            )
        one.set_defaults(run=_run_plot, kind=kind)


def _parse_spectator_count(text: str) -> int | None:
    if text == "all":
        return None
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r}: expected a whole number, or all")
    return int(text)


def _add_trust_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--trust",
        action="store_true",
        help="replay all games that the file names, even if they are not registered here: this "
        "runs code",
    )


def _run_view(args: argparse.Namespace) -> int:
    from rich.console import Console
    from rich.progress import Progress

    from gem_ma.evaluation.viewer.page import write_page
    from gem_ma.rollouts.records import RecordError

    out = Path(args.out)
    if out.is_dir() or not out.parent.is_dir():
        raise UsageError(f"--out {out}: expected a file in a folder that exists, such as page.html")
    console = Console(stderr=True)
    try:
        bar = Progress(console=console, transient=True)
        with bar if console.is_terminal else contextlib.nullcontext():
            task = bar.add_task("episodes", total=None)
            page = write_page(
                args.source,
                out,
                spectator=not args.no_spectator,
                most=args.spectators,
                trust=args.trust,
                progress=lambda count: bar.update(
                    task, completed=count, description=f"{count} episodes"
                ),
            )
    except (RecordError, OSError) as error:
        raise UsageError(format_error(error)) from None
    for damage in page.damaged[:20]:
        sys.stderr.write(f"left out: {damage}\n")
    if len(page.damaged) > 20:
        sys.stderr.write(f"left out: {len(page.damaged) - 20} more lines\n")
    size = max(out.stat().st_size / 1e6, 0.1)
    sys.stdout.write(
        f"{format_count(page.episodes, 'episode')} and {format_count(page.pictures, 'picture')} in "
        f"{out}, "
        f"{size:.1f} MB\n"
    )
    if page.unseen and not args.no_spectator:
        sys.stdout.write(
            f"{page.unseen} of them were not played again; the page says why (--trust plays again "
            "what is not registered here, too)\n"
        )
    return 0


def _run_watch(args: argparse.Namespace) -> int:
    from gem_ma.evaluation.terminal_viewer import WatchError, watch

    try:
        return watch(
            args.what,
            agents=args.agents or "random",
            seat=args.seat,
            seed=choose_seed(args.seed),
            delay=args.delay,
            episode=args.episode,
            trust=args.trust,
            **collect_env_arguments(args),
        )
    except WatchError as error:
        raise UsageError(str(error)) from None


def _run_plot(args: argparse.Namespace) -> int:
    from gem_ma.evaluation import plots

    missing: list[str] = []
    draw = {
        "learning": lambda: _plot_learning_curves(args),
        "win-rates": lambda: _plot_win_rates(args, missing),
        "pass-k": lambda: _plot_pass_k(args, missing),
        "robustness": lambda: plots.plot_robustness(plots.read_robustness(args.source)),
        "tokens": lambda: plots.plot_tokens(plots.read_episodes(args.source)),
    }
    try:
        plots.check_figure_path(args.out)
        plots.save_figure(draw[args.kind](), args.out)
    except (ValueError, ImportError, OSError) as error:
        raise UsageError(format_error(error)) from None
    sys.stdout.write(f"written to {args.out}\n")
    for words in missing:
        sys.stdout.write(f"unfinished: {words}\n")
    return 0


def _plot_win_rates(args: argparse.Namespace, missing: list[str]) -> Any:
    """Return the figure of a tournament, and add a note on its missing matches to `missing`."""
    from gem_ma.evaluation import plots

    names, rates, words = plots.read_tournament(args.source)
    missing += [f"{args.source} has {words}"] if words else []
    return plots.plot_win_rates(names, rates, words)


def _plot_pass_k(args: argparse.Namespace, missing: list[str]) -> Any:
    """Return the figure of evaluations, and add notes on their missing episodes to `missing`."""
    from gem_ma.evaluation import plots

    evaluations = plots.read_evaluations(args.source)
    for name, rows in evaluations.items():
        episode_count, expected_count = (
            sum(row[column] for row in rows) for column in ("episodes", "expected")
        )
        missing += (
            [f"{name} has {episode_count} of {expected_count} episodes"]
            if episode_count < expected_count
            else []
        )
    return plots.plot_pass_hat_k(evaluations)


def _plot_learning_curves(args: argparse.Namespace) -> Any:
    """Return the figure of the requested columns of histories."""
    from gem_ma.evaluation import plots

    runs = plots.read_logs(args.source)
    rows = [row for histories in runs.values() for row in histories[0][:1]]
    columns = args.columns.split(",") if args.columns else None
    column_names = columns or [name for name in rows[0] if name.startswith("return/")]
    if not column_names:
        raise plots.BadPlot(
            f"no column begins with return/; choose with --columns from {', '.join(rows[0])}"
        )
    return plots.plot_learning_curves(
        runs, {name: name for name in column_names}, smooth=args.smooth
    )


def _add_rescore(commands: SubcommandParsers) -> None:
    parser = commands.add_parser(
        "rescore",
        group="evaluate",
        help="replay records under another reward, and show how the ranking changes",
        epilog="example: gem-ma rescore played.jsonl --set penalty=0.1",
    )
    parser.add_argument(
        "files", nargs="+", metavar="FILE", help="files of episodes that gem-ma run wrote"
    )
    parser.add_argument("--json", action="store_true", help="print JSON")
    add_setting_option(parser)
    _add_trust_option(parser)
    parser.set_defaults(run=_run_rescore)


def _run_rescore(args: argparse.Namespace) -> int:
    from gem_ma.evaluation.rescoring import rescore
    from gem_ma.rollouts.records import load_episodes

    change = dict(args.settings)
    if not change:
        raise UsageError("got no argument to change; name one with --set, such as penalty=0.1")
    try:
        episodes = (one for file in args.files for one in load_episodes(file))
        result = rescore(episodes, change, trust=args.trust)
    except (BadArgument, UntrustedSpec, ValueError) as error:
        raise UsageError(format_error(error)) from None
    if args.json:
        rows = [
            {
                **row._asdict(),
                "before": row.before._asdict(),
                "after": row.after._asdict(),
                "change": row.change._asdict(),
            }
            for row in result.rows
        ]
        unfit = [{"episode": one.episode.id, "why": one.why} for one in result.unfit_episodes]
        sys.stdout.write(
            f"{json.dumps({'rows': rows, 'kept': result.rank_correlation, 'left_out': unfit})}\n"
        )
    else:
        sys.stdout.write(f"{result}\n")
    return 0


def _add_convert(commands: SubcommandParsers) -> None:
    parser = commands.add_parser(
        "convert",
        group="evaluate",
        help="write recorded episodes in the format of another tool, or read them from it",
        epilog="example: gem-ma convert played.jsonl --to atif --out trajectories",
    )
    parser.add_argument(
        "sources",
        nargs="+",
        metavar="RECORDS",
        help="files of episodes, or what --from names",
    )
    parser.add_argument(
        "--from",
        dest="source_format",
        choices=READABLE,
        help="the format of RECORDS (default: files of episodes)",
    )
    parser.add_argument(
        "--to", choices=FORMATS, help="the format to write (default: a file of episodes)"
    )
    parser.add_argument(
        "--out", required=True, help="a new file or folder; docs/works-with.md names those of each"
    )
    parser.add_argument(
        "--seats", help="with openai, sharegpt and hf: only these seats, separated by commas"
    )
    parser.add_argument(
        "--rows",
        choices=ROWS,
        default="episode",
        help="with hf: a row for each seat of an episode, or for each turn (default: episode)",
    )
    parser.set_defaults(run=_run_convert)


def _run_convert(args: argparse.Namespace) -> int:
    if args.to is None and args.source_format is None:
        raise UsageError("got neither --from nor --to: expected the format of RECORDS or of --out")
    if args.to is None and (args.seats or args.rows != "episode"):
        raise UsageError("--seats and --rows go with --to openai, sharegpt or hf")
    try:
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            count = _write_converted(args)
    except (ValueError, OSError) as error:
        raise UsageError(format_error(error)) from None
    for one in told:
        if issubclass(one.category, UserWarning):
            sys.stderr.write(f"gem-ma: {one.message}\n")
    sys.stdout.write(f"{format_count(count, 'episode')} in {args.out}\n")
    return 0


def _write_converted(args: argparse.Namespace) -> int:
    """Write the episodes of all sources, and return their number."""
    from gem_ma.rollouts.records import find_picture_folder, load_episodes, save_episodes

    count = 0
    source_format, format = args.source_format or OWN_FORMAT, args.to or OWN_FORMAT

    def read() -> Iterator[Episode]:
        nonlocal count
        for source in args.sources:
            for episode in load_episodes(source, format=source_format):
                count += 1
                yield episode

    if Path(args.out).exists():
        raise UsageError(f"--out {args.out} exists; choose a new file")
    seats = args.seats.split(",") if args.seats else None
    try:
        save_episodes(read(), args.out, format=format, seats=seats, rows=args.rows)
    except BaseException:  # half a file would look like a whole one
        if format == OWN_FORMAT:
            Path(args.out).unlink(missing_ok=True)
            shutil.rmtree(find_picture_folder(args.out), ignore_errors=True)
        raise
    return count
