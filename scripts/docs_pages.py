"""Pages of the documentation that are made when it is built: a hook of mkdocs.

The home page is the README and the changelog is CHANGELOG.md. Every environment has a page with its
picture, from what `gem_ma.cli.env_info` says of it. Every command has a page, from its parser, and
every notebook of docs/tutorials has one with its output. The metrics of an evaluation are a table.
A link to a file elsewhere in the repository leads to a page that shows the file, so that links work
on a code host and on the site.
"""

import argparse
import base64
import functools
import io
import json
import posixpath
import re
import textwrap
from fnmatch import fnmatchcase
from pathlib import Path

from mkdocs.structure.files import File

import gem_ma
from gem_ma.cli.env_commands import BOTH_ORDERS
from gem_ma.cli.env_info import describe_env, draw_first_turn
from gem_ma.cli.main import COMMAND_GROUPS, make_parser
from gem_ma.evaluation.metrics import format_metrics_table

TOP = Path(__file__).parent.parent
HOME = {"README.md": "index.md", "CHANGELOG.md": "changelog.md"}  # files at the top -> pages
LINK = re.compile(r"(\]\()([^)\s#:]+)(#[^)\s]*)?(?=\))")
SCORE = re.compile(r"((?:`[^`]+`(?:, )?)+): (.+?)(?= `game:|$)")  # ids, and their rewards
BAR = re.compile(r"(`[^`]*`)|\|")  # in a table cell; one in code needs no backslash
SHORT_CODE = re.compile(r"<code>(?=[^<]{1,28}</code>)")
IMAGE = re.compile(r'(?<!"><)<img [^>]*src="([^"]+)"[^>]*>(?!</a>)')
METRICS_MARK = "<!-- the metrics -->"  # in docs/evaluate.md
EPILOG = re.compile(r"examples?:(.*?)(?:\n\n(.*))?", re.DOTALL)  # commands, and remarks on them
KINDS = {".py": "python", ".toml": "toml", ".md": "markdown"}

# One page for each family of ids: their prefix, the title, and a description.
FAMILIES = {
    "visual": (
        ("visual",),
        "List of visual tasks",
        "Questions about a drawn picture, with exact answers. Each comes in three levels, and in "
        "one that is drawn for each episode: see [Visual tasks](../visual.md).",
    ),
    "screens": (
        ("screens",),
        "Screens",
        "Generated applications that a seat uses with a mouse and a keyboard. "
        "[Screens](../screens.md) says what each family asks, and how to use a model's own "
        "actions.",
    ),
    "tau": (
        ("tau",),
        "TAU-bench",
        "A user and an assistant talk, and each has a seat. [TAU-bench and user "
        "simulators](../tau.md) says how to evaluate and train them, and lists the tasks and the "
        "arguments.",
    ),
    "tau2": (
        ("tau2",),
        "tau2-bench",
        "A user and an assistant talk, and both have tools. [tau2-bench](../tau2.md) says how to "
        "evaluate and train them, and lists the tasks and the arguments.",
    ),
    "social": (
        ("social",),
        "Social scenes",
        "Short scenes in which two to four seats talk and are paid by rule. [Social scenes with "
        "rules](../social.md) says what each scene is about.",
    ),
    "inject": (
        ("inject",),
        "Prompt injection",
        "An assistant does a task with tools, and one of the texts that it reads is an attack. "
        "[Prompt injection](../inject.md) says how to play it, and what it pays and measures.",
    ),
    "webshop": (
        ("webshop",),
        "Web shop",
        "A generated shop in the manner of WebShop, with GEM's ids. [A web shop](../webshop.md) "
        "says how to play it, what it pays, and how to use WebShop's own files.",
    ),
    "terminal": (
        ("terminal",),
        "Terminal",
        "Tasks in a shell, checked by the files that are left. [Tasks in a shell](../terminal.md) "
        "says what they are, and how commands are isolated.",
    ),
    "tasks": (
        ("math", "code", "qa", "logic", "eval", "duo"),
        "Tasks over data",
        "Questions of a data set, graded; `duo:` puts two seats over any of them, also over those "
        "that are not listed: `duo:ROLES/ID`. See "
        "[Tasks over your own data](../bridges.md#tasks-over-your-own-data).",
    ),
    "mcp": (
        ("mcp",),
        "Tasks over MCP servers",
        "A seat calls the tools of an MCP server, and the files that it leaves are graded: see "
        "[Tasks over an MCP server](../bridges.md#tasks-over-an-mcp-server).",
    ),
    "rg": (("rg",), "ReasoningGym", "Generated tasks of `reasoning-gym`, with its own scores."),
    "ta": (("ta",), "TextArena", "The games of TextArena 0.7.4, played by its own code."),
    "os": (
        ("os",),
        "OpenSpiel",
        "The games of OpenSpiel 2.0 by its own code, with its arguments: `os:hex(board_size=5)`. "
        'It needs `pip install -e ".[openspiel]"`.',
    ),
    "gym": (
        ("gym",),
        "Gymnasium",
        "Gymnasium's environments of one seat, observations and actions in words. "
        "`gym:ID` also takes an id that is not listed. Toy text and classic control need no extra "
        'in text; their pictures need `pip install -e ".[toy-text]"`.',
    ),
    "pz": (
        ("pz",),
        "PettingZoo",
        "PettingZoo's environments, observations and actions in words. "
        "`pz:NAME` also takes one that is not listed.",
    ),
    "openenv": (
        ("openenv",),
        "OpenEnv",
        "An environment behind OpenEnv's WebSocket protocol is `openenv:URL`, such as "
        '`openenv:ws://127.0.0.1:8000`; it needs `pip install -e ".[openenv]"`. See '
        "[Serve an environment](../bridges.md#serve-an-environment).",
    ),
}

