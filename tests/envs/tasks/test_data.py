"""The loader, on files in the columns of the data sets that have ids, and tasks played on them."""

import base64
import csv
import io
import json
import pickle
import subprocess
import sys

import numpy as np
import pytest
from PIL import Image

import gem_ma
from gem_ma.envs.tasks import data, epoch
from gem_ma.envs.tasks.data import DataTask, load
from gem_ma.envs.tasks.mathematics import Math
from gem_ma.envs.tasks.programming import Code
from gem_ma.envs.tasks.qa import QA
from gem_ma.testing import check_env

DOUBLE = "```python\nprint(2 * int(input()))\n```"
TRIPLE = "```python\ndef triple(n):\n    return 3 * n\n```"
STDIN = {"inputs": ["1\n", "4\n"], "outputs": ["2\n", "8\n"]}
CALLED = {"fn_name": "triple", "inputs": [[1], [4]], "outputs": [[3], [12]]}


def photo(color=(255, 0, 0), size=(40, 30), mode="RGB"):
    file = io.BytesIO()
    Image.new(mode, size, color).save(file, "PNG")
    return file.getvalue()


# By the ids: rows as the Hub has them, and for each a right reply.
ROWS = {
    ("math:ASDiv2K", "math:GSM8K", "math:Math12K", "math:Math8K-3to5", "math:Orz57K"): [
        ({"problem": f"What is {n} + {n}?", "answer": str(2 * n)}, rf"\boxed{{{2 * n}}}")
        for n in range(5)
    ],
    ("math:DeepScaleR40K", "eval:MATH500", "eval:AMC", "eval:AIME24", "eval:Minerva"): [
        ({"problem": "Half of one?", "answer": r"\frac{1}{2}", "solution": "..."}, "0.5"),
        ({"problem": "One and one?", "answer": "2", "solution": "..."}, r"So \boxed{2}."),
    ],
    ("eval:OlympiadBench",): [({"problem": "Which?", "answer": ["3", "4"]}, r"\boxed{4}")],
    ("code:CodeContest", "code:Taco8k", "code:PrimeIntellect15k", "eval:CodeContest"): [
        ({"problem": "Print it twice as large.", "tests": json.dumps(STDIN)}, DOUBLE),
        ({"problem": "Write triple.", "tests": json.dumps(CALLED)}, TRIPLE),
    ],
    ("qa:NaturalQuestions", "qa:HotpotQA"): [
        ({"problem": "Capital of France?", "answer": ["Paris", "City of Paris"]}, r"\boxed{paris}"),
        ({"problem": "Who?", "answer": ["the Queen"]}, "<answer>Queen</answer>"),
    ],
    (
        "eval:QaOpen",
        "eval:2Wiki",
        "eval:PopQA",
        "eval:TriviaQA",
        "eval:HotpotQA",
        "eval:Bamboogle",
        "eval:NaturalQuestions",
        "eval:Musique",
    ): [({"question": "Where?", "answer": ["Rome", "Roma"], "data_source": "nq"}, "roma")],
    tuple([f"logic:RuleTaker-d{depth}" for depth in (0, 1, 2, 3, 5)]): [
        ({"question": "Bob is big. Is Bob big?", "answer": "True"}, r"\boxed{true}"),
        ({"question": "Bob is big. Is Bob small?", "answer": "False"}, "False."),
    ],
}
CASES = [
    (id, rows, kind)
    for ids, rows in ROWS.items()
    for place, id in enumerate(ids)
    for kind in ((".jsonl", ".csv", ".parquet") if place == 0 else (".parquet",))
]


def write(path, rows):
    if path.suffix == ".jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    elif path.suffix == ".csv":
        with path.open("w", newline="") as file:
            writer = csv.DictWriter(file, rows[0])
            writer.writeheader()
            for row in rows:
                plain = {k: v if isinstance(v, str) else json.dumps(v) for k, v in row.items()}
                writer.writerow(plain)
    else:
        pyarrow = pytest.importorskip("pyarrow", reason="pip install 'gem-ma[datasets]'")
        from pyarrow import parquet

        parquet.write_table(pyarrow.Table.from_pylist(rows), path)
    return str(path)


