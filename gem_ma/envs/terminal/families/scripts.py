"""Tasks over scripts: write or repair one; a check runs it on inputs that the model never saw."""

from gem_ma.envs.terminal.families.words import NAMES, WORDS
from gem_ma.envs.terminal.file_tree import FileTree, make_file
from gem_ma.envs.terminal.problem import CommandPrints, Draw, Problem, lines

OPERATIONS = {  # what a filter prints for a line of numbers: words, and Python
    "their sum": "sum(v)",
    "the largest of them": "max(v)",
    "the smallest of them": "min(v)",
    "the largest minus the smallest": "max(v) - min(v)",
    "how many of them are even": "sum(n % 2 == 0 for n in v)",
    "how many there are": "len(v)",
    "the sum of their squares": "sum(n * n for n in v)",
    "them from the smallest to the largest, with spaces between them": "*sorted(v)",
    "them in reverse order, with spaces between them": "*v[::-1]",
}


def _draw_rows(draw: Draw, count: int) -> list[list[int]]:
    return [[draw.number(-20, 99) for _ in range(draw.number(1, 7))] for _ in range(count)]


def _evaluate(code: str, v: list[int]) -> str:
    values = {
        "sum(v)": [sum(v)],
        "max(v)": [max(v)],
        "min(v)": [min(v)],
        "max(v) - min(v)": [max(v) - min(v)],
        "sum(n % 2 == 0 for n in v)": [sum(n % 2 == 0 for n in v)],
        "len(v)": [len(v)],
        "sum(n * n for n in v)": [sum(n * n for n in v)],
        "*sorted(v)": sorted(v),
        "*v[::-1]": v[::-1],
    }[code]
    return " ".join(map(str, values))


def write_filter(draw: Draw) -> Problem:
    """Write a script that computes something of each line of its input."""
    words, code = draw.one(list(OPERATIONS.items()))
    start = draw.scale(0, 3)
    rows = _draw_rows(draw, 8)
    shown = rows[:2]
    hidden = [row for row in rows if len(row) > start] if start else rows
    hidden = hidden or [[1, 2, 3, 4, 5]]
    example = next((row for row in shown if len(row) > start), [5, 1, 4, 2, 7])
    skip = f" but without the first {start}" if start else ""
    script = (
        f"import sys\nfor line in sys.stdin:\n    v = [int(n) for n in line.split()][{start}:]\n"
    )
    inside = " ".join(map(str, example))
    return Problem(
        "Write a script filter.sh that is run as `bash filter.sh`. Each line of its standard input "
        f"has whole numbers with spaces between them. For each line, take its numbers{skip}, and "
        f"print {words}. For the line `{inside}` it prints `{_evaluate(code, example[start:])}`. "
        "You can use bash, awk and python3.",
        FileTree(),
        (
            CommandPrints(
                "bash filter.sh < /check/in",
                lines([_evaluate(code, row[start:]) for row in hidden]),
                FileTree.of({"in": lines([" ".join(map(str, row)) for row in hidden])}),
            ),
        ),
        (
            f"cat > filter.py <<'END'\n{script}    print({code})\nEND",
            "echo 'python3 filter.py' > filter.sh",
        ),
    )


def fix_script(draw: Draw) -> Problem:
    """Repair a script in bash."""
    limit = draw.number(3, 9)
    right = [
        'dir="$1"',
        "total=0",
        'for file in "$dir"/*.txt; do',
        '  count=$(wc -l < "$file")',
        f"  if [ $count -ge {limit} ]; then",
        '    echo "$(basename "$file") $count"',
        "    total=$((total + count))",
        "  fi",
        "done",
        'echo "total $total"',
    ]
    faults = {
        2: "for file in $dir/*.txt; do",
        3: '  count=$(wc -l "$file")',
        4: f"  if [ $count > {limit} ]; then",
        5: '    echo "$file $count"',
        6: "    total=$count",
        9: "echo 'total $total'",
    }
    wrong = list(right)
    for place in draw.some(sorted(faults), draw.scale(1, 4)):
        wrong[place] = faults[place]
    folder = "a folder"  # its name has a space
    counts = {f"{name}.txt": draw.number(0, 2 * limit) for name in draw.some(WORDS, 7)}
    names = sorted(counts)
    counts[names[0]], counts[names[1]], counts[names[2]] = limit, limit + 2, limit - 1
    chosen = [name for name in names if counts[name] >= limit]
    files = {f"{folder}/{name}": "x\n" * count for name, count in counts.items()}
    files[f"{folder}/{draw.one(WORDS)}.log"] = "x\n" * 50
    shown = [f"{name} {counts[name]}" for name in chosen]
    total = sum(counts[name] for name in chosen)
    sample = {f"sample/{name}.txt": "x\n" * draw.number(0, 12) for name in draw.some(WORDS, 3)}
    script = "".join(f"{row}\n" for row in right)
    return Problem(
        f"The script long.sh gets a folder, `bash long.sh FOLDER`. For each .txt file in it that "
        f"has {limit} lines or more, it should print the name of the file (without the folder), a "
        "space and the number of lines, in the order of names; and then `total N`, where N is the "
        "sum of these numbers. The name of the folder may contain spaces. The script has faults. "
        "Repair it.",
        FileTree.of({"long.sh": lines(wrong), **sample}),
        (
            CommandPrints(
                f"bash long.sh '/check/{folder}'", lines([*shown, f"total {total}"]),
                FileTree.of(files),
            ),
        ),
        (f"cat > long.sh <<'END'\n{script}END",),
    )  # fmt: skip


