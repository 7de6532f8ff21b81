"""Solve math problems with a Python tool: one seat, one tool.

    python examples/tools_math.py
    python examples/tools_math.py --agent openai:gpt-5-mini --env math:GSM8K --episodes 50

Without --agent, a few rules write the programs, so that you can run this without a model.
"""

import argparse
import re

import gem_ma
from gem_ma.tools import PythonTool, with_tools

IMPORTS = "import math\nfrom fractions import Fraction as F"
KNOWN = (  # words of a question, and the program that answers it
    (r"Compute (\S+) \+ (\S+) as a fraction", "F('{0}') + F('{1}')"),
    (r"Compute ([^.]+)\.", "{0}"),
    (r"greatest common divisor of (\d+) and (\d+)", "math.gcd({0}, {1})"),
    (r"least common multiple of (\d+) and (\d+)", "math.lcm({0}, {1})"),
    (r"What is (\d+) percent of (\d+)", "F({0}, 100) * {1}"),
    (r"remainder of (\d+)\^(\d+) divided by (\d+)", "pow({0}, {1}, {2})"),
    (r"Solve (\d+)x ([+-]) (\d+) = (\d+)x ([+-]) (\d+)", "F({4}{5} - ({1}{2}), {0} - {3})"),
)


def by_rule(turn):
    """Ask Python for the result, then answer with the output."""
    if turn.results:
        return rf"\boxed{{{turn.results[-1].strip()}}}"
    for question, program in KNOWN:
        found = re.search(question, turn.text)
        if found:
            code = f"{IMPORTS}\nprint({program.format(*found.groups())})"
            return f"I let Python compute it.\n```python\n{code}\n```"
    return r"That is beyond my rules, so \boxed{0}."


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--agent", default=by_rule, help="a spec string, such as hf:PATH (default: rules)"
    )
    parser.add_argument("--env", default="math:Mini", help="any environment (default: math:Mini)")
    parser.add_argument("--episodes", type=int, default=10)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()

    env = with_tools(gem_ma.make(args.env), [PythonTool()], max_calls=4)
    episodes = gem_ma.rollout(env, args.agent, args.episodes, seed=args.seed)
    for step in episodes[0].steps:
        print(f"{step.text}\n-> {step.reply}\n")
    solved = sum(sum(episode.returns.values()) for episode in episodes)
    calls = sum(len(step.results) for episode in episodes for step in episode.steps)
    print(f"{solved:g} of {len(episodes)} solved with {calls} calls of Python")


if __name__ == "__main__":
    main()
