"""Docstrings follow Google's style, their sections name what is there, and their examples run."""

import ast
import doctest
import functools
import importlib
import inspect
import operator
import re

import packs
import pytest
from pages import skip_without
from source import FILES, ROOT, parsed, statements

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
SECTION = re.compile(r"(Args|Attributes|Returns|Yields|Raises|Examples):")
OTHER = re.compile(r"(Arguments|Parameters|Params|Return|Raise|Yield|Example|Keyword Args):")
DESCRIPTION = re.compile(r"^    \*{0,2}\w+: (\S.*(?:\n {8}.*)*)", re.M)
ELSEWHERE = re.compile(r"(as|see) ")  # it is described there
ITEM = re.compile(r"    (\*{0,2}\w+): \S.*")
# Outside of these, a page takes a tag for HTML and shows nothing, and asterisks for emphasis.
LITERAL = re.compile(r"`[^`]*`|^ *(?:>>>|\.\.\.) .*", re.MULTILINE)
SWALLOWED = re.compile(r"</?[a-z]\w*>|(?<![\w*/])\*(?=[^\s*])[^*\n]*\*", re.IGNORECASE)


def list_classes(trees):
    """Return the classes of some files by name."""
    found = {}
    for tree in trees:
        for node in statements(tree):
            if isinstance(node, ast.ClassDef):
                found.setdefault(node.name, []).append(node)
    return found


def list_parameters(node):
    """Return the parameters of a function, as "Args:" has to write them."""
    args = node.args
    names = {one.arg for one in [*args.posonlyargs, *args.args, *args.kwonlyargs]}
    names |= {f"*{args.vararg.arg}"} if args.vararg else set()
    return names | ({f"**{args.kwarg.arg}"} if args.kwarg else set())


@functools.cache
def own_members(node):
    """Return the parameters of a class, and its attributes."""
    parameters, attributes = set(), set()
    for one in node.body:
        if isinstance(one, ast.AnnAssign):
            attributes.add(ast.unparse(one.target))
        elif isinstance(one, ast.Assign):
            attributes |= {ast.unparse(target) for target in one.targets}
        elif isinstance(one, FUNCTIONS):
            if one.name in ("__init__", "__new__"):
                parameters |= list_parameters(one)
            if one.decorator_list:
                attributes.add(one.name)
            attributes |= {
                inner.attr
                for inner in ast.walk(one)
                if isinstance(inner, ast.Attribute) and isinstance(inner.ctx, ast.Store)
            }
    return parameters, attributes


def list_members(node, classes, seen=()):
    """Return the parameters of a class, and its attributes, those of its bases among them."""
    parameters, attributes = map(set, own_members(node))
    for base in node.bases:
        name = ast.unparse(base).partition("[")[0].rpartition(".")[2]
        for parent in classes.get(name, ()) if name not in seen else ():
            more, fields = list_members(parent, classes, (*seen, name))
            parameters |= more
            attributes |= fields
    return parameters, attributes


def sections(docstring):
    """Return from section to the names that its entries begin with."""
    found, name = {}, None
    for line in docstring.splitlines():
        if header := SECTION.fullmatch(line):
            name = header[1]
            assert name not in found, f"{name} stands there twice"
            found[name] = []
        elif name and (item := ITEM.fullmatch(line)):
            found[name].append(item[1])
        assert not OTHER.fullmatch(line), f"{line} is called otherwise here"
        if name and line and not line.startswith(" ") and not header:
            raise AssertionError(f"prose stands before sections, not behind them: {line}")
    return found


def twice(docstring):
    """Yield a problem if two entries are described in the same words."""
    own = [one for one in DESCRIPTION.findall(docstring) if not ELSEWHERE.match(one)]
    if len(set(own)) < len(own):
        yield "two are described in the same words"


