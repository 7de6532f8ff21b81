"""The commands eval, tournament and exploit: their words, and what they print."""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from gem_ma.cli.common import (
    UsageError,
    add_looks,
    add_tools,
    count,
    in_one_line,
    keeping,
    looks,
    many,
    played_in,
    positive,
    said,
    seed,
    spoken,
)
from gem_ma.envs.registry import BadArgument, MissingRequirement
from gem_ma.evaluation import suites
from gem_ma.evaluation.metrics import wilson


def add_commands(commands: Any) -> None:
    """Add the commands to those of the command line."""
    _add_eval(commands)
    _add_tournament(commands)
    _add_exploit(commands)
    _add_leaderboard(commands)


def _told(run: Callable[[argparse.Namespace], int]) -> Callable[[argparse.Namespace], int]:
    """Return the command; what its arguments cannot mean is a UsageError."""

    def told(args: argparse.Namespace) -> int:
        try:
            return run(args)
        except (ValueError, BadArgument) as error:
            raise UsageError(str(error)) from None

    return told


# -- eval ------------------------------------------------------------------------------------------


def _add_eval(commands: Any) -> None:
    found = ", ".join(suites.list_suites())
    parser = commands.add_parser(
        "eval",
        help="play a suite and say how good an agent is, and how sure that is",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog=(
            "examples:\n"
            "  gem-ma eval --suite smoke --agents random --out results\n"
            "  gem-ma eval game:Wordle-v0 --trials 4 --agents openai:MODEL@URL --out results\n"
            "  gem-ma eval --suite tau-retail --agents assistant=openai:MODEL@URL \\\n"
            "      --agents user=llm-user:openai:MODEL@URL --out results\n"
            "  gem-ma eval compare before after\n\n"
            "The same command again goes on where it was stopped. It exits with 0 if all was\n"
            "played, 1 if an episode failed, 3 if an environment was skipped; compare exits with\n"
            "1 if something is shown to be worse."
        ),
    )
    parser.add_argument("what", nargs="*", help="environments, or: compare FOLDER FOLDER")
    parser.add_argument("--suite", help=f"{found}, or a TOML file")
    parser.add_argument("--out", help="a folder for episodes and results")
    parser.add_argument(
        "--agents",
        action="append",
        default=[],
        metavar="[SEAT=]SPEC",
        help="who is evaluated, or who sits in the seats in order, with commas between; with SEAT= "
        "who sits in that one; may be repeated",
    )
    parser.add_argument(
        "--opponents",
        metavar="SPEC",
        help="who sits in the seats that are not evaluated (default: random)",
    )
    add_tools(parser)
    parser.add_argument(
        "--tasks", type=positive, help="starts of each environment, instead of its own"
    )
    parser.add_argument(
        "--task-ids",
        metavar="ID,ID",
        help="only these tasks, where tasks have ids: of tau2:..., say; a number is a place",
    )
    parser.add_argument("--start", type=count, metavar="N", help="tasks from this place on")
    parser.add_argument("--end", type=positive, metavar="N", help="tasks to before this place")
    parser.add_argument("--trials", type=positive, help="how often each start is played, likewise")
    parser.add_argument(
        "--seed", type=seed, help="a whole number that decides all (default: the suite's)"
    )
    parser.add_argument(
        "--concurrency", type=positive, default=64, help="alive at once (default: 64)"
    )
    parser.add_argument("--workers", type=positive, help="play in so many processes")
    parser.add_argument(
        "--max-errors", type=count, default=10, help="in one environment (default: 10)"
    )
    parser.add_argument("--pictures", action="store_true", help="keep the pictures, too")
    parser.add_argument(
        "--price",
        action="append",
        default=[],
        metavar="[MODEL=]IN,OUT",
        help="of a million tokens read and written, of who is evaluated; with MODEL= of this model "
        "in any seat; may be repeated",
    )
    parser.add_argument("--json", action="store_true", help="print JSON")
    add_looks(parser)
    parser.set_defaults(run=_told(_eval))


