"""The loader of data sets: the Hugging Face Hub, folders, JSONL, CSV, parquet, Dataset objects."""

import csv
import functools
import io
import itertools
import json
import sys
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from gem_ma.envs.tasks.question import Item, Task
from gem_ma.scene import Pixels
from gem_ma.validation.json_types import JSONMapping, JSONObject

EXTRA = "pip install 'gem-ma[datasets]'"
KINDS = (".jsonl", ".json", ".csv", ".parquet")
_lock = threading.Lock()  # one thread loads, and the others use the cached result


def load(data, split=None, subset=None, streaming=False, limit=None) -> Sequence[JSONMapping]:
    """Return the rows of a data set, which a process loads only once.

    Args:
        data: a file or folder of JSONL, JSON, CSV or parquet, a folder that `datasets` saved, a
            name on the Hub, a Dataset (or several by split) of `datasets`, or any sequence of
            mappings.
        split: the split to load; None: the only one, or all files of a folder. A file in a folder
            belongs to the split that it or its folder is named after. A single file is one split,
            with any name.
        subset: the configuration of a data set on the Hub that has several; None: its default.
        streaming: whether rows are read only when they are needed, in order from the first.
        limit: the number of first rows to use; None: all. It is needed for streaming, where the
            number of rows is not known.
    """
    if limit is not None and limit < 1:
        raise ValueError(f"limit={limit}: expected 1 or more rows")
    if streaming and limit is None:
        raise ValueError("streaming=True needs limit=, the number of rows to draw questions from")
    if isinstance(data, str | Path):
        path = Path(data).expanduser()
        if path.exists():
            data = path.resolve()
        elif path.suffix in KINDS or not _is_hub_name(str(data)):
            raise FileNotFoundError(
                f"data={str(data)!r}: no such file or folder; for a data set of the Hugging Face "
                "Hub, pass OWNER/NAME"
            )
        with _lock:
            return _load(data, split, subset, streaming, limit)
    return _rows(data, split, streaming, limit)


@functools.lru_cache(64)
def _load(data, split, subset, streaming, limit):
    if isinstance(data, str):
        return _rows(_from_hub(data, split, subset, streaming), split, streaming, limit)
    if data.is_dir() and any((data / n).exists() for n in ("state.json", "dataset_dict.json")):
        return _rows(_datasets().load_from_disk(str(data)), split, streaming, limit)
    return _rows(_from_files(data, split, streaming), None, streaming, limit)


def _rows(data, split, streaming, limit):
    """Return rows as a sequence: the data itself, or a Stream if it has no length."""
    source = data
    if isinstance(data, Mapping) and all(map(_may_be_rows, data.values())):
        data = _split(data, split)
    if not _may_be_rows(data):
        raise TypeError(
            f"data={repr(source)[:60]}: expected rows, such as a list of mappings from column to "
            "value, [{'question': ..., 'answer': ...}], or the path or Hub name of a data set"
        )
    if streaming or not hasattr(data, "__len__"):
        if limit is None:
            raise ValueError(
                f"a {type(data).__name__} has no length; pass limit=, the number of its first rows "
                "to draw questions from"
            )
        return Stream(data, limit)
    if not len(data):
        raise ValueError("the data set has no rows; expected at least one")
    return data if limit is None else First(data, limit)


def _may_be_rows(data):
    """Return whether a value looks like rows, and not like a single row or column."""
    if isinstance(data, list | tuple):
        return all(isinstance(row, Mapping) for row in data[:1])
    if isinstance(data, str | bytes | Mapping):
        return False
    return isinstance(data, Iterable) or hasattr(data, "__getitem__")


def _split(splits, split):
    if split is None and len(splits) == 1:
        return next(iter(splits.values()))
    if split not in splits:
        raise ValueError(f"split={split!r}: expected one of {', '.join(map(repr, splits))}")
    return splits[split]


class First(Sequence[JSONMapping]):
    """The first rows of a longer sequence."""

    def __init__(self, rows, limit):
        self.rows, self.length = rows, min(limit, len(rows))

    def __len__(self):
        return self.length

    def __getitem__(self, index):
        if index >= self.length:
            raise IndexError(f"row {index} of {self.length}")
        return self.rows[index]


