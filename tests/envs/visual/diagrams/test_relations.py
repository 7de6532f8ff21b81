"""Relations in a family and changes of trains, by cases worked out by hand."""

import pytest

from gem_ma.envs.visual.diagrams.family_tree import (
    RELATIONS,
    FamilyTree,
    Person,
    find_relation,
)
from gem_ma.envs.visual.diagrams.subway_map import count_changes
from gem_ma.envs.visual.question import AGENT

# 0 and 1 have 2 and 4; 2 and 3 have 5; 4 has no family.
PEOPLE = [
    Person("disc", pair, 0.0, row)
    for pair, row in (
        ((), 0),
        ((), 0),
        ((0, 1), 1),
        ((), 1),
        ((0, 1), 1),
        ((2, 3), 2),
    )
]


@pytest.mark.parametrize(
    ("a", "b", "word"),
    [(0, 2, "mother"), (2, 4, "sister"), (4, 5, "aunt"), (5, 4, "niece"), (5, 1, "granddaughter")],
)
def test_how_two_people_are_related(a, b, word):
    assert RELATIONS[find_relation(PEOPLE, a, b)][0] == word


@pytest.mark.parametrize("said", ["great-aunt", "Great aunt", "grandaunt", "grand-aunt"])
def test_a_relation_is_read_in_any_spelling(said):
    view = type("View", (), {"choices": ("great-aunt", "aunt", "grandmother")})
    assert FamilyTree().read(said, view, AGENT) == "great-aunt"


def test_partners_and_their_families_are_not_related():
    assert find_relation(PEOPLE, 0, 1) is None
    assert find_relation(PEOPLE, 3, 4) is None


def test_how_often_one_must_change():
    lines = [("a", "b", "c"), ("c", "d"), ("d", "a"), ("x", "y")]
    assert [count_changes(lines, "a", end) for end in "abcdx"] == [0, 0, 0, 0, None]
    assert count_changes(lines[:2], "b", "d") == 1