# The pages of the guide that explain commands: the title and the file, by command.
GUIDES = {
    **dict.fromkeys(("list", "info"), ("Choose an environment", "environments-overview.md")),
    **dict.fromkeys(("play", "watch"), ("Quickstart", "start.md")),
    "run": ("Rollouts and records", "rollouts.md"),
    "render": ("Draw a picture into a file", "vision.md#draw-a-picture-into-a-file"),
    **dict.fromkeys(
        ("eval", "tournament", "exploit", "leaderboard", "rescore", "view", "plot"),
        ("Evaluate a model", "evaluate.md"),
    ),
    "plot robustness": ("Noise", "vision.md#noise"),
    **dict.fromkeys(
        ("train", "pretrain", "plot learning"), ("Train a model by self-play", "training.md")
    ),
    **dict.fromkeys(("check", "attack", "new"), ("Write your own game", "own-game.md")),
    "users": ("Simulated users", "users.md"),
    "arena": ("Arena", "arena.md"),
    "gateway": ("Agent programs", "gateway.md"),
    "export": ("Publish on a hub", "works-with.md#publish-on-a-hub"),
    "serve": ("Serve an environment", "bridges.md#serve-an-environment"),
}


def on_config(config):
    """Add the pages of environments to the navigation."""
    games = [{name: f"environments/{name}.md"} for name in _games()]
    families = [{title: f"environments/{page}.md"} for page, (_, title, _) in FAMILIES.items()]
    section = next(entry for entry in config.nav if "Environments" in entry)
    section["Environments"] = ["environments/index.md", {"Games": games}, {"Families": families}]
    section = next(entry for entry in config.nav if "Commands" in entry)
    names = [{f"gem-ma {name}": _command_page(name)} for name in _commands()]
    section["Commands"] = ["commands/index.md", *names]
    return config


def on_files(files, config):
    """Add generated pages, and pages for the repository files that some page links to."""
    pages = {page: (TOP / file).read_text() for file, page in HOME.items()}
    pages["index.md"] = f"---\nhide: [navigation]\n---\n\n{pages['index.md']}"
    pages |= _environments() | _command_pages() | _tutorials()
    for path, content in pages.items():
        files.append(File.generated(config, path, content=content))
    linked = {
        target
        for file in files.documentation_pages()
        for _, link, _ in LINK.findall(file.content_string)
        if (target := _elsewhere(file.src_uri, link))
    }
    for target in sorted(linked):
        files.append(File.generated(config, _shown(target), content=_source(target)))
    return files


