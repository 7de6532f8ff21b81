"""The calculator of TAU-bench's assistants, which never runs expressions as code."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Iterable
from itertools import islice
from typing import Any

from gem_ma.envs.tau.calling import ToolError
from gem_ma.envs.tau.store import Desk

ALLOWED = "0123456789+-*/(). "
MAX_LENGTH = 1000  # maximum number of characters
MAX_DEPTH = 250  # maximum number of nested operations
MAX_BITS = 4096  # of whole numbers; those of 1025 or more fit into no float

OPERATORS: dict[type, Callable[..., Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Pow: operator.pow,
    ast.UAdd: operator.pos,
    ast.USub: operator.neg,
}


def calculate(desk: Desk, expression: Iterable[str]) -> str:
    """Return the value of an expression, rounded to two places."""
    return calculated(expression, "invalid characters in expression")


def calculated(expression: Iterable[str], refusal: str) -> str:
    """Return the value of an expression, or raise ToolError(`refusal`) for other characters."""
    if not all(character in ALLOWED for character in islice(expression, MAX_LENGTH + 1)):
        raise ToolError(refusal)
    if not isinstance(expression, str):
        raise ToolError("eval() arg 1 must be a string, bytes or code object")
    if len(expression) > MAX_LENGTH:
        raise ToolError(f"an expression has at most {MAX_LENGTH} characters")
    tree = ast.parse(expression.lstrip(), "<string>", "eval")
    return str(round(float(_value(tree.body, MAX_DEPTH)), 2))


def _value(node: ast.expr, depth: int) -> Any:
    """Return the value of a node: a number, or an odd constant such as () or Ellipsis."""
    if depth == 0:
        raise ToolError(f"an expression nests at most {MAX_DEPTH} operations")
    match node:
        case ast.Constant(value=value):
            return value
        case ast.Tuple(elts=[]):
            return ()
        case ast.UnaryOp(op=op, operand=operand):
            return OPERATORS[type(op)](_value(operand, depth - 1))
        case ast.BinOp(left=left, op=op, right=right):
            one, other = _value(left, depth - 1), _value(right, depth - 1)
            _check_size(op, one, other)
            return OPERATORS[type(op)](one, other)
        case ast.Call(func=func, args=args, keywords=keywords):
            return _fail_to_call(_value(func, depth - 1), [*args, *keywords], depth - 1)
    raise ToolError(f"{type(node).__name__} in an expression")


def _check_size(op: ast.operator, one: object, other: object) -> None:
    """Raise ToolError before an operation whose result would be too large a whole number."""
    if not (isinstance(one, int) and isinstance(other, int)):
        return
    bits = 0
    if isinstance(op, ast.Pow) and abs(one) > 1:
        bits = (one.bit_length() - 1) * other
    elif isinstance(op, ast.Mult):
        bits = one.bit_length() + other.bit_length()
    if bits > MAX_BITS:
        raise ToolError("int too large to convert to float")


def _fail_to_call(value: object, arguments: list[ast.expr | ast.keyword], depth: int) -> None:
    """Evaluate the arguments of a call, and raise the error with which Python refuses the call."""
    for argument in arguments:
        inner = argument if isinstance(argument, ast.expr) else argument.value
        starred = isinstance(inner, ast.Starred)
        argument_value = _value(inner.value if isinstance(inner, ast.Starred) else inner, depth)
        kind = type(argument_value).__name__
        if starred and argument_value != ():
            raise ToolError(f"{value} argument after * must be an iterable, not {kind}")
        if isinstance(argument, ast.keyword):
            raise ToolError(f"{value} argument after ** must be a mapping, not {kind}")
    raise ToolError(f"{type(value).__name__!r} object is not callable")
