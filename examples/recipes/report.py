"""Plot the curves of recipe runs, and print their results as a table.

python examples/recipes/report.py runs/guess-* --column return/player --title "..." --out guess.png
"""

import argparse
import json
from pathlib import Path

from gem_ma.evaluation import plots


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folders", nargs="+", type=Path, help="folders of runs of one recipe")
    parser.add_argument(
        "--column",
        action="append",
        required=True,
        help="history column to plot: NAME or NAME=LABEL",
    )
    parser.add_argument("--by", help="option of the recipe by which to group the runs")
    parser.add_argument("--title", default="")
    parser.add_argument(
        "--smooth", type=int, default=5, help="number of updates to average in a point (default: 5)"
    )
    parser.add_argument("--out", type=Path, required=True, help="file for the plot")
    args = parser.parse_args()
    columns = dict((*one.split("=", 1), one)[:2] for one in args.column)
    runs = {}
    for folder in args.folders:
        told = json.loads((folder / "result.json").read_text())
        curves = sorted(folder.glob("*/history.jsonl"))
        for curve in curves:
            name = told.get(args.by, curve.parent.name if len(curves) > 1 else "ours")
            runs.setdefault(str(name), []).append(plots.read_log(curve))
        results = ", ".join(f"{name} {value}" for name, value in told["results"].items())
        print(f"| {folder.name} | {results} | {sum(told['cpu_seconds'].values())} |")
    figure = plots.plot_learning_curves(runs, columns, smooth=args.smooth, title=args.title)
    plots.save_figure(figure, args.out)


if __name__ == "__main__":
    main()
