"""Spec strings of agents, tools and more: a name, an argument and options.

Examples are "random", "search:depth=4" and "hf:PATH?temperature=0&max_new_tokens=64". User code is
"FILE.py:NAME" or "module:NAME", with options such as "mine.py:Greedy?look=3".
"""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any, TypeAlias

from gem_ma.packs import SpecEntry, describe_missing
from gem_ma.validation import entry_points
from gem_ma.validation.arguments import check_each
from gem_ma.validation.endpoints import redact_secrets

SpecFactory: TypeAlias = Callable[..., Any]
OWN_CODE_FORM = "FILE.py:NAME"


class SpecParser:
    """A parser of the spec strings of one kind of object.

    Args:
        kind: The kind's name in errors.
        expected: What user code has to provide, for errors.
        own: Returns a factory for a value in user code, or None.
    """

    def __init__(
        self,
        kind: str,
        expected: str,
        known: Mapping[str, SpecEntry],
        own: Callable[[object], SpecFactory | None],
    ):
        self.kind = kind
        self.expected = expected
        self.known = known
        self.own = own

    def __str__(self) -> str:
        """Return all forms that a spec string may have."""
        forms = (begin + self.known[begin.rstrip(":")].first for begin in self.list_prefixes())
        return ", ".join([*forms, OWN_CODE_FORM])

    def list_prefixes(self) -> list[str]:
        """Return the beginnings of spec strings, up to the argument that a user has to fill in."""
        return [f"{name}:" if one.first else name for name, one in self.known.items()]

    def runs_own_code(self, spec: str) -> bool:
        """Return whether a spec string names user code, which `make` would run."""
        name, colon, rest = spec.partition(":")
        known = self.known.get(name)
        if known is None:
            return bool(colon) or spec.partition("?")[0].endswith(".py")
        return known.spec and self.runs_own_code(rest)

    def make(self, spec: str) -> Any:
        """Return the object that a spec string names, or raise ValueError."""
        label = f"{self.kind} {redact_secrets(spec)!r}"
        name, _, rest = spec.partition(":")
        known = self.known.get(name)
        if known is None:
            what, _, options = spec.partition("?")
            maker, arguments = self._import_factory(what, label), []
        else:
            main, _, options = rest.partition(known.mark) if known.first else ("", "", rest)
            if known.first and not main:
                raise ValueError(f"{label}: expected {name}:{known.first}")
            try:
                maker, arguments = _load_factory(known), known.split(main) if known.first else []
            except ValueError as error:
                raise ValueError(f"{label}: {error}") from None
        own = dict(list(_list_parameters(maker).items())[len(arguments) :])
        within = self.list_options(arguments[0]) if known is not None and known.spec else {}
        named = _parse_options(options, {**within, **own}, label)
        if named.keys() - own.keys():
            parts = [one for one in options.split("&") if one and one.partition("=")[0] not in own]
            arguments[0] = self._add_options(arguments[0], parts)
            named = {name: value for name, value in named.items() if name in own}
        try:
            return maker(*arguments, **named)
        except (TypeError, ValueError) as error:  # for example depth=x
            raise ValueError(f"{label}: {error}") from None

    def list_options(self, spec: str) -> dict[str, str]:
        """Return the options of a spec string, each with its type; none if the spec is wrong.

        The options of an inner spec are included: an option that the outer object does not take
        belongs to the inner one.
        """
        name, _, rest = spec.partition(":")
        known, main = self.known.get(name), rest.partition("?")[0]
        try:
            if known is None:
                return _list_parameters(self._import_factory(spec.partition("?")[0], spec))
            parts = known.split(main) if known.first else []
            own = dict(list(_list_parameters(_load_factory(known)).items())[len(parts) :])
        except ValueError:
            return {}
        return {**self.list_options(main), **own} if known.spec else own

    def add_defaults(self, spec: str, defaults: Mapping[str, object]) -> str:
        """Return a spec string with those of the default options that it takes and does not set."""
        takes, given_options = self.list_options(spec), self._list_given_options(spec)
        more = [
            f"{name}={str(value).lower() if isinstance(value, bool) else value}"
            for name, value in defaults.items()
            if name in takes and name not in given_options
        ]
        return self._add_options(spec, more)

    def _add_options(self, spec: str, options: Sequence[str]) -> str:
        """Return a spec string with more options."""
        main, mark, option_text = self._split_spec(spec)
        return f"{main}{mark}{'&'.join(filter(None, [option_text, *options]))}" if options else spec

    def _split_spec(self, spec: str) -> tuple[str, str, str]:
        """Return the part of a spec string before its options, the separator and the options."""
        name, _, rest = spec.partition(":")
        known = self.known.get(name)
        if known is None:
            main, _, options = spec.partition("?")
            return main, "?", options
        if not known.first:
            return name, ":", rest
        main, _, options = rest.partition(known.mark)
        return f"{name}:{main}", known.mark, options

    def _list_given_options(self, spec: str) -> set[str]:
        """Return the names of the options that a spec string sets."""
        main, _, options = self._split_spec(spec)
        names = {option.partition("=")[0] for option in options.split("&")}
        name, _, rest = main.partition(":")
        return names | (
            self._list_given_options(rest)
            if name in self.known and self.known[name].spec
            else set()
        )

    def _import_factory(self, what: str, shown: str) -> SpecFactory:
        """Return the factory for the object that FILE.py:NAME or module:NAME names."""
        file, name = entry_points.split_file_entry(what)
        if file:
            path = Path(file).resolve()
            if not path.is_file():
                raise ValueError(f"{shown}: there is no file {file}")
            try:
                module = entry_points.import_file(path)
            except entry_points.ShadowedModuleError as error:
                raise ValueError(f"{shown}: {error}") from None
        else:
            there = entry_points.import_module_entry(what)
            if there is None:
                near = redact_secrets(self._suggest_spec(what))
                hint = f"did you mean {near!r}?" if near else f"there are {self}"
                raise ValueError(f"no {shown}; {hint}{describe_missing()}")
            (module, name), file = there, what.partition(":")[0]
        maker = self.own(getattr(module, name)) if hasattr(module, name) else None
        if maker is None:
            raise ValueError(f"{shown}: {self._describe_module(module, file, name)}")
        return maker

    def _suggest_spec(self, what: str) -> str:
        """Return a spec string that may have been meant, or ""."""
        name, mark, rest = what.partition(":" if ":" in what else "/")
        if not mark or name not in self.known:
            for known, entry in self.known.items():
                if entry.like and entry.like.match(what.partition("@")[0]):
                    return f"{known}:{what}"  # the name before the colon is missing
        close = "".join(difflib.get_close_matches(name, self.known, n=1))
        return f"{close}:{rest}" if close and rest and self.known[close].first else close

    def _describe_module(self, module: ModuleType, file: str, name: str) -> str:
        """Return an error text about a module that does not have the requested object."""
        what = f"{file} has no {name}" if name else f"expected {file}:NAME"
        if hasattr(module, name):
            what = f"{name} is a {type(getattr(module, name)).__name__}, expected {self.expected}"
        there = [
            key
            for key, value in vars(module).items()
            if not key.startswith("_")
            and _is_defined_in(value, module)
            and self.own(value) is not None
        ]
        return f"{what}; {file} has {', '.join(there) or f'no {self.kind}'}"


