"""The word lists."""

import subprocess
import sys

import pytest

from gem_ma.envs.guessing import words


@pytest.mark.parametrize("length", words.LENGTHS)
def test_common_words(length):
    common = words.common(length)
    assert len(common) == len(set(common)) > 250
    assert all(len(w) == length and w.isascii() and w.isalpha() and w.islower() for w in common)
    assert set(common) <= words.known(length)
    assert len(words.known(length)) > 3 * len(common)


def test_what_is_a_word_and_what_is_not():
    for word in [
        "the",
        "cat",
        "tree",
        "house",
        "crane",
        "bottle",
        "because",
        "mountain",
        "centre",
        "colour",
        "abbey",
    ]:
        assert word in words.known(len(word))
    for word in ["the", "cat", "tree", "house", "morning"]:
        assert word in words.common(len(word))
    for word in [
        "xqz",
        "dna",
        "bbc",
        "john",
        "paris",
        "london",
        "michael",
        "zzzzz",
        "fuck",
        "rape",
        "nazi",
        "aeiou",
    ]:
        assert word not in words.common(len(word))
        assert word not in words.known(len(word))


def test_lengths_without_words():
    for length in (2, 9):
        with pytest.raises(ValueError, match="expected 3 to 8 letters"):
            words.common(length)


def test_without_the_package_the_error_names_the_extra():
    code = (
        "import sys; sys.modules['wordfreq'] = None\n"
        "from gem_ma.envs.guessing import wordle\n"
        "try: wordle.Wordle()\n"
        "except ImportError as error: print(error)\n"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout == "games with words need wordfreq: pip install 'gem-ma[games]'\n"
