"""The answers of the tasks of tables, from their scenes."""

import re

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
