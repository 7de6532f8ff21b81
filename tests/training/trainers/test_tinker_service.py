"""Tinker's cookbook and client against a stand-in of the service, over HTTP."""

import sys
from pathlib import Path

import pytest
from trainers import Letters

EXAMPLE = Path(__file__).parents[3] / "examples/train/tinker_games.py"


@pytest.fixture
def service(monkeypatch):
    """A stand-in of the service, which the client finds by its variables."""
    pytest.importorskip("tinker_cookbook", reason="pip install tinker-cookbook==0.5.8 torch")
    from tinker_service import Service

    with Service() as running:
        monkeypatch.setenv("TINKER_API_KEY", "tml-none")
        monkeypatch.setenv("TINKER_BASE_URL", running.url)
        monkeypatch.setenv("TINKER_TELEMETRY", "0")
        yield running


@pytest.fixture
def model():
    """The name under which the cookbook finds a tokenizer of bytes."""
    from tinker_cookbook import tokenizer_utils

    tokenizer_utils.register_tokenizer("bytes", Letters)
    yield "bytes"
    tokenizer_utils.unregister_tokenizer("bytes")


@pytest.fixture
def example(monkeypatch, tmp_path, model):
    """A function that runs the example in this process."""
    import importlib.util

    spec = importlib.util.spec_from_file_location("tinker_games", EXAMPLE)
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "tinker_games", module)  # chz looks for its classes there
    spec.loader.exec_module(module)

    def run(*arguments):
        given = ["--model", model, "--renderer", "role_colon", "--max-tokens", "1"]
        given += ["--out", str(tmp_path / "out"), "--batches", "2", "--lr", "0.3"]
        monkeypatch.setattr("sys.argv", ["tinker_games.py", *given, *map(str, arguments)])
        module.main()

    return run


@pytest.mark.filterwarnings("ignore")
def test_tinker_trains_one_model_by_the_cookbooks_own_trainer(service, example, tmp_path):
    example("--groups", 1, "--games", 3)
    (trained,) = service.models.values()
    assert len(trained.learnt) >= 2 * 3
    assert any(any(row) for row in trained.learnt)
    metrics = (tmp_path / "out" / "metrics.jsonl").read_text().splitlines()
    assert len(metrics) == 2
    assert "return/x" in metrics[0]


@pytest.mark.filterwarnings("ignore")
def test_tinker_trains_a_model_for_each_seat(service, example, capsys):
    import torch

    example("--groups", 1, "--games", 3, "--apart")
    x, o = service.models.values()
    assert x.learnt
    assert o.learnt
    assert not torch.equal(x.table, o.table)
    assert all(abs(value) <= 2.0 for model in (x, o) for row in model.learnt for value in row)
    said = capsys.readouterr().out.splitlines()
    assert [line.split(":")[0] for line in said] == [f"batch {n}" for n in range(2)]
