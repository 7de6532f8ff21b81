"""Documents: what is asked has one answer, and their columns are straight in words and picture."""

import re

import pytest

import gem_ma

TASKS = ("DepartureBoard", "FilledForm", "Invoice", "Receipt")


def start(task, difficulty, seed):
    env = gem_ma.make(f"visual:{task}-v0", difficulty=difficulty)
    env.reset(seed=seed)
    return env, env.game.words(env.game_state.shown)


def minutes(text):
    hour, minute = text.split(":")
    return 60 * int(hour) + int(minute)


@pytest.mark.parametrize("seeds", [100, pytest.param(1000, marks=pytest.mark.slow)])
def test_the_next_train_is_next_by_the_timetable_and_really(seeds):
    asked = 0
    for difficulty in range(11):
        for seed in range(seeds):
            env, words = start("DepartureBoard", difficulty, seed)
            state = env.game_state
            found = re.match(r"It is ([\d:]+)\. .* next train to (\w+) leave", state.question)
            if not found:
                continue
            asked += 1
            now, town, trains = minutes(found[1]), found[2], []
            for row in words.splitlines()[2:]:
                time, to, platform, *late = row.split()
                if to == town:
                    trains.append((minutes(time), sum(map(int, late)), platform))
            planned = min(train for train in trains if train[0] > now)
            real = sorted((at + late, platform) for at, late, platform in trains if at + late > now)
            assert planned[2] == real[0][1] == state.answer
            assert planned[0] + planned[1] == real[0][0]
            assert [at for at, _ in real].count(real[0][0]) == 1, "two leave at once"
            assert all(at + late != now for at, late, _ in trains), "one leaves this very minute"
    assert asked > seeds


@pytest.mark.parametrize("task", TASKS)
def test_words_and_picture_have_the_same_cells_in_straight_columns(task):
    for difficulty in (0, 5, 10):
        for seed in range(10):
            env, words = start(task, difficulty, seed)
            labels = [label[0] for label in env.game.scene(env.game_state.shown).labels]
            rows = [row for row in words.splitlines() if set(row) != {"-"}]
            told = [row.replace("_", " ").split() for row in rows]
            assert told == [label.split() for label in labels]
            assert len(set(map(len, labels))) == 1, "rows of one width, so columns are straight"


def test_boxes_stand_below_what_is_written():
    for seed in range(20):
        _, words = start("FilledForm", 10, seed)
        rows = [row for row in words.splitlines()[2:] if set(row) != {"-"}]
        starts = {re.search(r"(?:^ {9,}|:\s+)(\S)", row).start(1) for row in rows}
        assert len(starts) == 1
