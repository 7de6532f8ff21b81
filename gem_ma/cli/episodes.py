"""Options, execution and summary of commands that play many episodes."""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from gem_ma.agents import assign_agents
from gem_ma.cli.command_options import (
    CommandInterrupted,
    UsageError,
    add_limit_options,
    add_report_option,
    add_seed_option,
    choose_seed,
    format_agents_option,
    format_error,
    parse_positive,
    translate_arguments,
)
from gem_ma.cli.cost_options import format_costs
from gem_ma.rollouts.episode import Episode

if TYPE_CHECKING:
    from gem_ma.rollouts.reporting.run_report import RunReport


def add_episode_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of commands that play many episodes."""
    parser.add_argument(
        "--episodes", type=parse_positive, default=1, help="number of episodes (default: 1)"
    )
    add_limit_options(parser, "episodes")
    add_seed_option(
        parser, "all episodes; the seed of each episode, for gem-ma play --seed, is in its record"
    )
    parser.add_argument(
        "--out",
        help="a file for the records, as JSON lines; pictures are saved in a folder next to it "
        "(default: nothing is kept)",
    )
    parser.add_argument(
        "--resume", action="store_true", help="play only episodes that --out does not have yet"
    )
    add_report_option(parser)


def parse_agents(args: argparse.Namespace, seats: Sequence[str]) -> dict[str, str]:
    try:
        return assign_agents(args.agents or "random", seats)
    except ValueError as error:
        raise UsageError(f"{format_agents_option(args.agents)}: {error}") from None


def play_episodes(args: argparse.Namespace, play: Callable[..., list[Episode]]) -> int:
    """Play many episodes, print a summary, and return the exit code."""
    from gem_ma.agents.wrappers.cost_meter import CostLimitReached
    from gem_ma.rollouts.reporting.run_report import log_rollout
    from gem_ma.rollouts.rollout import FailedEpisodesWarning, RolloutInterrupted
    from gem_ma.rollouts.run import TooManyErrors

    is_resumed = (
        args.resume and args.out and Path(args.out).exists() and Path(args.out).stat().st_size
    )
    if not is_resumed:  # a resumed run keeps the seed in its file
        args.seed = choose_seed(args.seed)
    warnings.simplefilter("ignore", FailedEpisodesWarning)  # the summary reports them
    with _open_report(args) as report:
        try:
            episodes = play(
                concurrency=args.concurrency,
                seed=args.seed,
                max_errors=args.max_errors,
                out=args.out,
                resume=args.resume,
                progress=True,
            )
        except RolloutInterrupted as stop:
            _print_summary(stop.episodes, args)
            log_rollout(report, stop.episodes)
            raise CommandInterrupted(_describe_kept(stop.episodes, args)) from None
        except CostLimitReached as stop:
            _print_summary(stop.episodes, args)
            log_rollout(report, stop.episodes)
            reason = translate_arguments(format_error(stop), args)
            sys.stderr.write(f"gem-ma: {reason}\n{_describe_kept(stop.episodes, args)}\n")
            return 1
        except TooManyErrors as stop:
            _print_summary(stop.episodes, args)
            log_rollout(report, stop.episodes)
            sys.stderr.write(f"gem-ma: {translate_arguments(format_error(stop), args)}\n")
            return 1
        except ValueError as error:
            raise UsageError(str(error)) from None
        log_rollout(report, episodes)
    return int(_print_summary(episodes, args) > 0)


def _open_report(args: argparse.Namespace) -> RunReport:
    """Open the dashboards of --report-to; a run without --out is named by its seed."""
    from gem_ma.rollouts.reporting.run_report import RunReport

    folder, name = (
        (Path(args.out).parent, Path(args.out).stem)
        if args.out
        else (Path(), f"{args.id}-{args.seed}")
    )
    config = {one: getattr(args, one) for one in ("id", "agents", "episodes", "seed")}
    return RunReport(args.report_to, folder, name, config=config)


def _print_summary(episodes: Sequence[Episode], args: argparse.Namespace) -> int:
    """Print the number of episodes and the returns of seats; return how many episodes failed."""
    complete = [episode for episode in episodes if episode.failure is None]
    failures = [episode.failure for episode in episodes if episode.failure is not None]
    failure_count = len(failures)
    write = sys.stdout.write
    seed = episodes[0].id.rpartition("-")[0] if episodes else args.seed
    write(f"{len(complete)} of {args.episodes} episodes")
    write(f"{f', {failure_count} failed' * bool(failure_count)}, seed {seed}\n")
    for seat in complete[0].returns if complete else ():
        mean = sum(episode.returns[seat] for episode in complete) / len(complete)
        invalid_count = sum(
            1 for e in complete for step in e.steps if step.agent == seat and step.invalid
        )
        reply_count = sum(1 for e in complete for step in e.steps if step.agent == seat)
        write(f"{seat}: mean return {mean:+.3f}, {reply_count} replies, {invalid_count} invalid\n")
    write(format_costs(complete))
    if args.out:
        write(f"written to {args.out}\n")
    if failures:
        last = failures[-1]
        sys.stderr.write(f"gem-ma: the last failure: {last.kind}: {last.message}\n")
    return failure_count


def _describe_kept(episodes: Sequence[Episode], args: argparse.Namespace) -> str:
    """Return a message about what an interrupted run keeps, and how to continue."""
    count = sum(episode.failure is None for episode in episodes)
    if not args.out:
        return f"stopped: {count} of {args.episodes} episodes are done, none is kept without --out"
    command = "the same command" if args.resume else "the same command with --resume"
    advice = "" if count else " (with a lower --concurrency, episodes end sooner)"
    return (
        f"stopped: {args.out} keeps {count} of {args.episodes} episodes; {command} continues"
        f"{advice}"
    )