def _load_factory(known: SpecEntry) -> SpecFactory:
    """Return the factory of a known name; import it if necessary."""
    maker: SpecFactory = (
        entry_points.load_entry_point(known.maker)
        if isinstance(known.maker, str)
        else known.maker()
    )
    return maker


def takes_one_argument(function: object) -> bool:
    """Return whether a value can be called with one argument, as far as its signature is known."""
    if not callable(function):
        return False
    try:
        inspect.signature(function).bind(None)
    except TypeError:
        return False
    except ValueError:  # it has no known signature
        return True
    return True


def parse_seat_specs(specs: str | Iterable[str], seats: Sequence[str]) -> list[tuple[str, str]]:
    """Return the specs in comma-separated texts, each with its seat, or "" if none is named."""
    parts = []
    texts = [specs] if isinstance(specs, str) else check_each(specs, str, "specs")
    for one in (part for text in texts for part in text.split(",")):
        seat, equals, spec = one.partition("=")
        if not equals or not (seat in seats or seat.isidentifier()):
            parts.append(("", one))
        elif seat in seats:
            parts.append((seat, spec))
        else:
            raise ValueError(f"no seat {seat!r}; the seats are {', '.join(seats)}")
    return parts


def _is_defined_in(value: object, module: ModuleType) -> bool:
    """Return whether a module defines a value; True for a value that is not callable."""
    if callable(value):
        return bool(getattr(value, "__module__", "") == module.__name__)
    return True


def _list_parameters(maker: SpecFactory) -> dict[str, str]:
    """Return the arguments of a factory, each with its type as it is written in the source."""
    kinds = inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY
    parameters = inspect.signature(maker).parameters.values()
    return {
        one.name: inspect.formatannotation(one.annotation)
        for one in parameters
        if one.kind in kinds
    }


# Types of an option's value, and their description; options of other types accept any value.
_OPTION_TYPES: dict[str, tuple[tuple[type, ...], str]] = {
    "bool": ((bool,), "true or false"),
    "int": ((int,), "a whole number"),
    "float": ((int, float), "a number"),
}


def _parse_options(text: str, takes: Mapping[str, str], shown: str) -> dict[str, Any]:
    named: dict[str, Any] = {}
    for option in filter(None, text.split("&")):
        key, _, value = option.partition("=")
        name, _, inner = key.partition(".")
        if inner and value and _is_mapping(takes.get(name, "")):
            named.setdefault(name, {})[inner] = _parse_value(value)
            continue
        if key not in takes or not value or _is_mapping(takes[key]):
            got = "" if "@" in key else f", got {key!r}"  # a password may contain a ?
            if key in takes:
                got += f": write {key}.NAME=VALUE" if value else " without a value"
            elif got and (close := difflib.get_close_matches(key, takes, n=1)):
                got += f"; did you mean {close[0]!r}?"
            known = f"options such as a=1&b=2 out of {', '.join(takes)}" if takes else "no options"
            raise ValueError(f"{shown}: expected {known}{got}")
        named[key] = _parse_value(value)
        types, words = _OPTION_TYPES.get(takes[key].strip("'").removesuffix(" | None"), ((), ""))
        if types and type(named[key]) not in types:
            raise ValueError(f"{shown}: {option}: expected {words}")
    return named


def _is_mapping(annotation: str) -> bool:
    """Return whether an option is a mapping, whose entries are given as `option.NAME=VALUE`."""
    kind = annotation.strip("'").removesuffix(" | None")
    return " | " not in kind and kind.partition("[")[0] in ("Mapping", "JSONMapping")


def _parse_value(text: str) -> Any:
    """Return the number, Boolean or text in an option."""
    if text in ("true", "false"):
        return text == "true"
    for number in (int, float):
        try:
            return number(text)
        except ValueError:
            continue
    return text
