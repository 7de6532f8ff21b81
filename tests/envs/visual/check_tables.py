"""The answers of the tasks of tables, documents and diagrams, from their scenes."""

import re
from collections import Counter

import numpy as np

DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
ORDER = ("first", "second", "third", "fourth")


def minutes(text):
    hour, minute = text.split(":")
    return 60 * int(hour) + int(minute)


def timetable(scene, question):
    rows = {town: list(map(minutes, times)) for town, *times in scene.rows}
    now, here, there = re.search(r"([\d:]+) in (\w+)\..* to (\w+) at", question).groups()
    for times in rows.values():
        assert times == sorted(set(times))
    came = [b for a, b in zip(rows[here], rows[there], strict=True) if a >= minutes(now)]
    return f"{min(came) // 60}:{min(came) % 60:02}"


def calendar(scene, question):
    cells = [pair for row in scene.rows for pair in zip(scene.head, row, strict=True)]
    dates = {int(cell): DAYS.index(day) for day, cell in cells if cell}
    numbers = [int(n) for n in re.findall(r"\d+", question)]
    if question.startswith("Which weekday"):
        later, date = numbers if len(numbers) > 1 else (0, *numbers)
        return DAYS[(dates[date] + later) % 7]
    day = DAYS.index(question.removesuffix("?").split()[-1])
    if question.startswith("What date"):
        place = ORDER.index(question.split()[4])
        return str([date for date in sorted(dates) if dates[date] == day][place])
    a, b = numbers
    return str(sum(dates[date] == day for date in range(a, b + 1)))


def wrong_sum(scene, question):
    (name,) = [name for name, *row, total in scene.rows if sum(map(int, row)) != int(total)]
    return name


def rows(scene):
    """Return the rows of text from the top."""
    return [label[0] for label in sorted(scene.labels, key=lambda label: label[3])]


def receipt(scene, question):
    bill, ends = {}, {}
    for row in rows(scene)[1:]:
        *start, last = row.split()
        if len(start) == 3:
            many, name, each = start
            bill[name] = int(many), tenths(each), tenths(last)
        else:
            ends[start[0]] = tenths(last)
    known = {
        name: whole if whole is not None else many * each
        for name, (many, each, whole) in bill.items()
        if whole is not None or each is not None
    }
    named = [name for name in bill if f" {name} " in question]
    if named and "one piece" in question:
        found = bill[named[0]][1]
    elif named and named[0] in known:
        found = known[named[0]]
    elif named:
        found = ends["TOTAL"] - sum(known.values())
    else:
        total = sum(known.values())
        found = total if "total" in question else ends["CASH"] - total
    return f"{found / 10:.2f}"


def tenths(text):
    return None if text == "###" else round(10 * float(text))


