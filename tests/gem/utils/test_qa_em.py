"""Comparing short answers, as GEM's own checks of it do."""

import pytest

from gem_ma.gem.utils.qa_em import em_check, normalize_answer


@pytest.mark.parametrize(
    ("text", "normal"),
    [
        ("The Eiffel  Tower!", "eiffel tower"),
        ("an apple, a pear", "apple pear"),
        ("Athens", "athens"),
        ("U.S.A.", "usa"),
        ("  ", ""),
        ("the", ""),
    ],
)
def test_case_punctuation_articles_and_blanks_say_nothing(text, normal):
    assert normalize_answer(text) == normal


def test_an_answer_is_one_of_several():
    assert em_check("Paris.", "paris")
    assert em_check("the Berlin", ["Paris", "Berlin"])
    assert not em_check("Paris", ["Paris, Texas"])
    assert not em_check("Paris", [])
    with pytest.raises(TypeError, match="s=3: expected str, got int"):
        em_check(3, "3")