class Stream(Sequence[JSONMapping]):
    """The first rows of an iterable, which is read further when a later row is needed."""

    def __init__(self, rows, limit):
        self.rest, self.limit = iter(rows), limit
        self.read: list[JSONMapping] = []
        self.lock = threading.Lock()

    def __len__(self):
        return self.limit

    def __getitem__(self, index):
        if index >= self.limit:
            raise IndexError(f"row {index} of {self.limit}")
        if index >= len(self.read):
            with self.lock:
                self.read.extend(itertools.islice(self.rest, index + 1 - len(self.read)))
        if index >= len(self.read):
            count = len(self.read)
            raise ValueError(f"limit={self.limit}: there are only {count} rows; use limit={count}")
        return self.read[index]


def _from_files(path, split, streaming):
    files = [path]
    if path.is_dir():
        files = sorted(f for f in path.rglob("*") if f.suffix in KINDS and f.is_file())
        if split is not None:
            split_files = [f for f in files if split in _words(f.stem) or f.parent.name == split]
            if files and not split_files:
                names = ", ".join(f.name for f in files[:8])
                raise ValueError(
                    f"split={split!r}: {path} has no file or folder of this name; its files are "
                    f"{names}"
                )
            files = split_files
    kinds = {f.suffix for f in files}
    if len(kinds) != 1 or not kinds <= set(KINDS):
        kind_names = ", ".join(sorted(kinds)) or "nothing"
        raise ValueError(f"{path}: expected files of one kind out of {KINDS}, found {kind_names}")
    (kind,) = kinds
    if kind == ".parquet":
        return _parquet(files, streaming)
    rows = itertools.chain.from_iterable(map(_READERS[kind], files))
    return rows if streaming else list(rows)


def _words(stem):
    return stem.replace("_", "-").replace(".", "-").split("-")


