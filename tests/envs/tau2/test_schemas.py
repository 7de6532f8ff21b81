"""Schemas of tau2's tools: what the docstrings of methods say of them."""

import pytest

from gem_ma.envs.tau2.kit import Kit, tool
from gem_ma.envs.tau2.schemas import docstring, schema


class BareNotes(Kit):
    @tool
    def send_letter(self, address: str, words: list[str], fast: bool = False) -> str:
        """Send a letter.

        It takes a day.

        Args:
            address: where to, with the zip code and the country
            words: what it says
            fast: whether it flies: "true" or "false"
        """
        return address


class GoogleNotes(Kit):
    @tool
    def send_letter(self, address: str, words: list[str], fast: bool = False) -> str:
        """Send a letter.

        It takes a day.

        Args:
            address: where to, with the zip code
                and the country
            words: what it says
            fast: whether it flies: "true" or "false"

        Returns:
            The address: as it is printed.
        """
        return address


@pytest.mark.parametrize("kit", [BareNotes, GoogleNotes])
def test_both_ways_to_write_notes_say_the_same(kit):
    assert docstring(kit.tools["send_letter"]) == (
        "Send a letter.\n\nIt takes a day.",
        {
            "address": "where to, with the zip code and the country",
            "words": "what it says",
            "fast": 'whether it flies: "true" or "false"',
        },
    )


def test_a_schema_has_types_notes_and_defaults():
    assert schema("send_letter", GoogleNotes.tools["send_letter"])["function"]["parameters"] == {
        "type": "object",
        "properties": {
            "address": {
                "type": "string",
                "description": "where to, with the zip code and the country",
            },
            "words": {
                "type": "array",
                "items": {"type": "string"},
                "description": "what it says",
            },
            "fast": {
                "type": "boolean",
                "description": 'whether it flies: "true" or "false"',
                "default": False,
            },
        },
        "required": ["address", "words"],
    }