def check_arguments(draw: Draw) -> Problem:
    """Write a script that checks its arguments."""
    word, code = draw.one(WORDS), draw.number(2, 60)
    name, count = draw.one(NAMES), draw.number(2, 5)
    most = draw.number(6, 12)
    checks = f'[ $# -eq 2 ] && [[ "$2" =~ ^[0-9]+$ ]] && [ "$2" -le {most} ]'
    trial = "; echo $?\n"
    hard = draw.difficulty >= 4
    what = f", or N is no whole number from 0 to {most}" if hard else ""
    script = (
        f"#!/bin/bash\nif ! {{ {checks}; }}; then\n"
        f"  echo 'usage: {word} NAME N' >&2\n  exit {code}\nfi\n"
        f'for ((i = 0; i < $2; i++)); do echo "{word} $1"; done\n'
    )
    runs = [f"./{word}.sh {name} {count}", f"./{word}.sh", f"./{word}.sh 'a b' 1"]
    shown = [f"{word} {name}"] * count + ["0", str(code), f"{word} a b", "0"]
    if hard:
        runs += [f"./{word}.sh {name} x", f"./{word}.sh {name} {most + 1}", f"./{word}.sh a 1 2"]
        shown += [str(code)] * 3
    return Problem(
        f"Write an executable script {word}.sh. `./{word}.sh NAME N` prints the line `{word} NAME` "
        f"N times. If there are not exactly two arguments{what}, it prints nothing on standard "
        f"output, the line `usage: {word} NAME N` on standard error, and ends with exit code "
        f"{code}.",
        FileTree(),
        (
            CommandPrints("".join(run + trial for run in runs), lines(shown)),
            CommandPrints(f"./{word}.sh 2>&1 >/dev/null", f"usage: {word} NAME N"),
        ),
        (f"cat > {word}.sh <<'END'\n{script}END", f"chmod +x {word}.sh"),
    )


def tidy_folder(draw: Draw) -> Problem:
    """Write a script that sorts the files of a folder into folders."""
    endings = draw.some(["txt", "csv", "log", "md", "png"], draw.scale(2, 4))
    names = draw.some(WORDS, 8)
    files = {f"work/{one}.{endings[n % len(endings)]}": f"{one}\n" for n, one in enumerate(names)}
    if draw.difficulty >= 4:
        files[f"work/{draw.one(WORDS)} {draw.one(WORDS)}.{endings[0]}"] = "two words\n"
    files["work/plain"] = "no ending\n"
    after = []
    for path in files:
        name = path.removeprefix("work/")
        folder = name.rpartition(".")[2] if "." in name else "other"
        after.append(f"work/{folder}/{name}")
    script = (
        'cd "$1" || exit 1\nfor f in *; do\n  [ -f "$f" ] || continue\n'
        '  case "$f" in *.*) d="${f##*.}";; *) d=other;; esac\n'
        '  mkdir -p "$d"; mv "$f" "$d/"\ndone\n'
    )
    return Problem(
        "Write a script tidy.sh that is run as `bash tidy.sh FOLDER`. It moves each file directly "
        "in FOLDER into a folder in it that has the name of the file's ending: a.txt moves to "
        "txt/a.txt. Files without an ending move to other. Names of files may contain spaces.",
        FileTree.of({"example/a.txt": "a\n", "example/b.md": "b\n", "example/c": "c\n"}),
        (
            CommandPrints(
                "cp -r /check/work . && bash tidy.sh work >&2; find work -type f | LC_ALL=C sort; "
                f"cat '{sorted(after)[0]}'",
                lines(sorted(after))
                + files[next(p for p, a in zip(files, after, strict=True) if a == min(after))],
                FileTree.of(files),
            ),
        ),
        (f"cat > tidy.sh <<'END'\n{script}END",),
    )


