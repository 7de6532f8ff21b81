"""Evaluate SmolLM2-135M-Instruct without training, as the baseline for a small model.

    python benchmarks/smollm2.py --episodes 100 --folder runs/smollm2

The script plays GEM's ids, games of two, tau:shop, tau2:phone and some of rg:, with short and long
rules, at temperature 0 and 0.7. It reports valid replies, successful episodes, tokens per episode
and seconds per reply. Episodes are stored in the folder. A stopped run resumes, and environments
that cannot be played here (because of a data set of the Hub, say) are skipped by name. At the end
it writes summary.json and leaderboard.html. It needs gem-ma[gguf,games,reasoning-gym], and the
package that hf:smollm2 names; --model selects any other model. Without access to the Hub,
HF_HUB_OFFLINE=1 saves the time of looking for it.
"""

import argparse
import json
from pathlib import Path

import gem_ma
from gem_ma.agents import AGENT_SPECS
from gem_ma.evaluation import Suite, SuiteEntry, evaluate, merge_results, write_leaderboard_page

TOP = Path(__file__).parent.parent
GEM_GAMES = (
    *("Crosswords", "FifteenPuzzle", "Game2048", "GuessTheNumber", "Hangman", "Mastermind"),
    *("Minesweeper", "Sokoban", "Sudoku", "TowerofHanoi", "WikiGame", "WordSearch", "Wordle"),
)
GEM_TASKS = ("code", "eval", "logic", "math", "qa")
REASONING = (
    *("arc_1d", "basic_arithmetic", "chain_sum", "family_relationships", "letter_counting"),
    *("number_sorting", "sentence_reordering", "simple_equations", "spell_backward", "syllogism"),
)
TALKS = ("tau:shop", "tau2:phone")
PARTNERS = {"user": "rule-user", "assistant": "informed-assistant"}  # agents of the other seat
CONTEXT = "tokens=4000"  # of a conversation; the model reads 8192


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--model", default="hf:smollm2", help="a spec string (hf:smollm2)")
    parser.add_argument(
        "--episodes", type=int, default=100, help="episodes of each seat and wording (100)"
    )
    parser.add_argument("--only", nargs="+", metavar="ID", help="play these environments only")
    parser.add_argument(
        "--prompts", nargs="+", default=("short", "long"), help="wordings of the rules"
    )
    parser.add_argument("--temperatures", nargs="+", type=float, default=(0.0, 0.7))
    parser.add_argument("--tokens", type=int, default=64, help="most tokens of a reply (64)")
    parser.add_argument("--concurrency", type=int, default=32, help="episodes at once (32)")
    parser.add_argument("--folder", type=Path, default=TOP / "runs" / "smollm2")
    args = parser.parse_args(arguments)
    suite = make_suite(args.only or list_ids(), args.prompts)
    results, rows, skipped = [], [], {}
    for temperature in args.temperatures:
        folder = args.folder / f"temperature-{temperature:g}"
        options = {"temperature": temperature, "max_new_tokens": args.tokens}
        spec = AGENT_SPECS.add_defaults(args.model, options)
        found = evaluate(
            suite,
            spec,
            folder,
            tasks=args.episodes,
            trials=1,
            concurrency=args.concurrency,
            max_errors=args.episodes,
            progress=True,
        )
        results.append(f"temperature {temperature:g}={folder}")
        rows += [summarize(row, temperature) for row in found.to_dict()["rows"]]
        skipped |= {one["entry"]: one["reason"] for one in found.skipped}
    write_leaderboard_page(merge_results(results), str(args.folder / "leaderboard.html"))
    summary = {"model": args.model, "tokens": args.tokens, "rows": rows, "skipped": skipped}
    (args.folder / "summary.json").write_text(json.dumps(summary, indent=1) + "\n")
    print_table(rows, skipped)


def list_ids():
    """Return GEM's ids, games of two seats at their usual level, and the ids named above."""
    known = gem_ma.list_envs()
    games = [id for id in known if id.startswith("game:")]
    gem = [id for id in games if id.removeprefix("game:").partition("-v0")[0] in GEM_GAMES]
    tasks = [id for id in known if id.partition(":")[0] in GEM_TASKS and not id.endswith(":Data")]
    two = [id for id in games if id.endswith("-v0") and has_two_seats(id)]
    return [*gem, *tasks, *two, *TALKS, *(f"rg:{name}" for name in REASONING)]


def has_two_seats(id):
    try:
        return len(gem_ma.make(id).possible_agents) == 2
    except ImportError:  # the extra of this game is not installed
        return False


def make_suite(ids, prompts):
    """Return a suite with an entry for each environment and wording, played from each seat."""
    entries = [
        SuiteEntry(
            id,
            f"{id} prompt={prompt}",
            {"prompt": prompt},
            opponents=PARTNERS if id in TALKS else "random",
            context=CONTEXT,
        )
        for id in ids
        for prompt in prompts
    ]
    return Suite("smollm2", tuple(entries), description="A small pretrained model as it comes.")


def summarize(row, temperature):
    """Return the results of a row: shares and means, each with its interval."""
    numbers = {"success": "success", "invalid": "invalid", "tokens": "tokens", "latency": "seconds"}
    told = {name: row.get(key) for key, name in numbers.items()}
    id, _, prompt = row["entry"].partition(" prompt=")
    counts = {name: row[name] for name in ("seat", "episodes", "failed")}
    return {"id": id, "prompt": prompt, "temperature": temperature, **counts, **told}


def print_table(rows, skipped):
    print(f"{'environment':40} {'prompt':6} {'t':>4} {'valid':>6} {'success':>8} {'tokens':>7}")
    for row in rows:
        value = {name: (row[name] or {}).get("value") for name in ("invalid", "success", "tokens")}
        valid = None if value["invalid"] is None else 1 - value["invalid"]
        shares = [f"{one:.0%}" if one is not None else "-" for one in (valid, value["success"])]
        tokens = "-" if value["tokens"] is None else f"{value['tokens']:.0f}"
        name = f"{row['id']} ({row['seat']})"
        print(
            f"{name:40} {row['prompt']:6} {row['temperature']:4g} {shares[0]:>6} {shares[1]:>8} "
            f"{tokens:>7}"
        )
    for name, why in skipped.items():
        print(f"skipped {name}: {why}")


if __name__ == "__main__":
    main()