def _eval(args: argparse.Namespace) -> int:
    if args.what[:1] == ["compare"]:
        return _compare(args)
    from gem_ma.evaluation.runner import evaluate

    if bool(args.suite) == bool(args.what):
        raise ValueError("name either --suite or environments")
    if not args.out:
        raise ValueError("name a folder for the results: --out FOLDER")
    if args.suite and looks(args):
        words = ", ".join(f"{name}=" for name in looks(args))
        raise ValueError(f"{words} goes with environments: a suite says how they are seen")
    if args.suite and args.opponents:
        raise ValueError(f"opponents={args.opponents} goes with environments: a suite names them")
    if args.suite and args.tools:
        raise ValueError("tools= goes with environments: a suite names them")
    suite = _suite(args)
    who, seats = _agents(args.agents, suite)
    total = None if args.json else _Lines()
    with keeping(lambda: _kept(args.out, "episodes")):
        found = evaluate(
            suite,
            who,
            args.out,
            seats=seats,
            seed=args.seed,
            tasks=args.tasks,
            trials=args.trials,
            concurrency=args.concurrency,
            max_errors=args.max_errors,
            workers=args.workers,
            pictures=args.pictures,
            prices=_prices(args.price),
            progress=bool(total),
            on_cell=total,
        )
    if args.json:
        _print_json(found.to_dict())
        return found.exit_code
    _report(found, args)
    _write(f"written to {args.out}\n")
    return found.exit_code


def _suite(args: argparse.Namespace) -> suites.Suite:
    """Return what is to be played."""
    if args.suite:
        suite = suites.load_suite(args.suite)
    else:
        suite = suites.make_suite(
            args.what, looks(args), args.opponents or "random", args.tools or ""
        )
    if args.task_ids or args.start is not None or args.end is not None:
        if args.tasks:
            raise ValueError("tasks= goes without task_ids=, start= and end=")
        ids = [one for one in (args.task_ids or "").split(",") if one]
        suite = suites.select_tasks(suite, ids, args.start, args.end)
    return suite


def _kept(out: str, kind: str) -> str:
    """Return what is kept of an evaluation or a tournament that was stopped."""
    files = (Path(out) / kind).glob("*.jsonl")
    return f"{out} keeps {played_in(*files)} {kind}; the same command goes on"


def _report(found: Any, args: argparse.Namespace) -> None:
    if found.rows:
        _show(*_table(found.rows))
        for points, kind in _curves(found.rows):
            _write(f"{kind}: {points}\n")
        for row in found.rows:
            _write(_why(row))
    _write(_headline(found.overall))
    who = {row["agents"][row["seat"]] for row in found.rows if row["seat"] in row["agents"]}
    if len(who) > 1:
        _write(f"the mean is of {len(who)} agents together: {', '.join(sorted(who))}\n")
    if found.overall["tokens in all"]:
        _write(f"tokens: {found.overall['tokens in all']:.0f}\n")
    if args.price:
        _write(_cost(found.overall))
    failures = [row["failure"] for row in found.rows if row["failure"]]
    if failures:
        _write(f"the last failure: {in_one_line(failures[-1])}\n")
    for one in found.skipped:
        _write(f"skipped {one['entry']}: {one['reason']}\n")
    for one in found.stopped:
        _write(f"stopped {one['what']}: {spoken(one['reason'], args)}\n")


def _why(row: Mapping[str, Any]) -> str:
    """Return the data that a row was played on and why episodes were not paid, where known."""
    where = f"{row['entry']} {row['seat']}" if len(row["agents"]) > 1 else row["entry"]
    lines = [f"{where}: data {row['data']}\n"] if row["data"] else []
    heads = {
        "seats": "not done by",
        "actions": "not called",
        "assertions": "not met",
        "records": "records that differ",
    }
    for kind, head in heads.items():
        counts = list(row["diagnosis"].get(kind, {}).items())
        if counts:
            told = ", ".join(f"{name} {count}" for name, count in counts[:5])
            more = f", {len(counts) - 5} more" if len(counts) > 5 else ""
            lines.append(f"{where}: {head}: {told}{more}\n")
    return "".join(lines)


