"""An info that is made when it is read is the dict that it stands for, whoever reads it."""

import copy
import json
import pickle

import pytest

import gem_ma
from gem_ma.engine.lazy_info import LazyInfo

WHOLE = {"to_act": True, "a": 1, "b": [2]}
READERS = {
    "dict": dict,
    "unpacked": lambda info: {**info},
    "as arguments": lambda info: (lambda **named: named)(**info),
    "copy": lambda info: info.copy(),
    "copy.copy": copy.copy,
    "copy.deepcopy": copy.deepcopy,
    "pickle": lambda info: pickle.loads(pickle.dumps(info)),
    "json": lambda info: json.loads(json.dumps(info)),
    "items": lambda info: dict(info.items()),
    "keys": lambda info: {key: WHOLE[key] for key in info},
    "joined": lambda info: {} | info,
    "joined to": lambda info: info | {},
    "got": lambda info: {key: info.get(key) for key in WHOLE},
    "indexed": lambda info: {key: info[key] for key in WHOLE},
    "updated": lambda info: (made := {}).update(info) or made,
    "eval": lambda info: eval(repr(info)),
}


def make_info():
    calls = []
    info = LazyInfo({"to_act": True})
    info.source = lambda *args: calls.append(args) or {"a": 1, "b": [2]}, 7
    return info, calls


@pytest.mark.parametrize("reader", READERS)
def test_whoever_reads_it_finds_all_of_it(reader):
    info, calls = make_info()
    assert READERS[reader](info) == WHOLE
    assert READERS[reader](info) == WHOLE
    assert calls == [(7,)]


def test_it_compares_counts_and_looks_as_what_it_stands_for():
    assert make_info()[0] == WHOLE
    assert WHOLE == make_info()[0]  # noqa: SIM300 - a dict that is asked first
    assert not make_info()[0].__ne__(WHOLE)
    assert "b" in make_info()[0]
    assert len(make_info()[0]) == 3
    assert list(reversed(make_info()[0])) == ["b", "a", "to_act"]
    assert repr(make_info()[0]) == repr(WHOLE)


def test_what_is_written_into_it_stays():
    info, calls = make_info()
    info["a"] = 5
    assert calls == []
    assert info == {**WHOLE, "a": 5}
    info, _ = make_info()
    assert (info.pop("a"), info.setdefault("b", 3), info.popitem()) == (1, [2], ("b", [2]))
    assert info == {"to_act": True}
    info, _ = make_info()
    del info["b"]
    info |= {"c": 4}
    assert info == {"to_act": True, "a": 1, "c": 4}
    info, _ = make_info()
    info.update(d=5)
    info.clear()
    assert (info, len(info)) == ({}, 0)


def test_no_way_to_read_a_dict_was_forgotten():
    writes = {"__setitem__", "update", "fromkeys", "__getitem__"}
    others = {"__class_getitem__", "__getattribute__", "__hash__", "__init__", "__new__"}
    others |= {"__doc__", "__sizeof__", "__ge__", "__gt__", "__le__", "__lt__"}
    own = {name for name in vars(dict) if vars(LazyInfo).get(name) is not None}
    assert set(vars(dict)) - own == writes | others - {"__doc__"}


def test_an_info_says_what_was_legal_when_it_was_made():
    view = gem_ma.make("game:ConnectFour-v0").gym(agent="red", others="random")
    _, first = view.reset(seed=1)
    while not (result := view.step("3"))[4].get("invalid"):
        assert result[2:4] == (False, False)  # the column is full before the game is over
    assert "3" not in result[4]["legal_actions"]
    assert first["legal_actions"] == [str(column) for column in range(7)]
    assert first["action_mask"].tolist() == [1] * 7