def make(id, **kwargs):
    """Make a registered environment on other data, whatever of its needs is not there."""
    spec = gem_ma.spec(id)
    assert "hub" in spec.needs
    game, options = {"M": Math, "Q": QA, "C": Code}[spec.entry_point.split(":")[1][0]], {}
    arguments = {**spec.kwargs, **kwargs}
    for name in ("format", "observe"):
        if name in arguments:
            options[name] = arguments.pop(name)
    return gem_ma.Env(game(**arguments), id=id, **options)


@pytest.mark.parametrize(("id", "rows", "kind"), CASES, ids=[id + kind for id, _, kind in CASES])
def test_every_id_is_played_on_rows_of_its_columns(tmp_path, id, rows, kind):
    if id.startswith(("math", "eval")):
        pytest.importorskip("math_verify", reason="pip install 'gem-ma[math]'")
    env = make(id, data=write(tmp_path / f"rows{kind}", [row for row, _ in rows]))
    assert env.game.size == len(rows)
    for index, (row, reply) in enumerate(rows):
        env.reset(seed=0, options={"index": index})
        question = row.get("problem", row.get("question"))
        assert question in env.observe("player")["text"]
        env.submit({"player": reply})
        assert env.game_state.score == 1, env.info("player")
        env.reset(seed=0, options={"index": index})
        env.submit({"player": r"```python" "\nprint('no')\n```" if "ode" in id else r"\boxed{no}"})
        assert env.game_state.score == 0


@pytest.mark.parametrize("how", ["parquet", "jsonl with paths", "objects"])
def test_geometry_with_pictures_is_played(tmp_path, how):
    rows = [
        {"problem": "<image>Find x.", "answer": "5", "images": [{"bytes": photo(), "path": None}]},
        {
            "problem": "<image><image>Find y.",
            "answer": r"2\sqrt{2}",
            "images": [
                {"bytes": photo((0, 0, 255)), "path": None},
                {"bytes": photo((0, 0, 0, 0), (20, 20), "RGBA"), "path": None},
            ],
        },
    ]
    source = rows
    if how == "parquet":
        source = write(tmp_path / "train.parquet", rows)
    elif how == "objects":
        for row in rows:
            row["images"] = [Image.open(io.BytesIO(image["bytes"])) for image in row["images"]]
    else:
        for number, row in enumerate(rows):
            for i, image in enumerate(row["images"]):
                (tmp_path / f"{number}-{i}.png").write_bytes(image["bytes"])
            row["images"] = [f"{number}-{i}.png" for i in range(len(row["images"]))]
        source = write(tmp_path / "train.jsonl", rows)
    env = make("math:Geometry3K", data=source)
    env.reset(seed=0, options={"index": 0})
    seen = env.observe("player")
    assert seen["image"].shape == (252, 252, 3)
    reds = (seen["image"] == (255, 0, 0)).all(axis=2).mean()
    assert reds > 0.3
    assert "Find x." in env.rules("player")
    assert "<image>" not in env.rules("player")
    assert "40 x 30" in seen["text"]
    env.submit({"player": r"\boxed{5}"})
    assert env.game_state.score == 1
    env.reset(seed=0, options={"index": 1})
    two = env.game.item(1).pictures
    assert [(p.width, p.height) for p in two] == [(40, 30), (20, 20)]
    assert set(two[1].data) == {255}  # what was transparent is white
    assert env.observe("player")["image"].std() > 0