def problems(node, classes):
    """Yield what is wrong with the sections of a docstring."""
    try:
        found = sections(ast.get_docstring(node) or "")
    except AssertionError as error:
        yield str(error)
        return
    if not found:
        return
    yield from twice(ast.get_docstring(node))
    if isinstance(node, ast.ClassDef):
        parameters, attributes = list_members(node, classes)
    else:
        parameters = list_parameters(node) if isinstance(node, FUNCTIONS) else set()
        attributes = set()
    for section, known in (("Args", parameters), ("Attributes", attributes)):
        names = found.get(section)
        if names is None:
            continue
        if not names:
            yield f"{section} is empty"
        if len(set(names)) < len(names):
            yield f"{section} names one twice"
        for name in names:
            if name not in known:
                yield f"{section} names {name}; there are {sorted(known)}"


def list_swallowed(node):
    """Return what a page would not show of a docstring."""
    return SWALLOWED.findall(LITERAL.sub("", ast.get_docstring(node) or ""))


def test_sections_name_what_is_there():
    classes = list_classes(map(parsed, FILES))
    kinds = (ast.Module, ast.ClassDef, *FUNCTIONS)
    wrong = [
        f"{path.relative_to(ROOT.parent)}:{getattr(node, 'lineno', 1)}: {problem}"
        for path in FILES
        for node in statements(parsed(path))
        if isinstance(node, kinds)
        for problem in problems(node, classes)
    ]
    assert wrong == []


@pytest.mark.parametrize(
    ("source", "problem"),
    [
        ("def f(a):\n    'Do.\n\n    Args:\n        b: it.\n    '", "Args names b"),
        ("def f(**a):\n    'Do.\n\n    Args:\n        a: it.\n    '", "Args names a"),
        ("class A:\n    'It.\n\n    Attributes:\n        b: it.\n    '\n    a: int", "names b"),
        ("def f(a):\n    'Do.\n\n    Args:\n        a: it.\n\n    More.\n    '", "prose stands"),
        ("def f(a):\n    'Do.\n\n    Parameters:\n        a: it.\n    '", "called otherwise"),
        ("def f(a):\n    'Do.\n\n    Args:\n        a\n    '", "Args is empty"),
        (
            "def f(a, b):\n    'Do.\n\n    Args:\n        a: it.\n        b: it.\n    '",
            "same words",
        ),
    ],
)
def test_what_is_wrong_is_found(source, problem):
    quoted = source.replace("'It", '"""It').replace("'Do", '"""Do').replace("    '", '    """')
    node = ast.parse(quoted).body[0]
    assert [one for one in problems(node, {}) if problem in one]


def test_markup_is_shown():
    kinds = (ast.Module, ast.ClassDef, *FUNCTIONS)
    wrong = [
        f"{path.relative_to(ROOT.parent)}:{getattr(node, 'lineno', 1)}: {one}: use backticks"
        for path in FILES
        for node in statements(parsed(path))
        if isinstance(node, kinds)
        for one in list_swallowed(node)
    ]
    assert wrong == []


@pytest.mark.parametrize(
    ("said", "lost"),
    [
        ("Do <answer>.", ["<answer>"]),
        ("Do </think>", ["</think>"]),
        ("A *3 and a *2.", ["*3 and a *"]),
        ("Do `<answer>` and `*3`, `*2`, **options, 2 * 3 * 4, x < y > z.", []),
    ],
)
def test_lost_markup_is_found(said, lost):
    assert list_swallowed(ast.parse(f'"""{said}"""')) == lost


def test_classes_and_their_bases_are_known():
    source = "class A:\n  a: int\nclass B(A):\n  def __init__(self, b): self.c = b\n"
    tree = ast.parse(source)
    parameters, attributes = list_members(tree.body[1], list_classes([tree]))
    assert parameters == {"self", "b"}
    assert attributes == {"a", "c"}


