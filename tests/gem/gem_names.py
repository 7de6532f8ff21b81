"""What GEM's source names: ids, modules, functions, classes, methods and arguments; nothing is run.

`python tests/gem/gem_names.py CLONE` prints the ids, and the names with their arguments.
"""

import ast
import re
import subprocess
import sys
import warnings
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs/coming-from.md"


def replace_imports(script, copy):
    """Copy a script of GEM, with its imports changed by the command of docs/coming-from.md."""
    found = re.findall(r"^sed -i\.bak -E '(.*)' \*\.py$", PAGE.read_text(), re.MULTILINE)
    (command,) = found
    copy.write_text(Path(script).read_text())
    subprocess.run(["sed", "-i.bak", "-E", command, str(copy)], check=True)


def read_ids(clone):
    """Return {id: (entry point, arguments)} of what a clone registers."""
    return dict(_read_registrations(_parse(Path(clone, "gem/envs/__init__.py")), {}, {}))


def _parse(path):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of escapes in GEM's texts
        return ast.parse(path.read_text()).body


def _read_registrations(body, values, lists):
    """Yield each id that statements register, with what it stands for.

    Args:
        values: what the names of loops around stand for.
        lists: those that are written out, by name.
    """
    for node in body:
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                lists[name] = value
            case ast.For():
                for one in _list_values(node, lists):
                    yield from _read_registrations(node.body, {**values, **one}, lists)
            case ast.Expr(value=ast.Call(func=ast.Name(id="register")) as call):
                id, entry_point = (_fill(one, values) for one in call.args)
                arguments = {one.arg: _fill(one.value, values) for one in call.keywords}
                yield id, (entry_point, arguments)


def _list_values(loop, lists):
    """Return what the names of a loop stand for in turn; "*" for what is not written out."""
    try:
        values = ast.literal_eval(lists.get(ast.unparse(loop.iter), loop.iter))
    except ValueError:
        values = ["*"]
    if isinstance(loop.target, ast.Name):
        return [{loop.target.id: one} for one in values]
    names = [one.id for one in loop.target.elts]
    return [dict(zip(names, one, strict=True)) for one in values]


def _fill(node, values):
    """Return a literal, the parts of a text that depend on a loop filled in."""
    if isinstance(node, ast.Name):
        return values.get(node.id, "*")
    if isinstance(node, ast.JoinedStr):
        parts = [p.value if isinstance(p, ast.FormattedValue) else p for p in node.values]
        return "".join(str(_fill(part, values)) for part in parts)
    return ast.literal_eval(node)


def read_names(clone):
    """Return {module.name or module.Class.method: names of arguments}, None for what has none."""
    found = {}
    for path in sorted(Path(clone, "gem").rglob("*.py")):
        parts = path.relative_to(clone).with_suffix("").parts
        module = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        if parts[-1] == "__about__":
            continue
        for node in _parse(path):
            found.update(_read_node(module, node))
            if parts[-1] != "__init__" or not isinstance(node, ast.ImportFrom):
                continue
            if node.level or (node.module or "").startswith("gem."):  # it passes this on
                found.update((f"{module}.{alias.name}", None) for alias in node.names)
    return found


def _read_node(place, node):
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        if node.name.startswith("_") and node.name != "__init__":
            return
        arguments = [one.arg for one in (*node.args.posonlyargs, *node.args.args)]
        arguments += [one.arg for one in node.args.kwonlyargs]
        yield f"{place}.{node.name}", tuple(one for one in arguments if one not in ("self", "cls"))
    elif isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
        yield f"{place}.{node.name}", None
        for one in node.body:
            yield from _read_node(f"{place}.{node.name}", one)
    elif isinstance(node, ast.Assign):
        for target in node.targets:
            if isinstance(target, ast.Name) and not target.id.startswith("_"):
                yield f"{place}.{target.id}", None


def read_constructors(clone):
    """Return {class: {argument: default}} of GEM's environments, without those that it swallows."""
    found = {}
    for path in Path(clone, "gem/envs").rglob("*.py"):
        for node in _parse(path):
            if isinstance(node, ast.ClassDef) and node.name.endswith("Env"):
                for one in node.body:
                    if isinstance(one, ast.FunctionDef) and one.name == "__init__":
                        names = [argument.arg for argument in one.args.args[1:]]
                        defaults = [ast.literal_eval(value) for value in one.args.defaults]
                        start = len(names) - len(defaults)
                        found[node.name] = dict(zip(names[start:], defaults, strict=True))
    return found


if __name__ == "__main__":
    for name, (entry, arguments) in read_ids(sys.argv[1]).items():
        print(name, entry, arguments)
    for name, arguments in read_names(sys.argv[1]).items():
        print(name, "" if arguments is None else arguments)
