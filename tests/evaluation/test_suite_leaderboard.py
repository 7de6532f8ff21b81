"""Leaderboards: what is compared, what is refused and why, and the page."""

import html
import json
import re

import pytest

from gem_ma.cli.main import main
from gem_ma.evaluation import evaluate
from gem_ma.evaluation.statistics import IntervalEstimate
from gem_ma.evaluation.suite_leaderboard import (
    BadResults,
    format_share,
    merge_results,
    write_leaderboard_page,
)
from gem_ma.evaluation.suites import make_suite

TTT, FROZEN = "game:TicTacToe-v0", "game:FrozenLake-v0-easy"
IDS = [TTT, FROZEN]


def played(out, agents, ids=IDS, **more):
    return evaluate(
        make_suite(ids), agents, out, **{"tasks": 3, "trials": 1, "progress": False, **more}
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("results")
    played(path / "random", "random")
    played(path / "search", "search:depth=4")
    return path


def test_the_best_comes_first(folder):
    found = merge_results([folder / "random", folder / "search" / "results.json"])
    assert found.refused == []
    (table,) = found.tables
    assert table.rows == table.common_rows == [(TTT, "x"), (TTT, "o"), (FROZEN, "player")]
    assert [line.agent for line in table.agent_results] == ["search:depth=4", "random"]
    for line in table.agent_results:
        told = json.loads((folder / line.agent.split(":")[0] / "results.json").read_text())
        assert line.success == pytest.approx(IntervalEstimate(**told["overall"]["success"]))
        assert [line.results[key].success.value for key in table.rows] == [
            row["success"]["value"] for row in told["rows"]
        ]
    plain = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert plain["tables"][0]["agents"][0]["agent"] == "search:depth=4"


@pytest.mark.parametrize(
    ("other", "said"),
    [
        ({"tasks": 2}, "the number of starts (2, not 3)"),
        ({"trials": 2}, "the trials of each (2, not 1)"),
        ({"seed": 9}, "the seed (9, not 0)"),
        ({"seats": {"o": "search:depth=1"}}, 'who else sat there ({"o": "search:depth=1"}, not'),
    ],
)
def test_other_questions_are_refused(folder, tmp_path, other, said):
    played(tmp_path / "other", "search:depth=2", ids=[TTT], **other)
    found = merge_results([folder / "random", tmp_path / "other"])
    (table,) = found.tables
    assert [line.agent for line in table.agent_results if (TTT, "x") in line.results] == ["random"]
    assert len(found.refused) == 1
    assert said in found.refused[0]
    assert f"than in {folder / 'random' / 'results.json'}" in found.refused[0]


def changed(folder, tmp_path, change):
    data = json.loads((folder / "search" / "results.json").read_text())
    change(data)
    (tmp_path / "results.json").write_text(json.dumps(data))
    return merge_results([folder / "random", tmp_path])


@pytest.mark.parametrize("name", ["prompts", "data"])
def test_other_prompts_and_data_are_refused(folder, tmp_path, name):
    found = changed(folder, tmp_path, lambda data: data["rows"][0].update({name: "other"}))
    assert len(found.refused) == 1
    assert "(other, not " in found.refused[0]
    (table,) = found.tables
    # the mean is of what all have played
    assert table.common_rows == [(TTT, "o"), (FROZEN, "player")]
    assert (TTT, "x") in table.rows


def test_other_releases_and_arguments_are_refused(folder, tmp_path):
    found = changed(folder, tmp_path, lambda data: data.update(version="0.0.1"))
    assert "the release that played (0.0.1, not " in found.refused[0]
    assert "(3 rows: " not in found.refused[0]
    found = changed(
        folder, tmp_path, lambda data: data["entries"][1].update(arguments={"map_size": 9})
    )
    assert 'its arguments ({"map_size": 9}, not {})' in found.refused[0]


def test_nothing_counts_twice(folder, tmp_path):
    found = merge_results([folder / "random", folder / "random"])
    assert len(found.tables[0].agent_results) == 1
    assert " has this row already" in found.refused[0]


def test_what_was_not_played(folder, tmp_path):
    played(tmp_path / "lake", "random", ids=[FROZEN], tasks=1)
    data = json.loads((tmp_path / "lake" / "results.json").read_text())
    data["rows"][0]["episodes"] = 0
    (tmp_path / "lake" / "results.json").write_text(json.dumps(data))
    found = merge_results([tmp_path / "lake"])
    assert found.tables == []
    assert "no finished episode" in found.refused[0]
    for text, why in (
        ("{", "is not JSON"),
        ("[]", "has no rows, schema, suite;"),
        ('{"suite": "a", "rows": []}', "has no schema; expected a results.json"),
        ('{"suite": "a", "rows": [], "schema": 9}', "schema 9"),
        ('{"suite": "a", "rows": [{}], "schema": 1, "entries": []}', "in a row"),
    ):
        (tmp_path / "results.json").write_text(text)
        with pytest.raises(BadResults, match=why):
            merge_results([tmp_path])
    with pytest.raises(BadResults, match="name a folder of gem-ma eval"):
        merge_results([tmp_path / "nowhere"])


def test_the_page(folder, tmp_path, capsys):
    out = folder / "pages" / "board.html"
    out.parent.mkdir()
    assert (
        main(["leaderboard", str(folder / "random"), str(folder / "search"), "--out", str(out)])
        == 0
    )
    told = capsys.readouterr().out
    assert re.search(r"^  1  search:depth=4  \d+\.\d%", told, re.M)
    page = out.read_text()
    assert page.index("search:depth=4</th>") < page.index("random</th>")
    links = re.findall('href="([^"]*)"', page)
    assert len(links) == 6
    for link in links:
        assert (out.parent / html.unescape(link)).is_file()


SPECS = {
    "openai:gpt-4o@https://api.example/v1?temperature=0": "openai:gpt-4o",
    "hf:models/ttt?max_new_tokens=8": "hf:models/ttt",
    "search:depth=2": "search:depth=2",
}


def rename(folder, tmp_path, spec, out):
    """Write the results of a folder as those of an agent with another spec."""
    data = json.loads((folder / "random" / "results.json").read_text())
    for row in data["rows"]:
        row["agents"] |= dict.fromkeys(row["evaluated"], spec)
    (tmp_path / out).mkdir()
    (tmp_path / out / "results.json").write_text(json.dumps(data))
    return tmp_path / out


def test_agents_are_called_as_short_as_tells_them_apart(folder, tmp_path):
    places = [rename(folder, tmp_path, spec, str(i)) for i, spec in enumerate(SPECS)]
    (table,) = merge_results(places).tables
    assert {one.agent: one.name for one in table.agent_results} == SPECS
    write_leaderboard_page(merge_results(places), tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()
    for spec, name in SPECS.items():
        assert f'title="{html.escape(spec)}">{name}</th>' in page
    other = "openai:gpt-4o@https://api.example/v1?temperature=1"
    places.append(rename(folder, tmp_path, other, "warm"))
    (table,) = merge_results(places).tables
    named = {one.agent: one.name for one in table.agent_results}
    assert named[other] == other  # two that differ in an option alone are told in full
    assert len(set(named.values())) == 4


def test_an_alias_stands_where_it_is_given(folder, capsys):
    words = [f"old={folder / 'random'}", f"new={folder / 'search'}"]
    (table,) = merge_results(words).tables
    assert [(one.name, one.agent) for one in table.agent_results] == [
        ("new", "search:depth=4"), ("old", "random"),
    ]  # fmt: skip
    assert main(["leaderboard", *words]) == 0
    assert re.search(r"^  1  new  \d+\.\d%", capsys.readouterr().out, re.M)
    assert main(["leaderboard", f"a={folder / 'random'}", f"a={folder / 'search'}"]) == 2
    assert "the name a is given to two agents, random and search:depth=4" in capsys.readouterr().err


def test_a_narrow_screen_says_that_the_table_goes_on(browser, folder, tmp_path):
    found = merge_results([folder / "random", folder / "search"])
    write_leaderboard_page(found, tmp_path / "page.html")
    for width, seen in ((390, True), (1280, False)):
        page = browser.new_page(viewport={"width": width, "height": 844})
        page.goto((tmp_path / "page.html").as_uri())
        wide = page.locator(".wide").first
        assert wide.evaluate("one => one.scrollWidth > one.clientWidth") is seen
        hint = page.get_by_text("Scroll the table sideways: it has 3 more columns.")
        assert hint.first.is_visible() is seen
        page.close()


def test_a_screen_reader_finds_nothing_amiss(browser, folder, tmp_path):
    axe = pytest.importorskip(
        "axe_playwright_python.sync_playwright", reason="pip install axe-playwright-python"
    )
    write_leaderboard_page(
        merge_results([folder / "random", folder / "search"]), tmp_path / "page.html"
    )
    for width, scheme in ((1280, "light"), (1280, "dark"), (390, "light"), (390, "dark")):
        look = {"viewport": {"width": width, "height": 800}, "color_scheme": scheme}
        context = browser.new_context(bypass_csp=True, **look)
        page = context.new_page()
        page.goto((tmp_path / "page.html").as_uri())
        found = axe.Axe().run(page)
        assert found.violations_count == 0, found.generate_report()
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        context.close()


def test_nothing_of_a_name_is_read_as_html(folder, tmp_path):
    hostile = "<script>alert(1)</script>\"'&"

    def change(data):
        data["suite"] = hostile
        for row in data["rows"]:
            row["agents"] = dict.fromkeys(row["agents"], hostile)
            row["records"] = f"episodes/{hostile}"

    found = changed(folder, tmp_path, change)
    write_leaderboard_page(found, tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()
    assert "<script" not in page
    assert "default-src 'none'" in page
    assert html.escape(hostile) in page


ODD = (None, True, -1, 0, 1.5, "<script>", [], {}, [None], {"a": 1}, 10**400, "x" * 50_000)


def list_paths(value, path=()):
    """Yield where each value of JSON stands."""
    yield path
    if isinstance(value, dict | list):
        for key, one in value.items() if isinstance(value, dict) else enumerate(value):
            yield from list_paths(one, (*path, key))


def test_results_of_any_type_are_read_or_refused(folder, tmp_path):
    """Whatever stands in the place of any value: a page without a tag of its own, or BadResults."""
    source = json.loads((folder / "search" / "results.json").read_text())
    source["rows"] = source["rows"][:1]
    file, refused, count = tmp_path / "results.json", 0, 0
    for number, path in enumerate(list_paths(source)):
        for odd in ODD[number % 3 :: 3]:
            data = json.loads(json.dumps(source))
            place = data
            for key in path[:-1]:
                place = place[key]
            if path:
                place[path[-1]] = odd
            file.write_text(json.dumps(data if path else odd))
            count += 1
            try:
                write_leaderboard_page(merge_results([file]), tmp_path / "page.html")
            except BadResults:
                refused += 1
            else:
                assert "<script" not in (tmp_path / "page.html").read_text()
    assert 100 < refused < count


def test_percent():
    nan = float("nan")
    assert format_share(IntervalEstimate(0.5, 0.25, 0.75)) == "50.0% [25, 75]"
    assert format_share(IntervalEstimate(1.0, nan, nan)) == "100.0%"
    assert format_share(IntervalEstimate(nan, nan, nan)) == "-"