def find_examples():
    """Return the docstrings with an example, by place; only the files that have one are parsed."""
    found = {}
    for path in FILES:
        text = path.read_text(encoding="utf-8")
        for node in statements(ast.parse(text)) if ">>> " in text else ():
            if isinstance(node, (ast.Module, ast.ClassDef, *FUNCTIONS)):
                docstring = ast.get_docstring(node) or ""
                if ">>> " in docstring:
                    place = f"{path.relative_to(ROOT)}:{getattr(node, 'name', 'module')}"
                    assert place not in found, f"{place} stands there twice"
                    found[place] = docstring
    return found


EXAMPLES = find_examples()
NEEDS = {
    "rollouts/formats/dataset.py:to_dataset": "datasets from gem-ma[datasets]",
    "training/learners/optimization.py:make_cosine_schedule": "torch from gem-ma[hf]",
    "training/reference_trainer.py:Trainer": "torch from gem-ma[hf]",
    "training/token_samples.py:build_samples": "torch and transformers from gem-ma[hf]",
}
"""The modules that an example needs, and the extra in which they are."""
MOST_USED = packs.present(
    [
        "gem_ma:AECEnv",
        "gem_ma:AECEnv.gym",
        "gem_ma:AECEnv.parallel",
        "gem_ma:BaseEnv.fork",
        "gem_ma:Episode",
        "gem_ma:Game",
        "gem_ma:Reply",
        "gem_ma:Turn",
        "gem_ma:load_episodes",
        "gem_ma:make",
        "gem_ma:make_gym",
        "gem_ma:make_parallel",
        "gem_ma:make_vec",
        "gem_ma:register",
        "gem_ma:rollout",
        "gem_ma:save_episodes",
        "gem_ma:to_dataset",
        "gem_ma.agents:FunctionAgent",
        "gem_ma.agents:load_agent",
        "gem_ma.evaluation:evaluate",
        "gem_ma.evaluation:run_tournament",
        "gem_ma.testing:attack",
        "gem_ma.testing:certify",
        "gem_ma.testing:check_env",
        "gem_ma.tools:PythonTool",
        "gem_ma.tools:function_tool",
        "gem_ma.tools:with_tools",
        "gem_ma.training:Trainer",
        "gem_ma.training:build_samples",
        "gem_ma.wrappers:TimeLimit",
        "gem_ma.wrappers:Wrapper",
    ]
)
"""The public names that README, docs and examples use most."""


def find_differences(docstring, place):
    """Run the examples of a docstring, and return what they print that it does not show."""
    # An example imports all that it uses: nothing is there but the builtins.
    names = {"__name__": "__main__"}
    example = doctest.DocTestParser().get_doctest(docstring, names, place, place, 0)
    differences = []
    ran = doctest.DocTestRunner().run(example, out=differences.append)
    assert ran.attempted > 0
    return "".join(differences)


@pytest.mark.parametrize("place", EXAMPLES)
def test_an_example_runs_and_prints_what_it_shows(place, tmp_path, monkeypatch, clean):
    packs.skip_absent(EXAMPLES[place])
    if place in NEEDS:
        skip_without(NEEDS[place])
    monkeypatch.chdir(tmp_path)
    assert find_differences(EXAMPLES[place], place) == ""


def test_a_wrong_example_is_noticed():
    assert "Got:\n    3\n" in find_differences("Add.\n\nExamples:\n    >>> 1 + 2\n    4", "add")
    assert "NameError" in find_differences("Examples:\n    >>> gem_ma", "an import is missing")


@pytest.mark.parametrize("name", MOST_USED)
def test_what_is_used_most_has_an_example(name):
    module, _, path = name.partition(":")
    found = importlib.import_module(module)
    assert path.partition(".")[0] in found.__all__
    try:
        found = operator.attrgetter(path)(found)
    except ImportError as error:  # it names the extra
        pytest.skip(str(error))
    assert "\nExamples:\n    >>> " in inspect.getdoc(found)


def test_each_example_that_needs_an_extra_is_there():
    assert {place for place in NEEDS if (ROOT / place.partition(":")[0]).exists()} <= set(EXAMPLES)