def _headline(overall: dict[str, Any]) -> str:
    """Return what an evaluation comes to in all, over what, and what is not in it."""
    rows, out = overall["rows"], overall["rows left out"]
    lines = []
    if rows:
        of = f"{rows} of {rows + out}" if out else f"{rows}"
        places = many(overall["environments"], "environment")
        lines.append(
            f"mean over {of} rows, {places}, of the evaluated seats alone: "
            f"success {_percent(overall['success'])}\n"
        )
    else:
        lines.append("no episode came to its end, so there is no mean\n")
    if out and rows:
        lines.append(f"in no mean: {many(out, 'row')} of which no episode came to its end\n")
    if overall["missing"] and rows:
        failed = f", {overall['failed']} failed" if overall["failed"] else ""
        lines.append(f"in no mean: {many(overall['missing'], 'episode')} not played{failed}\n")
    if rows:
        lines.append("[]: 95% intervals; none where all starts came to the same\n")
    return "".join(lines)


def _cost(overall: Mapping[str, Any]) -> str:
    costs = overall["costs in all"]
    each = ", ".join(f"{seat} {cost:.4f}" for seat, cost in costs.items())
    return f"cost: {overall['cost in all']:.4f}{f' ({each})' if len(costs) > 1 else ''}\n"


def _json(value: Any) -> Any:
    return None if isinstance(value, float) and not math.isfinite(value) else value


class _Lines:
    """A line for every part that is done, where there is somebody to read it."""

    def __call__(self, title: str, done: int, expected: int) -> None:
        sys.stderr.write(f"{title}: {done} of {expected}\n")
        sys.stderr.flush()


def _agents(given: Sequence[str], suite: suites.Suite) -> tuple[str | None, dict[str, str]]:
    """Return the spec of who is evaluated, and those of seats.

    Several without a seat sit in the order of the seats, and each of them is evaluated.
    """
    who: list[str] = []
    seats: dict[str, str] = {}
    for one in (part for text in given for part in text.split(",")):
        seat, equals, spec = one.partition("=")
        if not (equals and seat.replace("_", "").isalnum()):
            who.append(one)
        elif seat in seats:
            raise ValueError(f"{said(given)}: two agents for {seat}")
        else:
            seats[seat] = spec
    if not who and not seats:
        raise ValueError("name who is evaluated: --agents random, for example")
    if len(who) > 1:
        return None, _in_order(who, seats, suite, said(given))
    return who[0] if who else None, seats


def _in_order(
    who: Sequence[str], seats: dict[str, str], suite: suites.Suite, words: str
) -> dict[str, str]:
    """Return who sits in which seat, those without one in order, in all environments alike."""
    from gem_ma.evaluation import runner

    found = dict(seats)
    for entry in suite.entries:
        try:
            free = [one for one in runner.make_entry_env(entry).possible_agents if one not in seats]
        except (MissingRequirement, ImportError, OSError):  # which is skipped
            continue
        has = f"{words}: {entry.name} has {len(free)} free seats"
        if len(free) != len(who):
            raise ValueError(f"{has}, and got {len(who)} agents; one alone sits in each in turn")
        for seat, spec in zip(free, who, strict=True):
            if found.setdefault(seat, spec) != spec:
                raise ValueError(f"{has} in another order than others; say SEAT=SPEC")
    return found


def _prices(texts: Sequence[str]) -> dict[str, tuple[float, float]] | None:
    """Return the prices by model; those of nobody in particular are of who is evaluated."""
    found: dict[str, tuple[float, float]] = {}
    for text in texts:
        model, _, price = text.rpartition("=")
        try:
            read, written = map(float, price.split(","))
        except ValueError:
            raise ValueError(
                f"--price {text}: expected two numbers such as 0.5,1.5, or MODEL=0.5,1.5"
            ) from None
        if model in found:
            raise ValueError(f"--price {text}: a second price of {model or 'who is evaluated'}")
        found[model] = read, written
    return found or None