def run_steps(draw: Draw) -> Problem:
    """Write a script that runs others in the order of their numbers, up to the first that fails."""
    names = draw.some(WORDS, draw.scale(3, 14))
    steps = {
        f"steps/{n + 1}-{name}.sh": make_file(f"#!/bin/sh\necho {name}\n", executable=True)
        for n, name in enumerate(names)
    }
    hidden = draw.some(WORDS, 12)
    bad = draw.number(9, 11)
    checked = {
        f"steps/{n + 1}-{name}.sh": make_file(
            f"#!/bin/sh\necho {name} {n}\nexit {4 if n == bad else 0}\n", executable=True
        )
        for n, name in enumerate(hidden)
    }
    shown = [f"{name} {n}" for n, name in enumerate(hidden)][: bad + 1]
    return Problem(
        "The folder steps has scripts with names such as 3-name.sh. Write a script all.sh that is "
        "run as `bash all.sh`: it runs every .sh file in steps, in the order of their numbers (2 "
        "before 10). If one fails, it runs no more of them, and ends with the same exit code. It "
        "has to work with other scripts in steps too. Each of them is executable.",
        FileTree.of(steps),
        (
            CommandPrints("bash all.sh; echo $?", lines([*names, 0])),
            CommandPrints(
                "rm -r steps; cp -rp /check/steps .; bash all.sh; echo $?",
                lines([*shown, 4]), FileTree.of(checked),
            ),
        ),
        (
            "echo 'for f in $(ls steps/*.sh | sort -t/ -k2 -n); do \"$f\" || exit $?; done' "
            "> all.sh",
        ),
    )  # fmt: skip


def fix_python(draw: Draw) -> Problem:
    """Repair a program in Python."""
    group = draw.number(2, 4)
    right = [
        "import sys",
        "",
        "totals = {}",
        "for line in sys.stdin:",
        "    line = line.strip()",
        "    if not line or line.startswith('#'):",
        "        continue",
        "    name, amount = line.rsplit(' ', 1)",
        "    totals[name] = totals.get(name, 0) + int(amount)",
        "for name in sorted(totals, key=lambda one: (-totals[one], one)):",
        f"    if totals[name] >= {group}:",
        "        print(f'{name}: {totals[name]}')",
    ]
    faults = {
        5: "    if line.startswith('#'):",
        7: "    name, amount = line.split(' ', 1)",
        8: "    totals[name] = int(amount)",
        9: "for name in sorted(totals, key=lambda one: totals[one]):",
        10: f"    if totals[name] > {group}:",
        11: "        print('{name}: {totals[name]}')",
    }
    wrong = list(right)
    for place in draw.some(sorted(faults), draw.scale(1, 4)):
        wrong[place] = faults[place]
    names = [f"{a} {b}" for a, b in zip(draw.some(NAMES, 6), draw.some(WORDS, 6), strict=True)]
    amounts = [(name, draw.number(1, 9)) for name in draw.some(names * 3, 18)]
    amounts += [("zed exact", group), ("zed below", group - 1)]
    totals: dict[str, int] = {}
    for name, amount in amounts:
        totals[name] = totals.get(name, 0) + amount
    order = sorted((name for name in totals if totals[name] >= group),
                   key=lambda one: (-totals[one], one))  # fmt: skip
    rows = [f"{name} {amount}" for name, amount in amounts]
    rows[3:3] = ["", "# a remark"]
    program = "".join(f"{row}\n" for row in right)
    return Problem(
        "The program totals.py reads lines `NAME AMOUNT` from standard input. A name may contain "
        "spaces, and the amount is a whole number after the last space. Empty lines and lines that "
        "start with # do not count. It should add the amounts of each name, and print `NAME: "
        f"TOTAL` for each name with a total of {group} or more: the largest total first, and "
        "names with equal totals in alphabetical order. It has faults. Repair it.",
        FileTree.of({"totals.py": lines(wrong), "example.txt": lines(rows[:8])}),
        (
            CommandPrints(
                "python3 totals.py < /check/in",
                lines([f"{name}: {totals[name]}" for name in order]),
                FileTree.of({"in": lines(rows)}),
            ),
        ),
        (f"cat > totals.py <<'END'\n{program}END",),
    )