@pytest.mark.parametrize("how", ["in memory", "on disk", "parquet", "not decoded"])
def test_pictures_of_the_library_datasets_are_shown(tmp_path, how):
    """The library datasets 5.2 (2026-11) has pictures as objects of PIL, or as bytes."""
    datasets = pytest.importorskip("datasets", reason="pip install 'gem-ma[datasets]'")
    image, path = Image.open(io.BytesIO(photo())), tmp_path / "set.parquet"
    rows = {"question": ["How long is x?"], "label": ["5"], "figure": [image]}
    features = datasets.Features(
        question=datasets.Value("string"), label=datasets.Value("string"), figure=datasets.Image()
    )
    source = datasets.Dataset.from_dict(rows, features=features)
    if how == "on disk":
        source.save_to_disk(tmp_path / "set")
        source = str(tmp_path / "set")
    elif how == "parquet":
        source.to_parquet(path)
        source = str(path)
    elif how == "not decoded":
        source = source.cast_column("figure", datasets.Image(decode=False))
    columns = {"question": "question", "answer": "label", "images": "figure"}
    env = gem_ma.make("math:Data", data=source, **columns)
    env.reset(seed=0)
    seen = env.observe("player")
    assert seen["image"].shape == (252, 252, 3)
    assert (seen["image"] == (255, 0, 0)).all(axis=2).mean() > 0.3
    assert "40 x 30" in seen["text"]
    text = gem_ma.make("math:Data", data=source, observe="text", **columns)
    text.reset(seed=0)
    assert set(text.observe("player")) == {"text"}


def test_a_picture_that_cannot_be_read_is_named():
    rows = [{"problem": "x?", "answer": "1", "images": photo()} for _ in range(2)]
    for images in (b"no picture", "nowhere.png", 5, [None], {"path": None}):
        with pytest.raises(ValueError, match=r"row 0: images: .*; expected pictures of PIL"):
            gem_ma.make("math:Data", data=[{**rows[0], "images": images}], images="images")
        env = gem_ma.make(
            "math:Data", data=[rows[0], {**rows[1], "images": images}], images="images"
        )
        with pytest.raises(ValueError, match="row 1: images: "):
            env.reset(options={"index": 1})


def test_data_tasks_keep_the_contract(tmp_path):
    pytest.importorskip("math_verify", reason="pip install 'gem-ma[math]'")
    pytest.importorskip("datasets", reason="pip install 'gem-ma[datasets]'")
    rows = [row for row, _ in CASES[0][1]]
    check_env(make("math:GSM8K", data=write(tmp_path / "a.jsonl", rows)), seeds=1)
    rows = [{"problem": "x?", "answer": str(n), "images": [photo((n, 0, 0))]} for n in range(9)]
    check_env(make("math:Geometry3K", data=write(tmp_path / "b.parquet", rows)), seeds=1)
    rows = [row for row, _ in ROWS["qa:NaturalQuestions", "qa:HotpotQA"]]
    env = make("qa:HotpotQA", data=write(tmp_path / "c.csv", rows), score="f1", tries=3)
    check_env(env, seeds=1)


def test_a_seed_asks_the_same_question_and_an_epoch_asks_all_of_them_once(tmp_path):
    rows = [{"problem": f"{n}?", "answer": str(n)} for n in range(50)]
    path = write(tmp_path / "a.jsonl", rows)
    one, two = (gem_ma.Env(Math(data=path)) for _ in range(2))
    asked = []
    for seed in range(20):
        one.reset(seed=seed)
        two.reset(seed=seed)
        assert one.game_state == two.game_state
        asked.append(one.game_state.index)
    assert asked[:6] == [23, 18, 38, 41, 21, 30]  # on every machine
    order = epoch(one, seed=1)
    assert order == epoch(one.game, 1) != epoch(one, 2)
    assert sorted(option["index"] for option in order) == list(range(50))
    parts = [epoch(one, 1, part=(i, 3)) for i in range(3)]
    assert sorted(o["index"] for part in parts for o in part) == list(range(50))
    with pytest.raises(ValueError, match="0 <= i < n"):
        epoch(one, 1, part=(3, 3))
    episodes = gem_ma.rollout(one, "random", 50, options=order, seed=0)
    assert sorted(e.report["index"] for e in episodes) == list(range(50))


def test_bad_indices_are_refused(tmp_path):
    env = gem_ma.Env(Math(data=[{"problem": "?", "answer": "1"}]))
    with pytest.raises(ValueError, match="questions 0 to 0"):
        env.reset(options={"index": 1})
    with pytest.raises(ValueError, match="questions 0 to 0"):
        env.reset(options={"index": -1})
    with pytest.raises(TypeError, match="expected an int"):
        env.reset(options={"index": "1"})
    env.reset(options={"index": np.int64(0)})