def _table(rows: Sequence[dict[str, Any]]) -> tuple[list[str], list[list[str]]]:
    head = ["environment", "seat", "episodes", "success", "return", "win/draw/loss", "invalid"]
    head += ["forfeit", "turns", "tokens", "s/reply"]
    lines = []
    for row in rows:
        split = ""
        if row["win"] is not None:
            split = "/".join(f"{100 * row[name].value:.0f}" for name in ("win", "draw", "loss"))
        notes = [f"{row[name]} {name}" for name in ("failed", "truncated") if row[name]]
        lines.append(
            [
                row["entry"],
                row["seat"],
                f"{row['episodes']}/{row['expected']}"
                + (f" ({', '.join(notes)})" if notes else ""),
                _percent(row["success"]),
                _between(row["return"]),
                split,
                _percent(row["invalid"]),
                _percent(row["forfeit"]) if row["forfeit"].value > 0 else "",
                _known(row["turns"], ".1f"),
                _known(row["tokens"], ".0f") if row["tokens"].value else "",
                _known(row["latency"], ".3f"),
            ]
        )
    told = [i for i in range(len(head)) if any(line[i] for line in lines)]
    return [head[i] for i in told], [[line[i] for i in told] for line in lines]


def _curves(rows: Sequence[dict[str, Any]]) -> list[tuple[str, str]]:
    """Return the curves of pass@k and pass^k over all rows that were tried more than once."""
    from gem_ma.evaluation.statistics import average_estimates

    out = []
    for kind, name in (("pass@k", "pass_at"), ("pass^k", "pass_hat")):
        ks = sorted({k for row in rows for k in row[name]})
        if len(ks) > 1:
            points = (
                (k, average_estimates([row[name][k] for row in rows if k in row[name]])) for k in ks
            )
            out.append((", ".join(f"k={k} {_percent(one)}" for k, one in points), kind))
    return out


def _known(one: Any, how: str) -> str:
    return "" if math.isnan(one.value) else format(one.value, how)


def _percent(one: Any) -> str:
    if math.isnan(one.value):
        return ""
    return f"{100 * one.value:.1f}% [{100 * one.low:.0f}, {100 * one.high:.0f}]"


def _between(one: Any, digits: int = 2) -> str:
    if math.isnan(one.value):
        return ""
    if math.isnan(one.low):
        return f"{one.value:.{digits}f}"
    return f"{one.value:.{digits}f} [{one.low:.{digits}f}, {one.high:.{digits}f}]"


# -- eval compare ----------------------------------------------------------------------------------


def _compare(args: argparse.Namespace) -> int:
    from gem_ma.evaluation.runner import compare

    if len(args.what) != 3:
        raise ValueError("expected two folders: gem-ma eval compare BEFORE AFTER")
    found, only = compare(args.what[1], args.what[2])
    worse = any(one.verdict == "worse" for one in found)
    if args.json:
        rows = [
            {
                **{name: _json(getattr(one, name)) for name in one.__slots__ if name != "change"},
                "change": {key: _json(value) for key, value in one.change._asdict().items()},
            }
            for one in found
        ]
        _print_json({"differences": rows, "in one only": only})
        return int(worse)
    head = ["environment", "seat", "number", "before", "after", "change", "pairs"]
    head += ["p", "Holm", "verdict"]
    if found:
        _show(head, [_compared(one) for one in found])
    for place in dict.fromkeys((one.entry, one.seat) for one in found):
        own = [one for one in found if (one.entry, one.seat) == place]
        if own[0].left_out:
            _write(f"{' '.join(place)}, starts left out of all: {own[0].left_out}\n")
    for name in only:
        _write(f"{name}\n")
    _write(_verdicts(found))
    return int(worse)


def _compared(one: Any) -> list[str]:
    return [
        one.entry,
        one.seat,
        one.metric,
        f"{one.old:.3f}",
        f"{one.new:.3f}",
        _between(one.change, 3),
        f"{one.pairs}, {one.unlike} differ" if one.change.paired else "none",
        _chance(one.change.p),
        f"as {one.same_as}" if one.same_as else _chance(one.p),
        one.verdict,
    ]


def _chance(p: float) -> str:
    return "<0.001" if p < 0.001 else f"{p:.3f}"


def _tests(found: Sequence[Any]) -> str:
    tests = sum(one.verdict != "same" and not one.same_as for one in found)
    return f"after Holm's correction for {many(tests, 'test')}" if tests else "in no test"


