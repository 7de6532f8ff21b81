"""What docstrings say of arguments, as lists on the pages of the API: an extension of griffe.

In our docstrings an argument stands on a line of its own, "name: what it is", after the first
paragraph; lines that go on with it are indented.
"""

import re

import griffe

MEANING = re.compile(r"((?:\w+|`[^`]+`)(?:(?:, | and )(?:\w+|`[^`]+`))*): (\S.*)")


class Arguments(griffe.Extension):
    """Make lists of arguments."""

    def on_object(self, *, obj, **kwargs):
        """Change a docstring before it is parsed."""
        if obj.docstring is not None:
            obj.docstring.value = fenced(listed(obj.docstring.value))


def listed(text):
    """Return a docstring with a list item for each argument that it explains."""
    first, _, rest = text.partition("\n\n")
    out, item = [], False
    for line in rest.splitlines():
        if found := MEANING.fullmatch(line):
            names = ", ".join(f"`{name.strip('`')}`" for name in re.split(", | and ", found[1]))
            out += [*([] if item else [""]), f"- {names}: {found[2]}"]
            item = True
        elif item and line.startswith("    "):
            out.append(line)
        else:
            out += [""] if item and line else []
            out.append(line)
            item = item and not line
    return "\n".join([first, "", *out]).rstrip()


def fenced(text):
    """Return a docstring with a fence around each example, whose brackets are no links."""
    out, inside = [], False
    for line in text.splitlines():
        if line.startswith(">>> ") and not inside:
            out.append("```pycon")
            inside = True
        elif inside and not line:
            out.append("```")
            inside = False
        out.append(line)
    return "\n".join([*out, *(["```"] if inside else [])])
