"""ShareGPT, against the converter and formatters of LLaMA-Factory 0.9.5."""

import importlib
import importlib.util
import json
import sys
import types
from types import SimpleNamespace

import pytest
import record_kinds

from gem_ma.rollouts.formats.sharegpt import write_sharegpt

INSTALL = "pip install --no-deps llamafactory==0.9.5, and datasets, transformers, peft, trl"


def write(episodes, tmp_path, **options):
    write_sharegpt(episodes, tmp_path / "out.json", **options)
    return json.loads((tmp_path / "out.json").read_text("utf-8"))


@pytest.fixture(scope="module")
def factory():
    """Return the converter of ShareGPT and the formatter of calls.

    The package around them imports libraries for sound and video, so only their files are loaded.
    """
    found = importlib.util.find_spec("llamafactory")
    if found is None:
        pytest.skip(INSTALL)
    folder = types.ModuleType("llamafactory.data")
    folder.__path__ = [f"{found.submodule_search_locations[0]}/data"]
    sys.modules["llamafactory.data"] = folder
    try:
        names = ("converter", "parser", "formatter")
        return SimpleNamespace(
            **{name: importlib.import_module(f"llamafactory.data.{name}") for name in names}
        )
    except ImportError:
        pytest.skip(INSTALL)
    finally:
        for name in [name for name in sys.modules if name.startswith("llamafactory.data")]:
            del sys.modules[name]


@pytest.mark.slow
@pytest.mark.parametrize("kind", record_kinds.KINDS)
def test_every_kind_of_record_is_read(kind, tmp_path, factory):
    columns = {"system": "system", "tools": "tools", "images": "images"}
    about = factory.parser.DatasetAttr("file", dataset_name="out", formatting="sharegpt", **columns)
    convert = factory.converter.SharegptDatasetConverter(
        about, SimpleNamespace(media_dir=str(tmp_path))
    )
    calls = factory.formatter.FunctionFormatter(slots=["{{content}}"], tool_format="qwen")
    tools = factory.formatter.ToolFormatter(tool_format="qwen")
    for row in write(record_kinds.record(kind), tmp_path):
        read = convert({"system": "", "tools": "", "images": None, **row})
        assert read["_response"], "it was left out as broken"
        said = [*read["_prompt"], *read["_response"]]
        assert len(said) == len(row["conversations"])
        for message in said:
            if message["role"] == "function":
                calls.apply(content=message["content"], thought_words=("<think>", "</think>"))
        if row.get("tools"):
            (text,) = tools.apply(content=row["tools"])
            assert all(tool["name"] in text for tool in json.loads(row["tools"]))
        marks = sum(message["content"].count("<image>") for message in said)
        assert marks == len(read["_images"] or ())
        assert all(path.startswith(str(tmp_path)) for path in read["_images"] or ())


@pytest.mark.parametrize("kind", record_kinds.KINDS)
def test_what_is_read_and_what_is_replied_take_turns(kind, tmp_path):
    for row in write(record_kinds.record(kind), tmp_path):
        senders = [one["from"] for one in row["conversations"]]
        assert set(senders[::2]) <= {"human", "observation"}
        assert set(senders[1::2]) <= {"gpt", "function_call"}
        assert len(senders) % 2 == 0
        assert "<image>" not in row.get("system", "")
        marks = sum(one["value"].count("<image>") for one in row["conversations"])
        assert marks == len(row.get("images", ()))
        assert all((tmp_path / path).read_bytes() for path in row.get("images", ()))


def test_thoughts_stand_before_replies(tmp_path):
    (row, *_) = write(record_kinds.record("thoughts"), tmp_path)
    said = [one["value"] for one in row["conversations"] if one["from"] == "gpt"]
    assert said[0] == "<think>\nI see \U0001f600\n</think>\n\n0"


def test_calls_and_results(tmp_path):
    (row, *_) = write(record_kinds.record("native calls"), tmp_path)
    _, called, result, *_ = row["conversations"]
    assert called["from"] == "function_call"
    assert json.loads(called["value"]) == [
        {"name": "look", "arguments": {"cell": 1}},
        {"name": "look", "arguments": {"cell": 2}},
    ]
    assert result["from"] == "observation"
    assert result["value"].startswith("cell 1 looks free\nand nice\ncell 2")
    assert [tool["name"] for tool in json.loads(row["tools"])] == ["look"]
