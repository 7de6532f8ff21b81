"""What a line of shell asks for, read and not run: commands of gem-ma, and scripts of ours."""

import argparse
import ast
import functools
import itertools
import re
import shlex

from pages import TOP

from gem_ma.cli import main as command_line

# What else a page may ask for; these are run where their blocks are, or belong to others.
PROGRAMS = {".", "bash", "cd", "git", "inspect", "make", "mkdocs", "pip", "pytest", "sed", "twine"}
SCRIPT = re.compile(r"(?:examples|benchmarks|scripts|tests)/[\w/]+\.py")


def commands(text):
    """Yield each command of some lines of shell as its words."""
    for line in text.replace("\\\n", " ").splitlines():
        words = []
        lexer = shlex.shlex(line, posix=True, punctuation_chars="&|;")
        lexer.whitespace_split = True
        for word in [*lexer, ";"]:
            if word.strip("&|;"):
                words.append(word)
            elif words:
                yield words
                words = []


def fault(words):
    """Return what is wrong with a command, or nothing."""
    while words and re.fullmatch(r"\w+=.*", words[0]):
        words = words[1:]
    program, *rest = [re.sub(r"(.*/)?bin/", "", words[0]), *words[1:]]
    if program == "gem-ma":
        return fault_of_ours(rest)
    if program in ("python", "python3"):
        if rest[0] == "-m":
            return ""  # of others
        return fault_of_script(*rest)
    return "" if program in PROGRAMS or (TOP / program).is_file() else f"{program} is not known"


def fault_of_ours(arguments):
    """Return what the parser of gem-ma says against arguments."""
    known = names_of_ours().get(arguments[0], {"--version", "--help", "-h"})
    given = {one.partition("=")[0] for one in arguments if re.match("--[a-z]", one)}
    if given - known:  # the parser also takes the beginning of an option
        return f"gem-ma {arguments[0]} does not take {', '.join(sorted(given - known))}"
    try:
        parser().parse_args(arguments)
    except SystemExit as error:  # --help, --version
        return f"exit {error.code}" if error.code else ""
    except Exception as error:  # noqa: BLE001  whatever it says is told
        return str(error)
    return ""


@functools.cache
def parser():
    return command_line.make_parser()


def fault_of_script(path, *arguments):
    """Return which options a script does not take."""
    if not (TOP / path).is_file():
        return f"there is no {path}"
    known = options(TOP / path)
    given = {one.partition("=")[0] for one in arguments if re.match("--?[a-z]", one)}
    return ", ".join(f"{path} does not take {one}" for one in sorted(given - known))


@functools.cache
def options(path):
    """Return the options that a script, or what it imports from beside it, adds to a parser."""
    files = [path]
    for file in files:  # grows meanwhile
        for node in ast.walk(parsed(file)):
            near = path.parent / f"{getattr(node, 'module', None)}.py"
            if isinstance(node, ast.ImportFrom) and near.is_file() and near not in files:
                files.append(near)
    found, made = {"-h", "--help"}, False
    for node in itertools.chain.from_iterable(ast.walk(parsed(file)) for file in files):
        match node:
            case ast.Call(func=ast.Attribute(attr="add_argument"), args=names):
                found |= {one.value for one in names if isinstance(one, ast.Constant)}
                made |= any(isinstance(one, ast.JoinedStr) for one in names)
    if made:  # from names that stand somewhere in these files
        for node in itertools.chain.from_iterable(ast.walk(parsed(file)) for file in files):
            match node:
                case ast.Constant(str() as name) | ast.keyword(arg=str() as name):
                    found.add(f"--{name}")
    return found


def parsed(path):
    return ast.parse(path.read_text(encoding="utf-8"))


@functools.cache
def names_of_ours():
    """Return the options of each command of gem-ma, those of its own commands with it."""

    def reached(one):
        found, below = set(), {}
        for action in one._actions:
            found |= set(action.option_strings)
            if isinstance(action, argparse._SubParsersAction):
                below |= action.choices
        return found.union(*(reached(each)[0] for each in below.values())), below

    return {name: reached(one)[0] for name, one in reached(parser())[1].items()}