def _jsonl(path) -> Iterator[JSONObject]:
    with path.open(encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            if line.strip():
                yield _object(path, number, line)


def _object(path, number, text):
    try:
        row = json.loads(text)
    except ValueError as error:
        raise ValueError(f"{path}, line {number} is not valid JSON: {error}") from None
    if not isinstance(row, dict):
        raise ValueError(f"{path}, line {number}: expected an object, got {type(row).__name__}")
    return row


def _json(path):
    try:
        rows = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise ValueError(f"{path} is not valid JSON: {error}") from None
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise ValueError(
            f"{path}: expected a list of objects; the name of a file with an object on each line "
            "ends in .jsonl"
        )
    return rows


def _csv(path):
    text = path.read_text(encoding="utf-8-sig")
    with _lock_csv:  # the limit is global to the process, and fields with tests are long
        old_limit = csv.field_size_limit(sys.maxsize)
        try:
            rows = list(csv.DictReader(io.StringIO(text, newline=""), strict=True))
        except csv.Error as error:
            raise ValueError(f"{path}: {error}") from None
        finally:
            csv.field_size_limit(old_limit)
    return [{name: _cell(value) for name, value in row.items()} for row in rows]


_lock_csv = threading.Lock()
_READERS = {".jsonl": _jsonl, ".json": _json, ".csv": _csv}


def _cell(text):
    """Return the value of a CSV cell: a list or object if it is written in JSON, else the text."""
    if text and text[0] in "[{":
        try:
            return json.loads(text)
        except ValueError:
            pass  # text that begins with a bracket
    return text


def _parquet(files, streaming):
    try:
        from pyarrow import parquet
    except ImportError:
        raise ImportError(f"{files[0]}: reading parquet needs pyarrow: {EXTRA}") from None
    if streaming:
        batches = (b for f in files for b in parquet.ParquetFile(f).iter_batches(batch_size=256))
        return (row for batch in batches for row in batch.to_pylist())
    return Table([parquet.read_table(file, memory_map=True) for file in files])


class Table(Sequence[JSONMapping]):
    """The rows of Arrow tables, converted when they are read."""

    def __init__(self, tables):
        from pyarrow import concat_tables

        self.table = concat_tables(tables)

    def __len__(self):
        return self.table.num_rows

    def __getitem__(self, index):
        return self.table.slice(index, 1).to_pylist()[0]


def _is_hub_name(name):
    parts = name.split("/")
    return len(parts) <= 2 and all(p and p[0] != "." and p.isprintable() for p in parts)


def _datasets():
    try:
        import datasets
    except ImportError:
        raise ImportError(f"this data set needs the package datasets: {EXTRA}") from None
    return datasets


def _from_hub(name, split, subset, streaming):
    datasets = _datasets()
    try:
        return datasets.load_dataset(name, subset, split=split, streaming=streaming)
    except OSError as error:  # no connection, no such data set, or one that needs a log-in
        raise ConnectionError(
            f"data set {name!r} cannot be loaded from the Hugging Face Hub "
            f"({type(error).__name__}: {str(error)[:200]}). Either connect (HF_ENDPOINT names a "
            f"mirror, HF_TOKEN logs in), or download it elsewhere (hf download {name} "
            "--repo-type dataset --local-dir FOLDER) and pass data='FOLDER'"
        ) from error


class DataTask(Task):
    """A task whose questions are the rows of a data set.

    See `load` for data, split, subset, streaming and limit. question, answer and images are names
    of columns. With a column of images, seats see text and picture, unless `observe=` says
    otherwise.
    """

    def __init__(
        self,
        data: object,
        split: str | None = None,
        question: str = "problem",
        answer: str = "answer",
        images: str | None = None,
        subset: str | None = None,
        streaming: bool = False,
        limit: int | None = None,
        tries: int = 1,
    ):
        super().__init__(tries)
        self.columns = question, answer, images
        self.rows = load(data, split, subset, streaming, limit)
        self.size = len(self.rows)
        self.folder = Path(data) if isinstance(data, str | Path) else Path()
        first = self.rows[0]
        for argument, name in zip(("question", "answer", "images"), self.columns, strict=True):
            if name is not None and name not in first:
                raise ValueError(
                    f"{argument}={name!r}: there is no such column; the columns are "
                    f"{', '.join(map(repr, first))}"
                )
        self._right(0, first)  # reports rows of another form at once
        if images is not None:
            self.env_defaults = {"observe": "both"}
            self._pictures(0, first)

    def make(self, index):
        row = self.rows[index]
        question, _, images = self.columns
        pictures: tuple[Pixels, ...] = ()
        text = str(row[question])
        if images is not None:
            pictures = self._pictures(index, row)
            text = text.replace("<image>", "").strip()
        return Item(text, *self._right(index, row), pictures)

    def _right(self, index, row) -> tuple[str, object]:
        """Return one right answer of a row, and the key that answers are graded against."""
        name = self.columns[1]
        try:
            keyed_answer = self.keyed(row[name])
        except (ArithmeticError, LookupError, TypeError, ValueError) as error:
            raise ValueError(f"row {index}: {name}: {error}") from error
        if not keyed_answer[1]:
            raise ValueError(f"row {index}: {name}: the cell is empty; expected an answer")
        return keyed_answer

    def keyed(self, answer) -> tuple[str, object]:
        """Return one right answer, and the key that answers are graded against."""
        answers = tuple([str(item) for item in _listed(answer)])
        return answers[0] if answers else "", answers

    def _pictures(self, index, row) -> tuple[Pixels, ...]:
        name = self.columns[2]
        images = row[name]
        if isinstance(images, Mapping) or hasattr(images, "convert"):  # one, and no list of them
            images = [images]
        try:
            return tuple([self._picture(image) for image in _listed(images)])
        except (OSError, TypeError, ValueError, AttributeError) as error:
            raise ValueError(
                f"row {index}: {name}: {type(error).__name__}: {error}; expected pictures of PIL, "
                "as bytes or as paths"
            ) from error

    def _picture(self, image):
        """Return a picture that a data set has as an image, as bytes or as a path."""
        from PIL import Image

        if isinstance(image, Mapping):
            image = image.get("bytes") or image.get("path")
        if isinstance(image, bytes):
            image = Image.open(io.BytesIO(image))
        elif isinstance(image, str | Path):
            near = self.folder if self.folder.is_dir() else self.folder.parent
            image = Image.open(near / image)
        if image.mode != "RGB":  # transparent pictures are drawn for a white background
            image = image.convert("RGBA")
            image = Image.alpha_composite(Image.new("RGBA", image.size, "white"), image)
            image = image.convert("RGB")
        return Pixels(image.tobytes(), image.height, image.width)


def _listed(value):
    if value is None:
        return []
    if isinstance(value, list | tuple):
        return value
    return value.tolist() if hasattr(value, "tolist") else [value]