def on_page_markdown(markdown, page, config, files):
    """Fill in the table of metrics, and redirect links outside docs/ to pages of their files."""
    markdown = markdown.replace(METRICS_MARK, format_metrics_table())
    here = page.file.src_uri

    def leads(match):
        target = _elsewhere(here, match[2])
        inside = _in_docs(here, match[2])
        path = _shown(target) if target else inside
        if path is None:
            return match[0].replace(".ipynb", ".md")
        path = re.sub(r"\.ipynb$", ".md", path)
        return match[1] + posixpath.relpath(path, posixpath.dirname(here) or ".") + (match[3] or "")

    return LINK.sub(leads, markdown)


def on_page_content(html, page, config, files):
    """Keep short code on one line, and link each picture to itself, where it is larger."""
    html = SHORT_CODE.sub('<code class="short">', html)
    return IMAGE.sub(r'<a href="\1">\g<0></a>', html)


def on_post_build(config):
    """Delete 404.html, whose links are absolute: the site can be served from any folder."""
    (Path(config.site_dir) / "404.html").unlink(missing_ok=True)


def _from_top(page, link):
    """Return the path of a link's target, relative to the top of the repository."""
    folder = posixpath.dirname(page)
    folder = folder.removeprefix("source").lstrip("/") if _is_outside(page) else f"docs/{folder}"
    return posixpath.normpath(posixpath.join(folder, link))


def _in_docs(page, link):
    """Return the page or picture of a link in a file at the top, or None."""
    path = _from_top(page, link)
    if path in HOME:
        return HOME[path]
    return path.removeprefix("docs/") if _is_outside(page) and path[:5] == "docs/" else None


def _is_outside(page):
    """Return whether a page shows a file that is not in docs/."""
    return page in HOME.values() or page.startswith("source/")


def _elsewhere(page, link):
    """Return the target of a link if it is a file outside docs/, or None."""
    path = _from_top(page, link)
    return None if path[:5] == "docs/" or path in HOME or not (TOP / path).is_file() else path


def _shown(target):
    return f"source/{target}.md"


def _source(target):
    """Return a page that shows a file, as it is or rendered to text."""
    text = (TOP / target).read_text()
    head = "---\nsearch:\n  exclude: true\nhide: [toc]\n---\n\n"
    if target.endswith(".md"):
        return head + text
    kind = KINDS.get(Path(target).suffix, "text")
    return f"{head}# {Path(target).name}\n\n`{target}`\n\n{_fenced(text, kind)}"


def _games():
    """Return the names of our games, without levels."""
    return sorted(id[5:].partition("-v")[0] for id in gem_ma.list_envs("game:*-v0"))


def _environments():
    """Return the pages of environments, and their pictures, by path."""
    pages, gallery = {}, []
    for name in _games():
        page, drawn = _game(f"game:{name}-v0")
        pages[f"environments/{name}.md"] = page
        if drawn is not None:
            pages[f"environments/pictures/{name}.png"] = drawn
            gallery.append(f"[![]({_picture(name)}){name}]({name}.md)")
    for page, (prefixes, title, what) in FAMILIES.items():
        parts = [f"# {title}\n\n{what}"]
        for prefix in prefixes:
            table, drawn = _family(prefix)
            pages |= {f"environments/pictures/{name}.png": data for name, data in drawn.items()}
            parts += [f"## {prefix}:" if len(prefixes) > 1 else "", table]
        pages[f"environments/{page}.md"] = "\n\n".join(filter(None, parts)) + "\n"
    count = len(gem_ma.list_envs())
    families = "\n".join(
        f"| [{title}]({page}.md) | {' '.join(f'`{prefix}:`' for prefix in prefixes)} | "
        f"{sum(len(gem_ma.list_envs(f'{prefix}:*')) for prefix in prefixes) or 'any'} |"
        for page, (prefixes, title, _) in FAMILIES.items()
    )
    pages["environments/index.md"] = (
        f"# Environments\n\ngem_ma lists {count} ids, with those of installed libraries and of "
        "other platforms. `gem-ma list` prints a line for each game and "
        "for each family, `gem-ma list --ids` every id, and `gem-ma list --needs` also what each "
        "needs in addition to this package.\n\n## Games\n\n"
        f'<div class="games" markdown>\n{chr(10).join(gallery)}\n</div>\n\n'
        f"## Families\n\n| what | ids begin with | listed |\n|---|---|---|\n{families}\n"
    )
    return pages


