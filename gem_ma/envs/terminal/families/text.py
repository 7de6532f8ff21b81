"""Tasks over texts: search, replace, count, sort and compare lines."""

from gem_ma.envs.terminal.families.words import NAMES, WORDS, folders, text
from gem_ma.envs.terminal.file_tree import FileTree
from gem_ma.envs.terminal.problem import Draw, FileBytes, FileText, Problem, lines, texts


def replace_word(draw: Draw) -> Problem:
    """Replace a word in all files of a kind, but not inside other words."""
    old, new = draw.some(WORDS, 2)
    places = folders(draw, "site", draw.scale(1, 6))
    files, after = {}, {}
    for number, name in enumerate(draw.some(WORDS, draw.scale(4, 20))):
        rows = text(draw, draw.scale(3, 12)).split("\n")
        rows.insert(draw.number(0, len(rows)), f"name = {old}")
        if draw.difficulty >= 3:
            rows.insert(0, f"{old}s and un{old} are not {old}")
        content = "\n".join(rows)
        path = f"{draw.one(places)}/{name}.{('conf', 'txt')[number % 2]}"
        files[path] = content
        swapped = "\n".join(
            " ".join(new if word == old else word for word in row.split(" ")) for row in rows
        )
        after[path] = swapped if path.endswith("conf") else content
    return Problem(
        f"In all .conf files below the folder site, replace the word {old} by {new}. Longer words "
        f"that contain {old} stay, and all other files stay as they are.",
        FileTree.of(files),
        texts(after),
        (f"find site -name '*.conf' -exec sed -i 's/\\b{old}\\b/{new}/g' {{}} +",),
    )


def _draw_log(draw: Draw, count: int) -> list[str]:
    minute = 60 * 8
    rows = []
    for _ in range(count):
        minute += draw.number(0, 9)
        level = draw.one(["INFO", "INFO", "WARN", "ERROR"])
        words = " ".join(draw.some(WORDS, 3))
        if draw.chance(0.2):
            words += " ERROR" if draw.difficulty >= 3 else ""
        rows.append(f"{minute // 60:02}:{minute % 60:02} {level} {words}")
    return rows


def count_errors(draw: Draw) -> Problem:
    """Count lines of a level in each log."""
    logs = {
        f"logs/{name}.log": _draw_log(draw, draw.scale(8, 60))
        for name in draw.some(WORDS, draw.scale(2, 10))
    }
    level = draw.one(["ERROR", "WARN"])
    counts = {path: sum(row.split()[1] == level for row in rows) for path, rows in logs.items()}
    rows = [f"{path.split('/')[1]} {counts[path]}" for path in sorted(logs)]
    return Problem(
        f"Each line of the files in the folder logs is TIME LEVEL WORDS. Write counts.txt: for "
        f"each file a line with its name, a space, and the number of its lines of level {level}, "
        "sorted by name.",
        FileTree.of({path: lines(one) for path, one in logs.items()}),
        (FileText("counts.txt", lines(rows)),),
        (
            f'cd logs && for f in *.log; do echo "$f $(grep -c "^[0-9:]* {level} " "$f")"; '
            "done > ../counts.txt",
        ),
    )