def _verdicts(found: Sequence[Any]) -> str:
    """Return how to read the verdicts of a comparison."""
    if not found:
        return "nothing in both of them came to its end, so there is nothing to compare\n"
    own, every = ([one for one in found if (one.rows > 1) is of_all] for of_all in (False, True))
    changed = sum(one.verdict not in ("undecided", "same") for one in own)
    lines = [f"{changed} of {many(len(own), 'number')} changed: p below 0.05 {_tests(own)}"]
    if every:
        pairs = f"{many(every[0].pairs, 'pair')} of {many(every[0].change.tasks, 'start')}"
        lines.append(f"all: the mean of {every[0].rows} rows, each alike, {pairs}, {_tests(every)}")
    words = {one.verdict for one in found}
    if "undecided" in words:
        lines.append(
            "undecided: neither a change nor its absence is shown; the interval says how large "
            "it may be"
        )
        few = sum(one.verdict == "undecided" and 0 < one.change.unlike < 6 for one in found)
        if few:
            lines.append(f"{few} of them could not be decided: fewer than 6 pairs differ")
    if "same" in words:
        fewest = min((one.pairs for one in found if one.verdict == "same" and one.pairs), default=0)
        room = f"; after {many(fewest, 'pair')}, up to {100 * wilson(0, fewest)[1]:.0f}% may yet"
        lines.append(f"same: no start differs{room if fewest else ''}")
    lines += [
        "p: how often signs by chance (without pairs: starts dealt anew) make as large a change, "
        "either way",
        "before, after, change: means over the pairs, starts that both played; []: 95%, bootstrap, "
        "of each number alone",
    ]
    return "".join(f"{line}\n" for line in lines)


# -- tournament ------------------------------------------------------------------------------------


def _add_tournament(commands: Any) -> None:
    parser = commands.add_parser(
        "tournament",
        help="let agents play each other, and rate them",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog=(
            "example:\n"
            "  gem-ma tournament game:ConnectFour-v0 --agents search openai:MODEL@URL --out cup\n\n"
            "The same folder goes on with more agents or more matches: only what is missing is\n"
            "played. It exits with 1 if a match failed."
        ),
    )
    parser.add_argument("games", nargs="+", metavar="ID", help="games of two seats or more")
    parser.add_argument(
        "--agents",
        action="extend",
        nargs="+",
        default=[],
        metavar="[NAME=]SPEC",
        help="who joins: one or several, also with commas between; may be repeated; with NAME= it "
        "is called so, and may meet itself",
    )
    parser.add_argument("--out", required=True, help="a folder for matches and results")
    parser.add_argument(
        "--matches", type=positive, default=10, help="starts, for all (default: 10)"
    )
    parser.add_argument("--schedule", choices=("round-robin", "swiss"), default="round-robin")
    parser.add_argument("--rounds", type=positive, help="of a Swiss tournament")
    parser.add_argument(
        "--seating",
        choices=("all", "rotate"),
        default="all",
        help="all permutations, or each agent once in each seat (default: all)",
    )
    parser.add_argument(
        "--anchors",
        default="random",
        help="specs that join, with commas; the first is rated 0; none: nobody (default: random)",
    )
    parser.add_argument(
        "--forfeits",
        choices=("loss", "leave-out"),
        default="loss",
        help="how ratings take those who left by invalid replies (default: loss)",
    )
    parser.add_argument("--skills", action="store_true", help="rate by Plackett-Luce as well")
    parser.add_argument(
        "--seed", type=seed, default=0, help="a whole number that decides all (default: 0)"
    )
    parser.add_argument(
        "--concurrency", type=positive, default=64, help="alive at once (default: 64)"
    )
    parser.add_argument("--workers", type=positive, help="play in so many processes")
    parser.add_argument("--max-errors", type=count, default=10, help="in one line-up (default: 10)")
    parser.add_argument("--picture", metavar="FILE.png", help="draw the cross table")
    parser.add_argument("--json", action="store_true", help="print JSON")
    add_looks(parser)
    parser.set_defaults(run=_told(_tournament))


