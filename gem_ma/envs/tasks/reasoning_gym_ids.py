"""The ids of the data sets in the installed release of ReasoningGym."""

import functools
import importlib.util
import re
from pathlib import Path

from gem_ma.envs.registry import Spec

NAMES = (  # of the release whose scorers were reviewed; listed if no release is installed
    "ab", "acre", "advanced_geometry", "aiw", "arc_1d", "arc_agi", "base_conversion",
    "basic_arithmetic", "bf", "binary_alternation", "binary_matrix", "bitwise_arithmetic",
    "boxnet", "caesar_cipher", "calendar_arithmetic", "chain_sum", "circuit_logic", "codeio",
    "color_cube_rotation", "complex_arithmetic", "composite", "count_bits", "count_primes",
    "countdown", "course_schedule", "cryptarithm", "decimal_arithmetic", "decimal_chain_sum",
    "dice", "emoji_mystery", "family_relationships", "figlet_font", "fraction_simplification",
    "futoshiki", "game_of_life", "game_of_life_halting", "gcd", "graph_color", "group_anagrams",
    "gsm_symbolic", "intermediate_integration", "isomorphic_strings", "jugs", "kakurasu",
    "knight_swap", "knights_knaves", "largest_island", "lcm", "leg_counting", "letter_counting",
    "letter_jumble", "list_functions", "mahjong_puzzle", "manipulate_matrix", "maze",
    "mini_sudoku", "modulo_grid", "n_queens", "needle_haystack", "number_filtering",
    "number_format", "number_sequence", "number_sorting", "palindrome_generation",
    "palindrome_partitioning", "polynomial_equations", "polynomial_multiplication",
    "pool_matrix", "power_function", "prime_factorization", "products", "propositional_logic",
    "puzzle24", "quantum_lock", "ransom_note", "rearc", "rectangle_count", "rotate_matrix",
    "rotten_oranges", "rubiks_cube", "rush_hour", "self_reference", "sentence_reordering",
    "shortest_path", "simple_equations", "simple_geometry", "simple_integration", "sokoban",
    "spell_backward", "spiral_matrix", "string_insertion", "string_manipulation",
    "string_splitting", "string_synthesis", "sudoku", "survo", "syllogism", "time_intervals",
    "tower_of_hanoi", "tsumego", "word_ladder", "word_sequence_reversal", "word_sorting",
    "zebra_puzzles",
)  # fmt: skip
NEWER = ("coin_flip", "path_star")  # of 0.1.25


_REGISTRATION = re.compile(r"""^[ \t]*+register_dataset\(\s*+(?:(\w++)|["'](\w++))""", re.MULTILINE)
_ASSIGNMENT = re.compile(r"""^(\w++) = ["'](\w++)["']""", re.MULTILINE)


def specs():
    return [_spec(name) for name in list_names()]


@functools.cache
def list_names():
    """Return the data sets of the installed release, read from its source, or NAMES without one.

    Importing the package takes seconds, which is too long for a list.
    """
    package = importlib.util.find_spec("reasoning_gym")
    if package is None or package.origin is None:
        return NAMES
    names = set()
    for file in Path(package.origin).parent.rglob("*.py"):
        names |= _read_names(file.read_text(encoding="utf-8", errors="replace"))
    return tuple(sorted(names))


def _read_names(source):
    """Return the data sets that a file registers by a string or by a constant of the file."""
    texts = dict(_ASSIGNMENT.findall(source))
    registered = {text or texts.get(name) for name, text in _REGISTRATION.findall(source)}
    return registered - {None}


def find(id):
    """Return the Spec of a data set that a script has registered in the package, or None."""
    known_spec = known(id)
    try:
        from reasoning_gym.factory import DATASETS
    except ImportError:
        return None
    return known_spec if known_spec is not None and known_spec.kwargs["name"] in DATASETS else None


def known(id):
    """Return the Spec that `find` may return for an id, without importing the package."""
    return _spec(id.removeprefix("rg:")) if id.startswith("rg:") and id[3:].isidentifier() else None


def _spec(name):
    return Spec(
        f"rg:{name}",
        "gem_ma.envs.tasks.reasoning_gym:ReasoningGym",
        {"name": name},
        ("reasoning-gym",),
    )