def invoice(scene, question):
    lines = [row.split() for row in rows(scene)]
    ends = {line[0]: line[-1] for line in lines}
    if "number" in question:
        return ends["Customer" if "customer" in question else "Invoice"]
    if "latest" in question:
        (day,) = [int(line[1]) for line in lines if line[0] == "Date"]
        (days,) = [int(line[2]) for line in lines if line[0] == "Payable"]
        return str((day + days - 1) % 31 + 1)
    parts = [line for line in lines if line[0].isdecimal()]
    amounts = {}
    for many, name, each, whole in parts:
        amounts[name] = int(many) * int(each)
        assert whole in ("###", str(amounts[name]))
    named = [name for name in amounts if f"for {name}?" in question]
    if named:
        return str(amounts[named[0]])
    total = sum(amounts.values())
    (share,) = [int(line[1].rstrip("%")) for line in lines if line[0] == "Discount"]
    return str(total if "before" in question else total - total * share // 100)


def filled_form(scene, question):
    fields, boxes, group = {}, {}, ""
    for row in rows(scene)[1:]:
        name, _, rest = row.rpartition(":")
        if "[" in row:
            group = name or group
            found = re.findall(r"\[(.)\]", row)
            boxes[group] = boxes.get(group, 0) + np.array([found.count("x"), len(found)])
        else:
            fields[name] = rest.strip().strip("_")
    if "written beside" in question:
        return fields[question.removesuffix("?").split("beside ")[1]]
    if "left empty" in question:
        return str(sum(not text for text in fields.values()))
    if "beside" in question:
        return str(boxes[question.removesuffix("?").split()[-1]][0])
    if "boxes" in question:
        many, of = sum(boxes.values())
        return str(of - many if "not ticked" in question else many)
    numbers = ("Born in", "Shoe size", "Height cm", "Children", "Locker")
    (name,) = [
        name for name, text in fields.items() if text and text.isdecimal() != (name in numbers)
    ]
    return name


def departure_board(scene, question):
    trains = []
    for row in rows(scene)[1:]:
        time, town, platform, *late = row.split()
        hour, minute = map(int, time.split(":"))
        trains.append((60 * hour + minute, town, platform, int(late[0]) if late else 0))
    times = [(60 * int(h) + int(m)) for h, m in re.findall(r"(\d+):(\d\d)", question)]
    (town,) = {to for _, to, _, _ in trains if f"to {to} " in question} or {""}
    if "last" in question:
        return max(trains, key=lambda one: one[0] + one[3])[2]
    if "first" in question:
        return time_of(min(at + late for at, to, _, late in trains if to == town))
    if "next" in question:
        return next(p for at, to, p, _ in trains if to == town and at > times[0])
    ((at, _, platform, late),) = [one for one in trains if one[0] == times[0]]
    return platform if "platform" in question else time_of(at + late)


def time_of(minutes):
    return f"{minutes // 60}:{minutes % 60:02}"


def week_plan(scene, question):
    days = [day.strip() for day in scene.head[1:]]
    plan = {hour: dict(zip(days, cells, strict=True)) for hour, *cells in scene.rows}
    words = question.removesuffix("?").split()
    if question.startswith("Which lesson is on"):
        return plan[words[-1]][words[4]]
    if question.startswith("On which"):
        (day,) = [day for day, one in plan[words[-1]].items() if one == words[4]]
        return day
    counts = Counter(one for cells in plan.values() for one in cells.values())
    if question.startswith("How often"):
        return str(counts["-" if "no lesson" in question else words[3]])
    del counts["-"]
    (first, many), (_, second) = counts.most_common(2)
    assert many > second
    return first


def flow_chart(scene, question):
    texts = [(x, y, text) for text, _, x, y, _ in scene.labels if text not in ("yes", "no")]
    main = min(x for x, _, _ in texts)
    column = sorted((y, text) for x, y, text in texts if x == main)
    beside = {y: text for x, y, text in texts if x != main}
    value, steps = int(column[0][1].split()[-1]), iter(column[1:])
    for _, text in steps:
        if text == "give out x":
            break
        if not text.endswith("?"):
            value = change(value, text)
            continue
        y, yes = next(steps)
        sign, limit = text.rstrip("?").split()[1:]
        if sign == ">":
            value = change(value, yes if value > int(limit) else beside[y])
        while sign == "<" and value < int(limit):
            value = change(value, yes)
    return str(value)


def change(value, text):
    sign, number = text.split()[-2:]
    return {"+": value + int(number), "-": value - int(number), "*": value * int(number)}[sign]


def class_diagram(scene, question):
    names = [(x, y, text) for text, _, x, y, _ in scene.labels if text[0].isupper()]
    fields = {text: [] for _, _, text in names}
    for text, _, x, y, _ in scene.labels:
        if text[0].islower():
            fields[max((b, name) for a, b, name in names if a == x and b < y)[1]].append(text)
    up, lines = {}, [line[1:5] for line in scene.lines if line[-1] == 0.006]
    flat = [line for line in lines if line[1] == line[3]]
    for x, y, child in names:
        starts = [line for line in lines if line[0] == line[2] == x and 0 < y - line[1] < 0.06]
        if starts:
            *_, at = max(starts, key=lambda line: line[1])
            (bus,) = [b for b in flat if b[1] == at and b[0] <= x <= b[2]] or [(x, at, x, at)]
            (trunk,) = [t for t in lines if t[1] == at > t[3] and bus[0] <= t[0] <= bus[2]]
            up[child] = max((b, name) for a, b, name in names if a == trunk[2] and b < trunk[3])[1]
    chains = {}
    for name in fields:
        chains[name] = [name]
        while chains[name][-1] in up:
            chains[name].append(up[chains[name][-1]])
    (name,) = [name for name in fields if f" {name}" in question] or [""]
    if "directly" in question:
        return up[name]
    if "box" in question:
        return str(len(fields[name]))
    if "How many attributes" in question:
        return str(sum(len(fields[one]) for one in chains[name]))
    field = question.split("attribute ")[1].split(",")[0]
    return str(sum(any(field in fields[one] for one in chain) for chain in chains.values()))


def logic_gates(scene, question):
    rules = {
        "AND": lambda a: all(a), "OR": any, "XOR": lambda a: sum(a) == 1,
        "NAND": lambda a: not all(a), "NOR": lambda a: not any(a),
    }  # fmt: skip
    wires = [line[1:5] for line in scene.lines if line[-1] == 0.006]
    gates = sorted((x, y, text) for text, _, x, y, _ in scene.labels if text in rules)
    sources = [(x, y, int(text)) for text, _, x, y, _ in scene.labels if text in "01"]

    def come(x, y, high):
        """Return the values of the wires that end at the left of a place."""
        ends = [w for w in wires if x - 0.2 < w[2] < x and abs(w[3] - y) < high]
        last = max(w[2] for w in ends)
        found = []
        for a, b, c, _ in ends:
            if c == last:
                near = [one for one in sources if 0 < a - one[0] < 0.2 and abs(one[1] - b) < 1e-6]
                found.append(max(near)[2])
        return found

    for x, y, text in gates:
        values = come(x, y, 0.05)
        assert len(values) == 2
        sources.append((x, y, int(rules[text](values))))
    lamps = sorted((y, x) for _, _, x, y, *_ in scene.items)
    return "".join([str(come(x, y, 0.001)[0]) for y, x in lamps])


def resistors(scene, question):
    """Solve for the current through the circuit at one volt."""
    node, count = {}, 0
    wires = [line[1:5] for line in scene.lines if line[-1] == 0.006]
    for x1, y1, x2, y2 in wires:
        one, other = ((round(x, 6), round(y, 6)) for x, y in ((x1, y1), (x2, y2)))
        names = {node.setdefault(place, (count := count + 1)) for place in (one, other)}
        low = min(names)
        node.update({place: low for place, name in node.items() if name in names})
    boxes = [line[1:5] for line in scene.lines if line[-1] == 0.005]
    edges = []
    for i in range(0, len(boxes), 4):
        xs, ys = ({round(v, 6) for box in boxes[i : i + 4] for v in box[j::2]} for j in (0, 1))
        left, right, y = min(xs), max(xs), (min(ys) + max(ys)) / 2
        (ohms,) = [
            int(text) for text, _, a, b, _ in scene.labels if left < a < right and 0 < y - b < 0.1
        ]
        ends = [
            next(n for (a, b), n in node.items() if abs(a - x) < 1e-3 and abs(b - y) < 1e-5)
            for x in (left, right)
        ]
        edges.append((*ends, ohms))
    plates = sorted(y for (x, y) in node if abs(y - 0.5) < 0.03 and abs(x - 0.14) < 1e-6)
    start, end = (next(n for (x, b), n in node.items() if b == y and x == 0.14) for y in plates)
    names = sorted(set(node.values()))
    matrix, right_side = np.zeros((len(names), len(names))), np.zeros(len(names))
    for a, b, ohms in edges:
        i, j = names.index(a), names.index(b)
        matrix[[i, j, i, j], [i, j, j, i]] += np.array([1, 1, -1, -1]) / ohms
    for name, volts in ((start, 1), (end, 0)):
        matrix[names.index(name)] = np.eye(len(names))[names.index(name)]
        right_side[names.index(name)] = volts
    volts = np.linalg.lstsq(matrix, right_side, rcond=None)[0]
    current = sum(
        abs(volts[names.index(a)] - volts[names.index(b)]) / ohms
        for a, b, ohms in edges
        if start in (a, b)
    )
    assert abs(1 / current - round(1 / current)) < 1e-6
    return str(round(1 / current))
