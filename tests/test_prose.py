"""The pages can be read: short sentences, paragraphs and rows, no word that readers asked about.

`python scripts/check_prose.py` prints the same.
"""

import sys

import pytest
from pages import TOP

sys.path.append(str(TOP / "scripts"))
import check_prose

PAGES = {str(page.relative_to(TOP)): page for page in check_prose.list_pages()}


@pytest.mark.parametrize("page", PAGES)
def test_a_page_is_easy_to_read(page):
    assert list(check_prose.find_faults(PAGES[page].read_text())) == []


def test_what_is_hard_to_read_is_found():
    text = "\n".join(
        [
            "word " * 31 + "end.",
            "",
            "A short one. " * 41,
            "",
            "| a | b | c | d | e | f | g |",
            "",
            "| " + "x" * 161 + " |",
            "",
            "A tower of blocks, built anew.",
            "```",
            "word " * 31,
            "```",
        ]
    )
    told = [f"{line} {fault}" for line, fault in check_prose.find_faults(text)]
    assert [one.partition(":")[0] for one in told] == [
        "1 a sentence of 32 words",
        "3 a paragraph of 123 words",
        "5 a table of 7 columns",
        "7 a row of 161 characters",
        "9 'anew'",
    ]
