"""Print what is hard to read in the documentation: `python scripts/check_prose.py [PAGE ...]`.

The script checks sentences, paragraphs, tables and words. tests/test_prose.py applies it to all
pages.
"""

import re
import sys
from collections.abc import Iterator
from pathlib import Path

TOP = Path(__file__).parents[1]
MAX_SENTENCE_WORDS = 30
MAX_PARAGRAPH_WORDS = 120
MAX_ROW_CHARACTERS = 160
MAX_COLUMNS = 6

# Words that readers stumble over, and the usual terms.
BANNED = {
    r"tells? of": "list, describe",
    r"what (?:was|is) met": "name the thing",
    r"from nothing": "from scratch",
    r"of now": "current",
    r"anew": "again",
    r"thereof|therein|whereof|wherein|hitherto|thereby": "shorter words",
    r"in order to": "to",
    r"utili[sz]e": "use",
    r"simply|obviously|of course": "nothing",
    r"it is said": "name who says it",
    r"whatever": "any",
    r"hand(?:s|ed)? in": "submit",
    r"come(?:s)? in as": "becomes",
    r"beside(?:s)? (?:its|their) peers": "compared with",
}


def list_pages() -> list[Path]:
    """Return the pages that are written by hand, without the changelog, which keeps old names."""
    pages = [TOP / "README.md", TOP / "CONTRIBUTING.md", *sorted((TOP / "docs").rglob("*.md"))]
    return [page for page in pages if page.name != "history.md"]


def find_faults(text: str) -> Iterator[tuple[int, str]]:
    """Yield the line and the description of each fault in a page."""
    for line, block in split_blocks(text):
        if block.startswith("|"):
            yield from find_table_faults(line, block)
            continue
        words = block.split()
        if len(words) > MAX_PARAGRAPH_WORDS:
            yield line, f"a paragraph of {len(words)} words: {' '.join(words[:8])} ..."
        for sentence in split_sentences(block):
            if (count := len(sentence.split())) > MAX_SENTENCE_WORDS:
                yield line, f"a sentence of {count} words: {' '.join(sentence.split()[:8])} ..."
        yield from find_banned(line, block)


def find_table_faults(line: int, block: str) -> Iterator[tuple[int, str]]:
    """Yield the faults in the rows of a table."""
    for number, row in enumerate(block.splitlines(), line):
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", row.strip().strip("|"))]
        if len(cells) > MAX_COLUMNS:
            yield number, f"a table of {len(cells)} columns"
        if (length := len(" | ".join(cells))) > MAX_ROW_CHARACTERS and set(row) - set("|-: "):
            yield number, f"a row of {length} characters: {cells[0][:40]} ..."
        for cell in cells:
            for sentence in split_sentences(cell):
                if len(sentence.split()) > MAX_SENTENCE_WORDS:
                    yield number, f"a cell's sentence of {len(sentence.split())} words"
        yield from find_banned(number, row)


def find_banned(line: int, text: str) -> Iterator[tuple[int, str]]:
    """Yield the words of a text that readers stumble over."""
    for pattern, better in BANNED.items():
        for match in re.finditer(rf"\b(?:{pattern})\b", text, re.IGNORECASE):
            yield line, f"{match[0]!r}: say {better}"


def split_sentences(text: str) -> list[str]:
    """Split a paragraph after its full stops, question marks and exclamation marks."""
    text = re.sub(r"\b(e\.g|i\.e|vs|cf|etc)\.", r"\1", text)
    return re.split(r"(?<=[.!?])[\"')*_]*\s+(?=[\"'(*_\[`]*[A-Z0-9`])", text)


def split_blocks(text: str) -> Iterator[tuple[int, str]]:
    """Yield the line and the words of each paragraph, list item, heading and table of a page."""
    text = re.sub(r"<!--.*?-->", lambda m: "\n" * m[0].count("\n"), text, flags=re.DOTALL)
    start, block, fence = 0, [], ""
    for number, line in enumerate([*text.splitlines(), ""], 1):
        bare = line.strip()
        if mark := re.match(r"(```+|~~~+)", bare):
            fence = "" if fence and bare.startswith(fence) else fence or mark[1]
            bare = ""
        elif fence:
            continue
        begins = re.match(r"([-*+]|\d+\.)\s|#|\||!\[|!!!|\?\?\?", bare)
        if block and (not bare or (begins and not (bare[0] == "|" and block[-1][0] == "|"))):
            yield start, clean("\n".join(block))
            block = []
        if bare:
            start = start if block else number
            block.append(re.sub(r"^([-*+]|\d+\.|#+)\s+", "", bare))


def clean(block: str) -> str:
    """Reduce Markdown to what is read: code and links become the words that they show."""
    block = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", block)
    block = re.sub(r"<[^>`]*>", "", block)
    return re.sub(r"`[^`\n]*`", lambda m: re.sub(r"[\s.|]+", "_", m[0]), block)


if __name__ == "__main__":
    total = 0
    for page in map(Path, sys.argv[1:]) if sys.argv[1:] else list_pages():
        for line, fault in find_faults(page.read_text()):
            print(f"{page}:{line}: {fault}")
            total += 1
    sys.exit(f"{total} places" if total else None)
