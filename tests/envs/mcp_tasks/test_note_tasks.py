"""Generated tasks over notes: what they ask for, and what their solution leaves."""

import pytest

from gem_ma.envs.mcp_tasks.note_tasks import KINDS, make_note_task


def play(task):
    notes = dict(task.before)
    for name, arguments in task.solution:
        if name == "write_note":
            notes[arguments["title"]] = arguments["text"]
        elif name == "delete_note":
            del notes[arguments["title"]]
        elif name == "read_note":
            assert arguments["title"] in notes
    return notes


def stripped(notes):
    return {title: text.rstrip() for title, text in notes.items()}


@pytest.mark.parametrize("kind", KINDS)
def test_the_solution_of_every_kind_leaves_what_is_asked_and_nothing_else_does(kind):
    for seed in range(20):
        task = make_note_task(seed, kind)
        assert task.kind == kind
        assert play(task) == task.after
        assert stripped(task.before) != stripped(task.after)  # doing nothing is not enough
        assert len(task.solution) <= 25  # of the 30 calls that an episode has
        assert make_note_task(seed, kind) == task


def test_a_seed_draws_the_kind():
    drawn = {make_note_task(seed).kind for seed in range(100)}
    assert drawn == set(KINDS)
    assert make_note_task(3) == make_note_task(3, make_note_task(3).kind)


def test_what_is_asked_follows_from_the_notes():
    task = make_note_task(1, "total")
    costs = [
        int(line.split()[1])
        for text in task.before.values()
        for line in text.splitlines()
        if line.startswith("cost:")
    ]
    assert task.after["total"] == f"{sum(costs)}\n"
    task = make_note_task(1, "newest")
    dates = {title: text.splitlines()[0] for title, text in task.before.items()}
    newest = max(dates, key=dates.get)
    assert newest not in task.after
    assert task.after["latest"] == task.before[newest]
    task = make_note_task(1, "phone")
    (line,) = (
        line
        for text in task.before.values()
        for line in text.splitlines()
        if line.startswith("contact:") and task.instruction.split(". ")[0].split()[-1] in line
    )
    assert task.after["answer"].strip() == line.split()[-1]
