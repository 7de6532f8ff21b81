"""Folders of models from strangers: no pickle in them is loaded, and no code of theirs is run."""

import contextlib
import io
import json
import pickle
import shutil
import sys

import pytest
from needed import needed

needed("transformers", install="'gem-ma[hf]'")
jinja2 = needed("jinja2", install="'gem-ma[hf]'")
needed("torch", install="'gem-ma[hf]'")

from gem_ma.agents.hf import HFAgent


class Bomb:
    """Write a file, once it is unpickled."""

    def __init__(self, path):
        self.path = str(path)

    def __reduce__(self):
        return exec, (f"open({self.path!r}, 'w').close()",)


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    import tiny_models

    folder = tmp_path_factory.mktemp("model") / "good"
    tokenizer = tiny_models.tokenizer()
    tiny_models.llm(tokenizer).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


@pytest.fixture
def folder(source, tmp_path):
    return shutil.copytree(source, tmp_path / "model")


def change(file, **entries):
    file.write_text(json.dumps({**json.loads(file.read_text()), **entries}))


def refuse_pickles(folder, mark):
    (folder / "model.safetensors").unlink()
    (folder / "pytorch_model.bin").write_bytes(pickle.dumps(Bomb(mark), 2))


def refuse_archives(folder, mark):
    import torch

    (folder / "model.safetensors").unlink()
    torch.save({"model.embed_tokens.weight": Bomb(mark)}, folder / "pytorch_model.bin")


def refuse_code_of_models(folder, mark):
    (folder / "hurt.py").write_text(f"open({str(mark)!r}, 'w').close()\nclass Hurt: pass\n")
    names = ("AutoConfig", "AutoModelForCausalLM", "AutoTokenizer", "AutoProcessor")
    change(folder / "config.json", auto_map=dict.fromkeys(names, "hurt.Hurt"), model_type="hurt")


def refuse_code_of_tokenizers(folder, mark):
    (folder / "hurt.py").write_text(f"open({str(mark)!r}, 'w').close()\nclass Hurt: pass\n")
    auto_map = {"AutoTokenizer": ["hurt.Hurt", "hurt.Hurt"]}
    change(folder / "tokenizer_config.json", auto_map=auto_map, tokenizer_class="Hurt")


ATTEMPTS = [refuse_pickles, refuse_archives, refuse_code_of_models, refuse_code_of_tokenizers]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("attempt", ATTEMPTS)
def test_nothing_of_a_folder_is_run(attempt, folder, tmp_path, monkeypatch):
    mark = tmp_path / "hurt"
    attempt(folder, mark)
    monkeypatch.setattr(sys, "stdin", io.StringIO("y\n" * 100))  # whatever somebody answers
    before = set(sys.modules)
    if attempt is refuse_code_of_tokenizers:
        with contextlib.suppress(ValueError):  # newer releases read it as one of their own
            HFAgent(str(folder))
    else:
        with pytest.raises((ValueError, OSError, pickle.UnpicklingError)):
            HFAgent(str(folder))
    assert not mark.exists()
    assert not [name for name in set(sys.modules) - before if "hurt" in name]


def test_the_folder_itself_is_good(folder):
    assert HFAgent(str(folder))


def test_a_template_runs_nothing(folder, tmp_path):
    """A chat's template is a program too: it reaches nothing of Python's."""
    mark, chat = tmp_path / "hurt", [{"role": "user", "content": "a"}]
    for template in (
        f"{{{{ ''.__class__.__mro__[1].__subclasses__() }}}}{mark}",
        f"{{{{ messages.__init__.__globals__['os'].system('touch {mark}') }}}}",
        f"{{{{ cycler.__init__.__globals__.os.popen('touch {mark}').read() }}}}",
        f"{{{{ self.__init__.__globals__.__builtins__.open('{mark}', 'w') }}}}",
    ):
        (folder / "chat_template.jinja").write_text(template)
        agent = HFAgent(str(folder))
        with pytest.raises(jinja2.TemplateError, match=r"unsafe|undefined"):
            agent.tokens.tokenizer.apply_chat_template(chat, tokenize=False)
        assert not mark.exists()
