"""Each comparison of banking's queries, beside Python's own."""

from types import SimpleNamespace

import pytest

from gem_ma.envs.tau2.banking.query import find, listing

ROWS = {"a": {"n": 1, "s": "one"}, "b": {"n": 2, "s": "two"}, "c": {"n": 3, "s": None}}
DESK = SimpleNamespace(rows=lambda table: list(ROWS.items()))


@pytest.mark.parametrize(
    ("constraints", "found"),
    [
        ({"n": 2}, "b"),
        ({"n__eq": 2}, "b"),
        ({"n__ne": 2}, "ac"),
        ({"n__gt": 2}, "c"),
        ({"n__gte": 2}, "bc"),
        ({"n__lt": 2}, "a"),
        ({"n__lte": 2}, "ab"),
        ({"s__contains": "w"}, "b"),
        ({"s__startswith": "o"}, "a"),
        ({"s__endswith": "e"}, "a"),
        ({"n__in": [1, 3]}, "ac"),
        ({"n__nin": [1, 3]}, "b"),
        ({"s__lt": 5}, ""),  # what cannot be compared does not meet it
        ({"n__other": 3}, "c"),  # a comparison that there is none of is equality
        ({"n__gte": 1, "s__contains": "o"}, "ab"),
        ({}, "abc"),
    ],
)
def test_comparisons(constraints, found):
    assert "".join(id for id, _ in find(DESK, "table", constraints)) == found


def test_as_many_as_are_asked_for():
    assert [id for id, _ in find(DESK, "table", {}, limit=2)] == ["a", "b"]
    assert [id for id, _ in find(DESK, "table", {"n": 3}, limit=1)] == ["c"]


def test_what_a_model_writes_is_no_reason_to_end():
    assert listing(DESK, "table", "{").startswith("Error: Invalid JSON: ")
    assert listing(DESK, "table", "[1]").startswith("Error querying database: ")
    assert listing(DESK, "table", '{"n": 9}') == "No records found in 'table'."
    assert listing(DESK, "table", '{"n": 2}').startswith("Found 1 record(s) in 'table':")