def test_small_files_need_no_other_package(tmp_path, monkeypatch):
    for name in ("datasets", "pyarrow"):
        monkeypatch.setitem(sys.modules, name, None)  # as if they were not installed
    rows = [{"problem": "?", "answer": "1"}]
    for name in ("a.jsonl", "a.csv"):
        assert list(load(write(tmp_path / name, rows))) == rows
    (tmp_path / "a.json").write_text(json.dumps(rows))
    assert list(load(tmp_path / "a.json")) == rows
    (tmp_path / "a.parquet").write_bytes(b"")
    with pytest.raises(ImportError, match=r"gem-ma\[datasets\]"):
        load(tmp_path / "a.parquet")
    with pytest.raises(ImportError, match=r"gem-ma\[datasets\]"):
        load("someone/something")


def test_folders_have_splits(tmp_path):
    for split, many in (("train", 3), ("test", 2)):
        rows = [{"problem": split, "answer": str(n)} for n in range(many)]
        write(tmp_path / f"{split}-00000-of-00001.jsonl", rows)
    assert len(load(tmp_path, "train")) == 3
    assert [row["problem"] for row in load(tmp_path, "test")] == ["test"] * 2
    assert len(load(tmp_path)) == 5
    with pytest.raises(ValueError, match=r"of this name; its files are test-00000-of-00001\.jsonl"):
        load(tmp_path, "dev")
    (tmp_path / "deep" / "dev").mkdir(parents=True)
    write(tmp_path / "deep" / "dev" / "a.jsonl", [{"problem": "dev", "answer": "1"}])
    assert len(load(tmp_path, "dev")) == 1
    (tmp_path / "empty").mkdir()
    with pytest.raises(ValueError, match="found nothing"):
        load(tmp_path / "empty")


def test_objects_of_datasets(tmp_path):
    datasets = pytest.importorskip("datasets", reason="pip install 'gem-ma[datasets]'")
    rows = [{"problem": f"{n}?", "answer": str(n)} for n in range(5)]
    whole = datasets.Dataset.from_list(rows)
    env = gem_ma.Env(Math(data=whole))
    env.reset(seed=3, options={"index": 4})
    assert env.game_state.question == "4?"
    splits = datasets.DatasetDict({"train": whole, "test": whole.select(range(2))})
    assert len(load(splits, "test")) == 2
    with pytest.raises(ValueError, match="expected one of 'train', 'test'"):
        load(splits)
    splits.save_to_disk(tmp_path / "saved")
    assert len(load(tmp_path / "saved", "train")) == 5
    stream = whole.to_iterable_dataset()
    assert [row["problem"] for row in load(stream, limit=3)] == ["0?", "1?", "2?"]
    with pytest.raises(ValueError, match="no length"):
        load(stream)


@pytest.mark.parametrize("kind", [".jsonl", ".csv", ".parquet"])
def test_streaming_reads_on_when_it_has_to(tmp_path, kind):
    rows = [{"problem": f"{n}?", "answer": str(n)} for n in range(600)]
    path = write(tmp_path / f"a{kind}", rows)
    streamed = load(path, streaming=True, limit=500)
    assert len(streamed) == 500
    assert streamed[3] == rows[3]
    assert len(streamed.read) == 4
    assert streamed[499] == rows[499]
    whole = gem_ma.Env(Math(data=path, limit=500))
    lazy = gem_ma.Env(Math(data=path, streaming=True, limit=500))
    for seed in range(5):
        whole.reset(seed=seed)
        lazy.reset(seed=seed)
        assert whole.game_state == lazy.game_state
    with pytest.raises(ValueError, match="use limit=600"):
        load(path, streaming=True, limit=700)[650]
    with pytest.raises(ValueError, match="needs limit="):
        load(path, streaming=True)


