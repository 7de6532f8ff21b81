"""Tasks over data files: sums, joins, conversions, filters and repairs of tables and records."""

import json
from typing import Any

from gem_ma.envs.terminal.families.words import CITIES, NAMES, WORDS
from gem_ma.envs.terminal.file_tree import FileTree
from gem_ma.envs.terminal.problem import Draw, FileText, JSONValue, Problem, lines, texts, to_csv

SALES = ("city", "name", "product", "amount")


def _draw_sales(draw: Draw, count: int) -> list[tuple[str, str, str, int]]:
    cities, names = draw.some(CITIES, draw.scale(3, 8)), draw.some(NAMES, 8)
    products = draw.some(WORDS, 6)
    return [
        (draw.one(cities), draw.one(names), draw.one(products), draw.number(1, 500))
        for _ in range(count)
    ]


def sum_by_group(draw: Draw) -> Problem:
    """Sum a column of a table by another."""
    rows = _draw_sales(draw, draw.scale(10, 120))
    column = draw.number(0, 2)
    least = draw.scale(0, 300)
    totals: dict[str, int] = {}
    for row in rows:
        if row[3] >= least:
            key = str(row[column])
            totals[key] = totals.get(key, 0) + row[3]
    content = to_csv(SALES, rows)
    after = to_csv((SALES[column], "total"), sorted(totals.items()))
    only = f" Rows with an amount below {least} do not count." if least else ""
    return Problem(
        f"Write totals.csv with the columns {SALES[column]} and total: the sum of amount in "
        f"sales.csv for each {SALES[column]}, sorted by {SALES[column]}.{only} Like sales.csv, it "
        "begins with a line of the names of its columns.",
        FileTree.of({"sales.csv": content}),
        (FileText("totals.csv", after), FileText("sales.csv", content)),
        (
            f"(echo {SALES[column]},total; awk -F, 'NR > 1 && $4 >= {least} "
            f'{{t[${column + 1}] += $4}} END {{for (k in t) print k","t[k]}}\' sales.csv | '
            "LC_ALL=C sort) > totals.csv",
        ),
    )


def join_tables(draw: Draw) -> Problem:
    """Join two tables by a key."""
    names = draw.some(NAMES, draw.scale(5, 14))
    ids = draw.some(range(100, 999), len(names))
    people = list(zip(ids, names, strict=True))
    orders = [
        (draw.one(ids) if draw.chance(0.85) else draw.number(10, 99), draw.one(WORDS))
        for _ in range(draw.scale(6, 60))
    ]
    orders = list(dict.fromkeys([(ids[0], draw.one(WORDS)), *orders]))
    known = dict(people)
    joined = sorted((known[id], word) for id, word in orders if id in known)
    files = {
        "people.csv": to_csv(("id", "name"), draw.some(people, len(people))),
        "orders.csv": to_csv(("person", "item"), orders),
    }
    code = (
        "python3 - <<'END'\nimport csv\n"
        "names = {r['id']: r['name'] for r in csv.DictReader(open('people.csv'))}\n"
        "rows = [(names[r['person']], r['item']) for r in csv.DictReader(open('orders.csv'))\n"
        "        if r['person'] in names]\n"
        "with open('named.csv', 'w') as f:\n"
        "    f.write('name,item\\n' + ''.join(f'{a},{b}\\n' for a, b in sorted(rows)))\nEND"
    )
    return Problem(
        "The column person of orders.csv has an id of people.csv. Write named.csv with the columns "
        "name and item: for each order the name of the person and the item, sorted by name and "
        "then by item. Leave out orders of persons who are not in people.csv.",
        FileTree.of(files),
        (FileText("named.csv", to_csv(("name", "item"), joined)), *texts(files)),
        (code,),
    )


def table_to_json(draw: Draw) -> Problem:
    """Convert a table to JSON."""
    rows = _draw_sales(draw, draw.scale(4, 60))
    value: object = [dict(zip(SALES, row, strict=True)) for row in rows]
    form = "a list with one object for each row, in the same order"
    code = "v = rows"
    if draw.difficulty >= 4:
        grouped: dict[str, list[dict[str, object]]] = {}
        for city, *rest in rows:
            grouped.setdefault(city, []).append(dict(zip(SALES[1:], rest, strict=True)))
        value = grouped
        form = (
            "an object whose keys are the cities; the value of a city is the list of its rows, "
            "each an object without the key city, in the same order"
        )
        code = "v = {}\nfor r in rows: v.setdefault(r.pop('city'), []).append(r)"
    return Problem(
        f"Write sales.json with the contents of sales.csv as JSON: {form}. The names of columns "
        "are the keys, and amount is a number.",
        FileTree.of({"sales.csv": to_csv(SALES, rows)}),
        (JSONValue("sales.json", json.dumps(value)),),
        (
            "python3 - <<'END'\nimport csv, json\n"
            "t = csv.DictReader(open('sales.csv'))\n"
            "rows = [{**r, 'amount': int(r['amount'])} for r in t]\n"
            f"{code}\njson.dump(v, open('sales.json', 'w'))\nEND",
        ),
    )