def merge_lists(draw: Draw) -> Problem:
    """Merge lists into one that is sorted and has each entry once."""
    entries = [f"{a}{draw.one(['', '-2', '_old'])}" for a in draw.some(WORDS, draw.scale(10, 60))]
    entries = [one.title() if draw.chance(0.3) else one for one in entries]
    files = {
        f"lists/{name}.txt": lines(draw.some(entries, max(3, len(entries) // 2)))
        for name in draw.some(WORDS, draw.scale(2, 6))
    }
    all_lines = {row for content in files.values() for row in content.split()}
    if draw.difficulty >= 5:
        merged = sorted(all_lines, reverse=True)
        order, option = "from the last to the first in the order of bytes", "-r"
    else:
        merged, order, option = sorted(all_lines), "in the order of bytes", ""
    return Problem(
        f"Write all lines of the files in the folder lists into all.txt, each once, {order} "
        "(that of sort with LC_ALL=C).",
        FileTree.of(files),
        (FileText("all.txt", lines(merged)),),
        (f"cat lists/* | LC_ALL=C sort -u {option} > all.txt",),
    )


def list_users(draw: Draw) -> Problem:
    """Select and sort fields of a file like /etc/passwd."""
    names = [f"{a}{n}" for n, a in enumerate(draw.some(NAMES, draw.scale(5, 16)))]
    ids = draw.some(range(100, 3000), len(names))
    shells = [draw.one(["/bin/bash", "/bin/sh", "/usr/sbin/nologin"]) for _ in names]
    shells[0] = "/bin/bash"
    rows = [
        f"{name}:x:{number}:{number}:{draw.one(WORDS)} {draw.one(WORDS)}:/home/{name}:{shell}"
        for name, number, shell in zip(names, ids, shells, strict=True)
    ]
    chosen = sorted(
        (number, name)
        for name, number, shell in zip(names, ids, shells, strict=True)
        if shell == "/bin/bash"
    )
    shown = [f"{name} {number}" if draw.difficulty >= 4 else name for number, name in chosen]
    what = "name and number, with a space between them," if draw.difficulty >= 4 else "name"
    fields = '$1" "$3' if draw.difficulty >= 4 else "$1"
    return Problem(
        "The file users has lines like those of /etc/passwd. Write users.txt with the "
        f"{what} of each user whose shell is /bin/bash, one in a line, sorted by the user's number "
        "(the third field).",
        FileTree.of({"users": lines(rows)}),
        (FileText("users.txt", lines(shown)), FileText("users", lines(rows))),
        (f"sort -t: -k3,3n users | awk -F: '$7 == \"/bin/bash\" {{print {fields}}}' > users.txt",),
    )


def clean_lines(draw: Draw) -> Problem:
    """Remove carriage returns, spaces at the end of lines and doubled empty lines."""
    files, after = {}, {}
    for name in draw.some(WORDS, draw.scale(2, 10)):
        rows = text(draw, draw.scale(4, 20)).splitlines()
        dirty = [row + " " * draw.number(0, 2) for row in rows]
        dirty[0] += "  "
        end = "\r\n" if draw.chance(0.6) else "\n"
        files[f"drafts/{name}.txt"] = "".join(row + end for row in dirty)
        after[f"drafts/{name}.txt"] = lines(rows).encode()
    return Problem(
        "Clean the files in the folder drafts: end each line with a single line feed (some files "
        "have carriage returns), and remove the spaces at the ends of lines.",
        FileTree.of(files),
        tuple([FileBytes(path, content) for path, content in after.items()]),
        ("sed -i -e 's/\\r$//' -e 's/ *$//' drafts/*.txt",),
    )


def common_lines(draw: Draw) -> Problem:
    """Find the lines that several files have in common."""
    entries = draw.some(WORDS, draw.scale(10, 60))
    count = 2 if draw.difficulty < 5 else 3
    names = ["red", "green", "blue"][:count]
    common = draw.some(entries, max(2, len(entries) // 5))
    files = {}
    for name in names:
        rows = set(common) | set(draw.some(entries, len(entries) // 2))
        files[f"{name}.txt"] = lines(draw.some(sorted(rows), len(rows)))
    shared = sorted(set.intersection(*(set(one.split()) for one in files.values())))
    command = "for f in *.txt; do sort -o $TMPDIR/$f $f; done; cd $TMPDIR; "
    command += "comm -12 red.txt green.txt > both.txt; "
    last = "comm -12 blue.txt both.txt" if count == 3 else "cat both.txt"
    command += f"{last} > /task/common.txt"
    listed = ", ".join(files)
    return Problem(
        f"No line stands twice in one of the files {listed}. Write the lines that all of these "
        "files have into common.txt, sorted.",
        FileTree.of(files),
        (FileText("common.txt", lines(shared)), *texts(files)),
        (command,),
    )


def log_window(draw: Draw) -> Problem:
    """Select the lines of a log between two times."""
    rows = _draw_log(draw, draw.scale(15, 120))
    times = sorted({row[:5] for row in rows})
    low = draw.number(1, len(times) // 2)
    start, end = times[low], times[draw.number(low + 1, len(times) - 1)]
    level = draw.one(["INFO", "WARN", "ERROR"]) if draw.difficulty >= 5 else ""
    chosen = [
        row for row in rows if start <= row[:5] <= end and (not level or row.split()[1] == level)
    ]
    only = f" Leave out lines whose level, the second word, is not {level}." if level else ""
    condition = f' && $2 == "{level}"' if level else ""
    return Problem(
        f"Write the lines of server.log from {start} to {end}, both included, into window.log, in "
        f"the same order. A line begins with its time.{only}",
        FileTree.of({"server.log": lines(rows)}),
        (FileText("window.log", lines(chosen)), FileText("server.log", lines(rows))),
        (f'awk \'$1 >= "{start}" && $1 <= "{end}"{condition}\' server.log > window.log',),
    )


def count_words(draw: Draw) -> Problem:
    """List the most frequent words of a text."""
    count = draw.scale(2, 8)
    words = draw.some(WORDS, count + 6)
    bag = [word for n, word in enumerate(words) for _ in range(2 * (count + 8) - 2 * n)]
    bag = draw.some(bag, len(bag))
    if draw.difficulty >= 4:
        bag = [word.title() if draw.chance(0.3) else word for word in bag]
    rows = [" ".join(bag[n : n + 8]) for n in range(0, len(bag), 8)]
    listed = [f"{2 * (count + 8) - 2 * n} {word}" for n, word in enumerate(words[:count])]
    note = " Capital letters do not matter; write small ones." if draw.difficulty >= 4 else ""
    return Problem(
        f"Find the {count} most frequent words of story.txt, and write them into top.txt: in each "
        f"line the count, a space and the word, the most frequent first.{note}",
        FileTree.of({"story.txt": lines(rows)}),
        (FileText("top.txt", lines(listed)), FileText("story.txt", lines(rows))),
        (
            "tr 'A-Z ' 'a-z\\n' < story.txt | sort | uniq -c | sort -rn | "
            f"head -{count} | awk '{{print $1\" \"$2}}' > top.txt",
        ),
    )
