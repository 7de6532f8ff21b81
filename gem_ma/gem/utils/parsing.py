r"""Functions that find answers in a reply as GEM does: \boxed{}, a fenced block, `<answer>`.

Environments of gem_ma parse replies by `gem_ma.engine.action_parsing`, which accepts more forms.
"""

from __future__ import annotations

import re

from gem_ma.validation.arguments import check_type

_BOXED, _FBOX = "\\boxed", "\\fbox"
_FENCE = re.compile(r"```\w*+\n")


def extract_last_boxed_answer(solution: str) -> str | None:
    r"""Return the content of the last \boxed{} of a text, or None if it is absent or not closed."""
    return remove_boxed(last_boxed_only_string(solution))


def last_boxed_only_string(string: str) -> str | None:
    r"""Return the last \boxed{...} of a text, else the last \fbox{...}, else None."""
    check_type(string, str, "string")
    start = string.rfind(_BOXED)
    if start < 0:
        start = string.rfind(_FBOX)
    if start < 0:
        return None
    depth = 0
    for brace in re.compile(r"[{}]").finditer(string, start):
        depth += 1 if brace[0] == "{" else -1
        if depth == 0 and brace[0] == "}":
            return string[start : brace.end()]
    return None


def remove_boxed(s: str | None) -> str | None:
    r"""Return the content of \boxed{} if a text consists of it alone, else None."""
    if s is None:
        return None
    check_type(s, str, "s")
    prefix = _BOXED + "{"
    return s[len(prefix) : -1] if s.startswith(prefix) and s.endswith("}") else None


def extract_code_from_model(model_response: str) -> str | None:
    """Return the code in the last fenced block of a reply, or None."""
    check_type(model_response, str, "model_response")
    code, position = None, 0
    while fence := _FENCE.search(model_response, position):
        end = model_response.find("```", fence.end())
        if end < 0:
            break
        code, position = model_response[fence.end() : end].strip(), end + 3
    return code


def extract_last_tagged_answer(model_response: str) -> str | None:
    """Return the content of a reply's last `<answer>...</answer>`, or None if there is none."""
    check_type(model_response, str, "model_response")
    answer, position = None, 0
    while (start := model_response.find("<answer>", position)) >= 0:
        end = model_response.find("</answer>", start)
        if end < 0:
            break
        answer, position = model_response[start + len("<answer>") : end].strip(), end + 1
    return answer
