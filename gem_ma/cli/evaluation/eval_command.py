"""The command eval: its options and its output."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING

from gem_ma.cli.command_options import (
    SubcommandParsers,
    add_limit_options,
    add_observation_options,
    add_report_option,
    add_tool_option,
    collect_env_arguments,
    format_agents_option,
    format_count,
    format_error,
    parse_count,
    parse_positive,
    parse_seed,
    report_interrupt,
    translate_arguments,
)
from gem_ma.cli.cost_options import add_cost_options, parse_prices
from gem_ma.cli.evaluation.compare_command import run_compare
from gem_ma.cli.evaluation.printing import (
    ProgressLines,
    describe_kept,
    print_json,
    print_table,
    report_usage,
    write_text,
)
from gem_ma.envs.registry import MissingRequirement
from gem_ma.evaluation import suites
from gem_ma.evaluation.metrics import (
    METRICS,
    format_cell,
    format_metric_value,
    format_percent,
    group_by_heading,
)
from gem_ma.evaluation.statistics import average_estimates
from gem_ma.validation.json_types import JSONMapping, JSONObject

if TYPE_CHECKING:
    from gem_ma.evaluation.runner.results import Evaluation


def add_eval(commands: SubcommandParsers) -> None:
    """Add eval to the commands."""
    suite_names = ", ".join(suites.list_suites())
    parser = commands.add_parser(
        "eval",
        group="evaluate",
        help="play a suite and measure how good an agent is, with confidence intervals",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog=(
            "examples:\n"
            "  gem-ma eval --suite smoke --agents random --out results\n"
            "  gem-ma eval game:Wordle-v0 --trials 4 --agents openai:MODEL@URL --out results\n"
            "  gem-ma eval --suite tau-retail --agents assistant=openai:MODEL@URL \\\n"
            "      --agents user=llm-user:openai:MODEL@URL --out results\n"
            "  gem-ma eval compare before after\n\n"
            "Run the same command again to continue a stopped evaluation. It exits with 0 if\n"
            "everything was played, 1 if an episode failed, 3 if an environment was skipped.\n"
            "gem-ma eval compare BEFORE AFTER compares two folders of evaluations. It exits with\n"
            "1 if a metric became significantly worse."
        ),
    )
    parser.add_argument(
        "what",
        nargs="*",
        help="ids of environments, without --suite; or compare BEFORE AFTER, to compare the "
        "folders of two evaluations",
    )
    parser.add_argument("--suite", help=f"the suite to play: {suite_names}, or a TOML file")
    parser.add_argument(
        "--out", help="folder for episodes and results; required, except for compare"
    )
    parser.add_argument(
        "--agents",
        action="append",
        default=[],
        metavar="[SEAT=]SPEC",
        help="the agent to evaluate, in each seat in turn; or one agent for each seat in order, "
        "separated by commas; or SEAT=SPEC for one seat; may be repeated",
    )
    parser.add_argument(
        "--opponents",
        metavar="SPEC",
        help="agents in the seats that are not evaluated (default: random)",
    )
    add_tool_option(parser)
    parser.add_argument(
        "--tasks",
        type=parse_positive,
        help="number of starts of each environment (default: as in the suite; with ids, 10)",
    )
    parser.add_argument(
        "--task-ids",
        metavar="ID,ID",
        help="play only these tasks, in environments with a list of tasks, such as tau2:retail; a "
        "number is a position",
    )
    parser.add_argument(
        "--start",
        type=parse_count,
        metavar="N",
        help="play the tasks from this position on; positions begin at 0",
    )
    parser.add_argument(
        "--end", type=parse_positive, metavar="N", help="play the tasks before this position"
    )
    parser.add_argument(
        "--trials",
        type=parse_positive,
        help="episodes per start (default: as in the suite; with ids, 1)",
    )
    parser.add_argument(
        "--seed",
        type=parse_seed,
        help="a whole number that decides all episodes (default: as in the suite; with ids, 0)",
    )
    add_limit_options(parser, "episodes", " in each environment")
    parser.add_argument("--workers", type=parse_positive, help="number of processes to play in")
    parser.add_argument(
        "--pictures", action="store_true", help="save the pictures that agents saw, too"
    )
    add_cost_options(parser, "the evaluated agents")
    add_report_option(parser)
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument(
        "--all",
        action="store_true",
        help="for compare: show every metric, also those that did not change",
    )
    add_observation_options(parser)
    parser.set_defaults(run=report_usage(_run_eval))


def _run_eval(args: argparse.Namespace) -> int:
    if args.what[:1] == ["compare"]:
        return run_compare(args)
    from gem_ma.evaluation.runner.suite_runner import evaluate

    if args.suite and args.what:
        raise ValueError(f"got --suite {args.suite} and environments; name one of them")
    if not args.suite and not args.what:
        raise ValueError("got no environment; name one, or --suite SUITE")
    if not args.out:
        raise ValueError("name a folder for the results: --out FOLDER")
    if args.suite and collect_env_arguments(args):
        words = ", ".join(f"{name}=" for name in collect_env_arguments(args))
        raise ValueError(f"{words} does not go with --suite: set arguments in the suite's file")
    if args.suite and args.opponents:
        raise ValueError(
            f"opponents={args.opponents} does not go with --suite: set opponents in the suite's "
            "file"
        )
    if args.suite and args.tools:
        raise ValueError("tools= does not go with --suite: set tools in the suite's file")
    suite = _load_suite(args)
    agent, seats = _parse_agents(args.agents, suite)
    total = None if args.json else ProgressLines()
    with report_interrupt(lambda: describe_kept(args.out, "episodes")):
        evaluation = evaluate(
            suite,
            agent,
            args.out,
            seats=seats,
            seed=args.seed,
            tasks=args.tasks,
            trials=args.trials,
            concurrency=args.concurrency,
            max_errors=args.max_errors,
            workers=args.workers,
            pictures=args.pictures,
            prices=parse_prices(args.price) or None,
            max_cost=args.max_cost,
            cache=args.cache,
            progress=bool(total),
            on_cell=total,
            report_to=args.report_to,
        )
    if args.json:
        print_json(evaluation.to_dict())
        return evaluation.exit_code
    _print_report(evaluation, args)
    write_text(f"written to {args.out}\n")
    return evaluation.exit_code


def _load_suite(args: argparse.Namespace) -> suites.Suite:
    """Return the suite to play."""
    if args.suite:
        suite = suites.load_suite(args.suite)
    else:
        suite = suites.make_suite(
            args.what, collect_env_arguments(args), args.opponents or "random", args.tools or ""
        )
    if args.task_ids or args.start is not None or args.end is not None:
        if args.tasks:
            raise ValueError(
                f"tasks={args.tasks} does not go with task_ids=, start= or end=, which choose the "
                "tasks; leave tasks= out"
            )
        ids = [one for one in (args.task_ids or "").split(",") if one]
        suite = suites.select_tasks(suite, ids, args.start, args.end)
    return suite


def _parse_agents(given: Sequence[str], suite: suites.Suite) -> tuple[str | None, dict[str, str]]:
    """Return the spec of the evaluated agent, and specs by seat.

    Several agents without a seat take the seats in order, and all of them are evaluated.
    """
    specs: list[str] = []
    seats: dict[str, str] = {}
    for one in (part for text in given for part in text.split(",")):
        seat, equals, spec = one.partition("=")
        if not (equals and seat.replace("_", "").isalnum()):
            specs.append(one)
        elif seat in seats:
            raise ValueError(
                f"{format_agents_option(given)}: got two agents for the seat {seat}, expected one"
            )
        else:
            seats[seat] = spec
    if not specs and not seats:
        raise ValueError("got no agent to evaluate; name one, such as --agents random")
    if len(specs) > 1:
        return None, _seat_in_order(specs, seats, suite, format_agents_option(given))
    return specs[0] if specs else None, seats


def _seat_in_order(
    who: Sequence[str], seats: dict[str, str], suite: suites.Suite, words: str
) -> dict[str, str]:
    """Return specs by seat; agents without a seat take the free seats in order.

    All environments must then assign the same agent to a seat.
    """
    from gem_ma.evaluation.runner.eval_tasks import make_entry_env

    seat_agents = dict(seats)
    for entry in suite.entries:
        try:
            free_seats = [one for one in make_entry_env(entry).possible_agents if one not in seats]
        except (MissingRequirement, ImportError, OSError):  # the evaluation skips this entry
            continue
        if len(free_seats) != len(who):
            raise ValueError(
                f"{words}: got {len(who)} agents for {len(free_seats)} free seats of {entry.name}; "
                "name one for each seat, or a single agent, which is evaluated in each seat"
            )
        for seat, spec in zip(free_seats, who, strict=True):
            if seat_agents.setdefault(seat, spec) != spec:
                raise ValueError(
                    f"{words}: {entry.name} has its free seats in another order than other "
                    "environments; write SEAT=SPEC"
                )
    return seat_agents


def _print_report(found: Evaluation, args: argparse.Namespace) -> None:
    if found.rows:
        print_table(*_make_table(found.rows))
        for line in _format_curves(found.rows):
            write_text(line)
        for row in found.rows:
            write_text(_explain_row(row))
    write_text(_format_headline(found.overall))
    agents = {row["agents"][row["seat"]] for row in found.rows if row["seat"] in row["agents"]}
    if len(agents) > 1:
        write_text(f"the mean is of {len(agents)} agents together: {', '.join(sorted(agents))}\n")
    if found.overall["tokens in all"]:
        write_text(f"tokens: {found.overall['tokens in all']:.0f}\n")
    if found.overall["costs in all"]:
        write_text(_format_cost(found.overall))
    failures = [row["failure"] for row in found.rows if row["failure"]]
    if failures:
        write_text(f"the last failure: {format_error(failures[-1])}\n")
    for one in found.skipped:
        write_text(f"skipped {one['entry']}: {one['reason']}\n")
    for one in found.stopped:
        write_text(f"stopped {one['what']}: {translate_arguments(one['reason'], args)}\n")


def _make_table(rows: Sequence[JSONMapping]) -> tuple[list[str], list[list[str]]]:
    """Return the head and the lines of the table, without columns that are empty in all rows."""
    metric_columns = [one for one in METRICS.values() if one.terminal == "column"]
    columns = group_by_heading(metric_columns)
    head = ["environment", "seat", "episodes", *columns]
    lines = []
    for row in rows:
        notes = [f"{row[name]} {name}" for name in ("failed", "truncated") if row[name]]
        count = f"{row['episodes']}/{row['expected']}"
        count += f" ({', '.join(notes)})" if notes else ""
        cells = (format_cell(metrics, row) for metrics in columns.values())
        lines.append([row["entry"], row["seat"], count, *cells])
    indices = [i for i in range(len(head)) if any(line[i] for line in lines)]
    return [head[i] for i in indices], [[line[i] for i in indices] for line in lines]


def _format_curves(rows: Sequence[JSONMapping]) -> list[str]:
    """Return the curves over all rows with more than one trial, such as pass^k."""
    out = []
    for metric in METRICS.values():
        if metric.terminal != "curve":
            continue
        ks = sorted({k for row in rows for k in row[metric.name]})
        curve = {
            k: average_estimates([row[metric.name][k] for row in rows if k in row[metric.name]])
            for k in ks
        }
        if len(ks) > 1:
            out.append(f"{metric.heading}: {format_metric_value(metric, curve)}\n")
    return out


def _explain_row(row: JSONMapping) -> str:
    """Return the data of a row and why its episodes failed, if known."""
    label = f"{row['entry']} {row['seat']}" if len(row["agents"]) > 1 else row["entry"]
    lines = [f"{label}: data {row['data']}\n"] if row["data"] else []
    heads = {
        "seats": "not done by",
        "actions": "not called",
        "assertions": "not met",
        "records": "records that differ",
    }
    for kind, head in heads.items():
        counts = list(row["diagnosis"].get(kind, {}).items())
        if counts:
            details = ", ".join(f"{name} {count}" for name, count in counts[:5])
            more = f", {len(counts) - 5} more" if len(counts) > 5 else ""
            lines.append(f"{label}: {head}: {details}{more}\n")
    return "".join(lines)


def _format_headline(overall: JSONObject) -> str:
    """Return the means of an evaluation, and what they do not include."""
    rows, out = overall["rows"], overall["rows left out"]
    lines = []
    if rows:
        row_count = f"{rows} of {rows + out}" if out else f"{rows}"
        places = format_count(overall["environments"], "environment")
        lines.append(
            f"mean over {row_count} rows, {places}, of the evaluated seats alone: "
            f"success {format_percent(overall['success'])}\n"
        )
    else:
        lines.append("no episode came to its end, so there is no mean\n")
    if out and rows:
        lines.append(
            f"in no mean: {format_count(out, 'row')} of which no episode came to its end\n"
        )
    if overall["missing"] and rows:
        failures = f", {overall['failed']} failed" if overall["failed"] else ""
        lines.append(
            f"in no mean: {format_count(overall['missing'], 'episode')} not played{failures}\n"
        )
    if rows:
        lines.append("[]: 95% intervals; none where all starts came to the same\n")
    return "".join(lines)


def _format_cost(overall: JSONMapping) -> str:
    costs = overall["costs in all"]
    seat_costs = ", ".join(f"{seat} {cost:.4f}" for seat, cost in costs.items())
    return f"cost: {overall['cost in all']:.4f}{f' ({seat_costs})' if len(costs) > 1 else ''}\n"