def _commands():
    """Return the parser of each command, its group, and what a list says of it, by its words."""
    found = {}

    def add(parser, words, group, said):
        below = [one for one in parser._actions if isinstance(one, argparse._SubParsersAction)]
        if not below:
            found[" ".join(words)] = parser, group, said
        for action in below:
            help_of = {one.dest: one.help for one in action._choices_actions}
            for word, command in action.choices.items():
                add(command, (*words, word), group or command.group, help_of.get(word) or "")

    add(make_parser(), (), "", "")
    return found


def _command_page(name):
    return f"commands/{name.replace(' ', '-')}.md"


def _command_pages():
    """Return a page for each command, and one that lists them all."""
    parsers, pages, lines = _commands(), {}, {}
    for name, (parser, group, said) in parsers.items():
        long, short = [
            f"{what[:1].upper()}{what[1:]}".rstrip(".") + "."
            for what in ((parser.description or "").strip() or said, said)
        ]
        lines.setdefault(group, []).append((f"[`gem-ma {name}`]({_command_page(name)[9:]})", short))
        usage = " ".join(parser.format_usage().removeprefix("usage: ").split())
        rows = [
            (", ".join(f"`{one}`" for one in action.option_strings) or f"`{_metavar(action)}`",
             "" if not action.option_strings or action.nargs == 0 else f"`{_metavar(action)}`",
             action.help % {**vars(action), "prog": parser.prog})
            for action in parser._actions
            if action.help not in (None, argparse.SUPPRESS)
        ]  # fmt: skip
        examples, remarks = _read_epilog(parser.epilog or "")
        plural = "s" * (len(re.findall("^gem-ma", examples, re.MULTILINE)) > 1)
        parts = [f"# gem-ma {name}", long, f"## Example{plural}" if examples else ""]
        parts += [_fenced(examples, "sh") if examples else "", remarks]
        parts += ["## Usage", _fenced(usage)]
        parts += ["## Arguments", _table(("argument", "value", "what it does"), rows)]
        if guide := GUIDES.get(name) or GUIDES.get(name.partition(" ")[0]):
            parts.append(f"See [{guide[0]}](../{guide[1]}).")
        pages[_command_page(name)] = "\n\n".join(filter(None, parts)) + "\n"
    order = {group: place for place, group in enumerate(COMMAND_GROUPS)}
    parts = ["# Commands", "Each command has a page with an example and all of its arguments."]
    for group in sorted(lines, key=lambda one: order.get(one, len(order))):
        table = _table(("command", "what it does"), lines[group])
        parts += [f"## {group.capitalize() or 'Other'}", table]
    pages["commands/index.md"] = "\n\n".join(parts) + "\n"
    return pages


def _read_epilog(epilog):
    """Return the examples of a command, and the remarks below them."""
    found = EPILOG.fullmatch(epilog)
    if found is None:
        return "", ""
    return textwrap.dedent(found[1].rstrip()).strip(), " ".join((found[2] or "").split())


def _metavar(action):
    value = action.metavar or (
        "{" + ",".join(map(str, action.choices)) + "}" if action.choices else action.dest.upper()
    )
    return value if isinstance(value, str) else " ".join(value)


_NOTEBOOK_NOTE = (  # below the introduction of a tutorial
    'This page shows a notebook with its output. <a href="{0}" download>Download the notebook</a>, '
    "or open `docs/tutorials/{0}` of your clone in Jupyter or another editor of notebooks."
)