def filter_records(draw: Draw) -> Problem:
    """Select records of JSON lines."""
    count = draw.scale(8, 80)
    words = draw.some(WORDS, 5)
    records: list[dict[str, Any]] = [
        {
            "id": number,
            "name": draw.one(NAMES),
            "age": draw.number(15, 80),
            "tags": draw.some(words, draw.number(0, 3)),
        }
        for number in draw.some(range(100, 999), count)
    ]
    age, tag = draw.number(25, 45), words[0]
    records[0] |= {"age": age, "tags": [words[1], tag]}
    chosen = sorted(r["id"] for r in records if r["age"] >= age and tag in r["tags"])
    content = lines([json.dumps(record) for record in records])
    return Problem(
        "Each line of people.jsonl is an object in JSON. Write the id of every person who is "
        f"{age} or older and has the tag {tag} into ids.txt, one in a line, from the smallest to "
        "the largest.",
        FileTree.of({"people.jsonl": content}),
        (FileText("ids.txt", lines(chosen)), FileText("people.jsonl", content)),
        (
            "python3 - <<'END'\nimport json\nr = [json.loads(l) for l in open('people.jsonl')]\n"
            f"ids = sorted(o['id'] for o in r if o['age'] >= {age} and {tag!r} in o['tags'])\n"
            "open('ids.txt', 'w').write(''.join(f'{i}\\n' for i in ids))\nEND",
        ),
    )


def split_bad_rows(draw: Draw) -> Problem:
    """Separate the rows of a table that are not valid."""
    rows = [list(map(str, row)) for row in _draw_sales(draw, draw.scale(8, 80))]
    good: list[list[str]] = []
    bad: list[list[str]] = []
    all_rows: list[list[str]] = []
    for n, row in enumerate(rows):
        kind = 0 if n == 0 else draw.number(0, 9)
        if kind == 0:
            row = row[:3]
        elif kind == 1:
            row = [*row[:3], draw.one(["", "many", "12x", "-5"])]
        elif kind == 2 and draw.difficulty >= 4:
            row = [*row, "x"]
        valid = len(row) == 4 and row[3].isdigit()
        (good if valid else bad).append(row)
        all_rows.append(row)
    return Problem(
        "A row of sales.csv is valid if it has exactly four fields and the last one is a whole "
        "number without a sign. Write good.csv with the line of names and all valid rows, and "
        "bad.csv with all other rows, without the line of names. Keep the order.",
        FileTree.of({"sales.csv": to_csv(SALES, all_rows)}),
        (
            FileText("good.csv", to_csv(SALES, good)),
            FileText("bad.csv", lines([",".join(row) for row in bad])),
        ),
        (
            "awk -F, 'NR == 1 || (NF == 4 && $4 ~ /^[0-9]+$/)' sales.csv > good.csv",
            "awk -F, 'NR > 1 && !(NF == 4 && $4 ~ /^[0-9]+$/)' sales.csv > bad.csv",
        ),
    )


def best_of_group(draw: Draw) -> Problem:
    """Find the row with the largest amount of each group."""
    sales = _draw_sales(draw, draw.scale(10, 120))
    amounts = draw.some(range(1, 2000), len(sales))  # no two are equal
    rows = [(*row[:3], amount) for row, amount in zip(sales, amounts, strict=True)]
    largest = draw.chance(0.5)
    best: dict[str, tuple[str, str, str, int]] = {}
    for row in sorted(rows, key=lambda one: one[3] if largest else -one[3]):
        best[row[0]] = row
    kind, option = ("largest", "-k4,4nr") if largest else ("smallest", "-k4,4n")
    return Problem(
        f"Write best.csv with the row of the {kind} amount for each city of sales.csv, sorted by "
        "city, below the same line of the names of columns.",
        FileTree.of({"sales.csv": to_csv(SALES, rows)}),
        (FileText("best.csv", to_csv(SALES, [best[city] for city in sorted(best)])),),
        (
            f"(head -1 sales.csv; tail -n +2 sales.csv | sort -t, {option} | "
            "awk -F, '!s[$1]++' | LC_ALL=C sort) > best.csv",
        ),
    )