def _tournament(args: argparse.Namespace) -> int:
    from gem_ma.evaluation.tournament import run_tournament

    if args.picture and not args.picture.endswith(".png"):
        raise ValueError(f"--picture {args.picture}: expected a name that ends in .png")
    if args.picture and not Path(args.picture).parent.is_dir():
        raise ValueError(f"--picture {args.picture}: there is no such folder")
    total = None if args.json else _Lines()
    with keeping(lambda: _kept(args.out, "matches")):
        board = run_tournament(
            args.games,
            _joining(args.agents),
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
            make=looks(args),
        )
    if args.picture and board.agents:
        from gem_ma.renderers import draw, png

        cells = len(board.agents)
        size = 140 + 56 * cells, 140 + 84 * cells
        Path(args.picture).write_bytes(png.encode_png(draw(board.build_scene(), size)))
    code = int(bool(board.failed or board.stopped))
    if args.json:
        _print_json(board.to_dict())
        return code
    if board.ratings:
        _ratings(board)
    _returns(board)
    for cycle in board.cycles:
        doubt = "" if cycle.certain else ", perhaps by chance"
        _write(f"a cycle{doubt}: {' beats '.join((*cycle.agents, cycle.agents[0]))}\n")
    for one in board.stopped:
        _write(f"stopped {one['what']}: {spoken(one['reason'], args)}\n")
    failed = f", {board.failed} failed" if board.failed else ""
    _write(f"{board.matches} matches{failed}, written to {args.out}\n")
    return code


def _ratings(board: Any) -> None:
    head = ["agent", "rating", "win", "draw", "loss", "forfeit"]
    _show(head, [_rated(board, one) for one in board.ratings])
    _write(
        "[]: 95% intervals, proper Bayesian bootstrap over starts; the prior: as if each agent\n"
        "had half won and half lost one more start, against all others in equal parts\n"
    )
    for game, rated in board.by_game.items():
        line = ", ".join(f"{one.agent} {_points(one)}" for one in rated)
        _write(f"{game}: {line}\n")
    for agent, (mu, sigma) in sorted(board.skills.items(), key=lambda one: -one[1][0]):
        _write(f"Plackett-Luce: {agent} {mu:.1f}, give or take {sigma:.1f}\n")
    _write("\npoints in percent that the row took from the column\n")
    head, *lines = board.build_cross_table()
    _show(head, lines)
    _write("\n")
    lines = [
        [*key, *(str(count) for count in row.values())] for key, row in sorted(board.seats.items())
    ]
    _show(["game", "seat", "agent", "win", "draw", "loss", "forfeit"], lines)


def _returns(board: Any) -> None:
    """Print what agents earned where nobody wins from another, and who is in no table."""
    if board.unrated:
        lines = [
            [game, agent, _between(one)]
            for (game, agent), one in board.returns.items()
            if game in board.unrated
        ]
        _write("\nnot rated, as nobody wins there from another:\n")
        _show(["game", "agent", "return"], lines)
    for agent in board.absent:
        _write(f"{agent}: no match of it came to its end, so it is in no table\n")


def _points(one: Any) -> str:
    if one.low == one.high == 0:
        return "0, the anchor"
    return f"{one.points:+.0f} [{one.low:+.0f}, {one.high:+.0f}]"


def _joining(given: Sequence[str]) -> list[str]:
    """Return who joins a tournament."""
    return [one for text in given for one in text.split(",")]


def _rated(board: Any, one: Any) -> list[str]:
    counts = board.count_outcomes(one.agent)
    between = _points(one)
    return [one.agent, between, *(str(count) for count in counts.values())]


# -- exploit ---------------------------------------------------------------------------------------


def _add_exploit(commands: Any) -> None:
    parser = commands.add_parser(
        "exploit",
        help="say how much a perfect opponent would win from an agent, in a small game",
        epilog="example: gem-ma exploit game:KuhnPoker-v0 --agent random --samples 64",
    )
    parser.add_argument("id", help="game:KuhnPoker-v0 or game:LeducPoker-v0")
    parser.add_argument(
        "--agents",
        "--agent",
        dest="agent",
        required=True,
        metavar="SPEC",
        help="who is tried, alone: it plays all seats",
    )
    parser.add_argument(
        "--samples", type=positive, default=32, help="replies in each information set (default: 32)"
    )
    parser.add_argument(
        "--seed", type=seed, default=0, help="a whole number for the replies (default: 0)"
    )
    parser.add_argument("--json", action="store_true", help="print JSON, with the policy")
    parser.set_defaults(run=_told(_exploit))