def _tutorials():
    """Return a page for each notebook, and the pictures that it shows."""
    pages = {}
    for path in sorted((TOP / "docs" / "tutorials").glob("*.ipynb")):
        parts = []
        for number, cell in enumerate(json.loads(path.read_text())["cells"]):
            text = "".join(cell["source"])
            if cell["cell_type"] == "markdown":
                parts.append(text.replace(".ipynb)", ".md)"))
                if number == 0:
                    parts.append(_NOTEBOOK_NOTE.format(path.name))
                continue
            parts.append(_fenced(text, "python"))
            for place, output in enumerate(_join_streams(cell["outputs"])):
                data = output.get("data", {"text/plain": output.get("text", "")})
                if "image/png" in data:
                    name = f"pictures/{path.stem}-{number}-{place}.png"
                    pages[f"tutorials/{name}"] = base64.b64decode("".join(data["image/png"]))
                    parts.append(f"![What the code above shows]({name})")
                else:
                    parts.append(_fenced("".join(data["text/plain"])))
        pages[f"tutorials/{path.stem}.md"] = "\n\n".join(parts) + "\n"
    return pages


def _join_streams(outputs):
    """Return the outputs of a cell, with what was printed in several pieces in one."""
    joined = []
    for output in outputs:
        if joined and "text" in output and "text" in joined[-1]:
            joined[-1] = joined[-1] | {"text": [*joined[-1]["text"], *output["text"]]}
        else:
            joined.append(output)
    return joined


def _picture(name):
    return f"pictures/{name}.png"


def _game(id):
    """Return the page of a game, and its picture."""
    told, name = describe_env(id), id.partition(":")[2].partition("-v")[0]
    drawn = None if told.missing else _png(id)
    order = BOTH_ORDERS if told.order == "both" else told.order
    facts = {
        "seats": f"{', '.join(f'`{seat}`' for seat in told.seats)}; {order}",
        "rewards": " ".join(filter(None, [_scoring(id), told.rewards])),
        "actions": told.action,
        "observation": "<br>".join(
            f"{kind}: `{space}`"
            for kind, space in (told.observations or {}).items()
            if kind != "both"
        ),
        "tools": "<br>".join(f"`{one.name}`: {one.description}" for one in told.tools),
        "needs": _needs(told.needs),
        "rules": f"[{_file(told)}](../../{_file(told)})",
    }
    parts = [f"# {name}", told.summary]
    if drawn is not None:
        parts.append(f"![The first turn of {name}]({_picture(name)}){{ width=300 }}")
    if told.missing:
        parts.append(f"Not made here: {'; '.join(told.missing)}.")
    parts.append(_table(("id", f"`{id}`"), [row for row in facts.items() if row[1]]))
    if told.parameters:
        rows = [(f"`{one.name}`", f"`{one.default!r}`", one.meaning) for one in told.parameters]
        head = "argument of `make`", "default", "what it is"
        if not any(one.meaning for one in told.parameters):
            rows, head = [row[:2] for row in rows], head[:2]
        parts += ["## Arguments", _table(head, rows)]
    if told.levels:
        rows = [(f"`{level}`", _settings(sets)) for level, sets in told.levels.items()]
        parts += ["## Levels", _table(("id", "sets"), rows)]
    if told.dial:
        rows = [(str(at), _settings(sets)) for at, sets in enumerate(told.dial)]
        parts += ["## Difficulty", _table(("`difficulty=`", "sets"), rows)]
    if scores := _scores().get(id):
        rows = [(f"`{agent}`", f"{mean:g}", str(count)) for agent, (mean, count) in scores.items()]
        whose = "that plays each seat in turn against `random`" if len(told.seats) > 1 else ""
        parts += [
            "## Scores",
            f"The table shows the mean return of an agent{whose and ' '}{whose}. An agent without "
            "a row cannot play this game, or takes too long for ten episodes.",
            _table(("agent", "mean return", "episodes"), rows),
            f"To repeat them: `python benchmarks/environment_scores.py --only {id} --again`. "
            "The option `--agents` names other agents.",
        ]
    if told.example:
        one = told.example
        parts += [
            "## The first turn",
            f"What `{one.seat}` is told once:",
            _fenced(one.rules),
            "What it reads:",
            _fenced(one.text),
        ]
        if one.reply is not None:
            parts += ["A legal reply:", _fenced(one.reply)]
    return "\n\n".join(parts) + "\n", drawn