def test_what_is_missing_is_said_with_what_would_work(tmp_path, monkeypatch):
    path = write(tmp_path / "a.jsonl", [{"question": "?", "answer": "1"}])
    with pytest.raises(ValueError, match=r"question='problem'.* columns are 'question', 'answer'"):
        Math(data=path)
    for wrong in ({"question": "Who?"}, {"question": ["Who?"]}, ["Who?"], "Who?".split):
        with pytest.raises(TypeError, match="expected rows, such as a list of mappings"):
            gem_ma.make("qa:Data", data=wrong)
    with pytest.raises(FileNotFoundError, match="no such file"):
        Math(data=str(tmp_path / "b.jsonl"))
    (tmp_path / "c.jsonl").write_text('{"a": 1}\n{"a": \n')
    with pytest.raises(ValueError, match="line 2"):
        load(tmp_path / "c.jsonl")
    with pytest.raises(ValueError, match="no rows"):
        load([])
    with pytest.raises(ValueError, match="limit=0"):
        load(path, limit=0)
    with pytest.raises(ValueError, match="tries=0"):
        Math(data=path, question="question", tries=0)
    with pytest.raises(ValueError, match="score='bleu'"):
        QA(data=path, question="question", score="bleu")
    with pytest.raises(ValueError, match="max_tests=0"):
        Code(data=path, question="question", answer="answer", max_tests=0)


def test_a_hub_that_cannot_be_reached_says_what_to_do():
    pytest.importorskip("datasets", reason="pip install 'gem-ma[datasets]'")
    code = "from gem_ma.envs.tasks.data import load; load('no-such-owner/no-such-data-set')"
    environment = {"HF_HUB_OFFLINE": "1", "PATH": "/usr/bin:/bin", "HOME": "/nonexistent"}
    run = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=environment, check=False
    )
    said = "'no-such-owner/no-such-data-set' cannot be loaded from the Hugging Face Hub"
    assert f"ConnectionError: data set {said}" in run.stderr
    assert "HF_ENDPOINT" in run.stderr
    assert "data='FOLDER'" in run.stderr


def test_data_are_loaded_once_and_a_game_pickles_as_its_arguments(tmp_path, monkeypatch):
    rows = [{"problem": f"{n}?" * 1_000, "answer": str(n)} for n in range(50)]
    path = write(tmp_path / "a.jsonl", rows)
    first, second = Math(data=path), Math(data=path)
    assert first.rows is second.rows
    assert len(pickle.dumps(first)) < 500
    assert pickle.loads(pickle.dumps(first)).rows is first.rows
    env = gem_ma.Env(first)
    env.reset(seed=1)
    copy = pickle.loads(pickle.dumps(env))
    copy.submit({"player": env.game_state.answer})
    assert copy.game_state.score == 1


def test_long_cells_of_csv_are_read_and_the_limit_is_put_back(tmp_path):
    before = csv.field_size_limit()
    long = base64.b64encode(bytes(300_000)).decode()
    rows = load(write(tmp_path / "a.csv", [{"problem": long, "answer": "[not json"}]))
    assert rows[0] == {"problem": long, "answer": "[not json"}
    assert csv.field_size_limit() == before


def test_several_tries_and_partial_credit():
    rows = [{"problem": "Double it.", "tests": {"inputs": ["1", "2"], "outputs": ["2", "4"]}}]
    env = gem_ma.Env(Code(data=rows, tries=3, partial=True), format="bare")
    env.reset(seed=0)
    half = "```python\nprint(2)\n```"
    assert env.submit({"player": half}) == {"player": 0.5}
    assert "Score: 0.50." in env.turn("player").text
    assert "Tries left: 2." in env.turn("player").text
    assert env.submit({"player": half}) == {}
    assert "Wrong." in env.turn("player").text
    assert env.submit({"player": DOUBLE}) == {"player": 0.5}
    assert env.to_act == ()
    assert env.info("player")["score"] == 1


def test_only_the_longest_tests_are_run():
    tests = {"inputs": ["1", "10", "100"], "outputs": ["x", "10", "100"]}
    game = Code(data=[{"problem": "Echo.", "tests": tests}], max_tests=2)
    assert [test.given for test in game.item(0).key] == ["100", "10"]


def test_aliases_may_stand_in_an_object():
    answer = {"value": "Rome", "aliases": ["Roma", "The Eternal City"]}
    task = QA(data=[{"problem": "Where?", "answer": answer}])
    assert task.item(0).key == ("Rome", "Roma", "The Eternal City")
    assert issubclass(QA, DataTask)
    assert data.KINDS