def _exploit(args: argparse.Namespace) -> int:
    from gem_ma.evaluation.exploitability import compute_exploitability, exploitability_to_dict

    seat = args.agent.partition("=")[0]
    if "," in args.agent or ("=" in args.agent and seat.isidentifier()):
        raise ValueError(f"--agents {args.agent}: expected one, who plays all seats")
    found = compute_exploitability(args.id, args.agent, samples=args.samples, seed=args.seed)
    if args.json:
        _print_json(exploitability_to_dict(found))
        return 0
    _write(f"{found.id}, {found.agent}: {found.information_sets} information sets\n")
    _write(f"NashConv {found.nash_conv:.4f}, exploitability {found.exploitability:.4f}\n")
    if found.samples:
        _write(
            f"from {found.samples} replies in each: too high on average; from half as many "
            f"{found.half:.4f}, extrapolated {found.corrected:.4f}, "
            f"at least {found.at_least:.4f} on average\n"
            f"{found.invalid} of {found.replies} replies were invalid"
        )
        lost = f", and {found.silent} information sets had no valid one" if found.silent else ""
        _write(f"{lost}\n")
    if found.covered is not None:
        _write(f"a bare legal move is {found.covered:.1%} of what it says\n")
    values = ", ".join(f"{value:+.4f}" for value in found.values)
    _write(f"against itself it earns {values}\n")
    return 0


# -- printing --------------------------------------------------------------------------------------


def _write(text: str) -> None:
    sys.stdout.write(text)


def _print_json(data: Any) -> None:
    _write(json.dumps(data, indent=1, allow_nan=False) + "\n")


def _show(head: Sequence[str], lines: Sequence[Sequence[str]]) -> None:
    """Print a table: with rich on a terminal, and in plain columns elsewhere."""
    if not sys.stdout.isatty():
        _write(plain_table(head, lines))
        return
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, collapse_padding=True)
    for name in head:
        table.add_column(name, overflow="fold")
    for line in lines:
        table.add_row(*(Text(cell) for cell in line))
    Console().print(table)


def plain_table(head: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    """Return a table as text, its columns side by side."""
    rows = [head, *lines]
    widths = [max(len(row[i]) for row in rows) for i in range(len(head))]
    text = (
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    )
    return "".join(f"{line}\n" for line in text)


# -- leaderboard -----------------------------------------------------------------------------------


def _add_leaderboard(commands: Any) -> None:
    parser = commands.add_parser(
        "leaderboard",
        help="put the results of several evaluations into one table, where they can be compared",
        epilog="example: gem-ma leaderboard results/one results/two --out leaderboard.html",
    )
    parser.add_argument("files", nargs="+", help="folders of gem-ma eval, or their results.json")
    parser.add_argument("--out", help="a page, FILE.html (default: the terminal)")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.set_defaults(run=_told(_leaderboard))


def _leaderboard(args: argparse.Namespace) -> int:
    from gem_ma.evaluation.suite_leaderboard import (
        format_percent,
        merge_results,
        write_leaderboard_page,
    )

    if args.out and not Path(args.out).resolve().parent.is_dir():
        raise UsageError(f"{args.out}: there is no such folder")
    found = merge_results(args.files)
    if args.out:
        write_leaderboard_page(found, args.out)
    if args.json:
        sys.stdout.write(json.dumps(found.to_dict(), indent=1) + "\n")
        return 0
    lines = []
    for table in found.tables:
        rows = many(len(table.common_rows), "row")
        lines.append(f"{table.suite}, mean success over {rows} that all have played")
        wide = max(len(line.agent) for line in table.agent_results)
        for place, line in enumerate(table.agent_results, 1):
            lines.append(f"{place:>3}  {line.agent:{wide}}  {format_percent(line.success)}")
    lines += [f"not compared: {one}" for one in found.refused]
    lines += [f"written to {args.out}"] if args.out else []
    sys.stdout.write("".join(f"{line}\n" for line in lines))
    return 0