@functools.cache
def _scores():
    """Return the scores of simple agents, by environment."""
    return json.loads((TOP / "docs" / "environment_scores.json").read_text())


def _family(prefix):
    """Return a table of the ids with a prefix, and pictures; levels are listed by their endings."""
    rows, drawn = {}, {}
    for id in gem_ma.list_envs(f"{prefix}:*"):
        stem = re.match(r"[^:]+:.*?-v\d+|.*", id)[0]
        rows.setdefault(stem, []).append(id)
    pictured = prefix == "visual"
    lines = []
    for stem, ids in rows.items():
        levels = [f"`{id.removeprefix(stem)}`" for id in ids[1:]]
        cells = [" ".join([f"`{ids[0]}`", *levels])]
        if pictured:
            cells[0] = f"{cells[0]}<br>{describe_env(ids[0]).summary}"
            name = stem.partition(":")[2].partition("-v")[0]
            drawn[name] = _png(ids[0])
            cells.insert(0, f"![{name}]({_picture(name)}){{ width=200 }}")
        needs = dict.fromkeys(_needs(gem_ma.spec(id).needs) for id in ids)
        cells.append("; ".join(filter(None, needs)))
        lines.append(cells)
    if not lines:
        return "", {}
    if not any(cells[-1] for cells in lines):
        lines = [cells[:-1] for cells in lines]
    head = [*(["picture"] if pictured else []), "ids", "needs"][: len(lines[0])]
    return f'<div class="ids" markdown>\n\n{_table(head, lines)}\n\n</div>', drawn


def _png(id):
    file = io.BytesIO()
    draw_first_turn(id).save(file, "png", optimize=True)
    return file.getvalue()


def _scoring(id):
    """Return the changelog's text about an id's reward."""
    scoring = (TOP / "CHANGELOG.md").read_text().partition("\n## Scoring")[2]
    for line in " ".join(scoring.split()).split(" - `"):
        for names, what in SCORE.findall(f"`{line}"):
            if any(fnmatchcase(id, one) for one in names.strip("`").split("`, `")):
                return what[:1].upper() + what[1:]
    return ""


def _needs(needs):
    """Return the requirements of an id in words."""
    said = []
    for need in needs:
        kind, _, what = need.partition(":")
        said.append(
            {
                "hub": "the Hugging Face Hub",
                "network": "a network",
                "key": f"the environment variable `{what}`",
                "corpus": f"NLTK's `{what}`",
                "broken": what.strip(),
                "sandbox": f"the sandbox's level `{what}` (Linux)",
                "command": f"the program `{what}`",
                "data": f"the files that `gem-ma data {what.partition('/')[0]}` fetches",
            }.get(kind)
            or (f"Python {kind[6:]}" if kind.startswith("python") else f"the extra `{kind}`")
        )
    return ", ".join(dict.fromkeys(said))


def _settings(sets):
    return ", ".join(f"`{name}={value!r}`" for name, value in sets.items())


def _file(told):
    return told.entry_point.partition(":")[0].replace(".", "/") + ".py"


def _table(head, rows):
    def line(cells):
        return f"| {' | '.join(map(_escape_bars, cells))} |"

    return "\n".join([line(head), f"|{'---|' * len(head)}", *map(line, rows)])


def _escape_bars(cell):
    """Return the text of a table's cell, on one line."""
    return BAR.sub(lambda found: found[1] or r"\|", " ".join(cell.split()))


def _fenced(text, kind="text"):
    """Return a text as a code block whose fence is longer than any fence in it."""
    fence = "`" * max(3, 1 + max(map(len, re.findall("`+", text)), default=0))
    return f"{fence}{kind}\n{text.rstrip()}\n{fence}"
