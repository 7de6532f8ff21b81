"""The apps of a phone: their icons, and what those show that no task needs."""

from __future__ import annotations

from types import MappingProxyType
from typing import NamedTuple


class PhoneApp(NamedTuple):
    """An app: its icon, the tone of that, and lines of a page that leads nowhere."""

    icon: str
    tone: str
    lines: tuple[tuple[str, str], ...] = ()  # title and subtitle of rows


APPS = MappingProxyType({
    "Phone": PhoneApp("phone", "seat2", (("Mailbox", "No new messages"), ("Keypad", ""))),
    "Messages": PhoneApp("chat", "seat0", (("Service", "Your balance is 12.40"),)),
    "Contacts": PhoneApp("person", "seat5", (("My card", ""), ("Emergency", "2 entries"))),
    "Browser": PhoneApp("globe", "seat0", (("News of the day", ""), ("Sports", ""))),
    "Mail": PhoneApp("mail", "seat6", (("Inbox", "Up to date"), ("Drafts", "Empty"))),
    "Calendar": PhoneApp("calendar", "seat1", (("Today", "Nothing planned"),)),
    "Clock": PhoneApp("clock", "seat3", (("World clock", "3 cities"), ("Stopwatch", ""))),
    "Notes": PhoneApp("note", "seat4", (("Ideas", "Last week"), ("Recipes", "In May"))),
    "Lists": PhoneApp("list", "seat2", (("Garden", "4 entries"), ("Travel", "9 entries"))),
    "Photos": PhoneApp("image", "seat6", (("All photos", "212"), ("Screenshots", "18"))),
    "Camera": PhoneApp("camera", "seat7", (("Photo", ""), ("Video", ""), ("Panorama", ""))),
    "Music": PhoneApp("music", "seat3", (("Recently played", ""), ("Radio", "8 stations"))),
    "Maps": PhoneApp("map", "seat2", (("Home", "25 minutes"), ("Work", "40 minutes"))),
    "Files": PhoneApp("folder", "seat4", (("Downloads", "31 MB"), ("Music", "2.4 GB"))),
    "Store": PhoneApp("shop", "seat5", (("For you", ""), ("Games", ""), ("Tools", ""))),
    "Settings": PhoneApp("gear", "seat7", (("About this phone", ""), ("Language", "English"))),
    "Calculator": PhoneApp("calculator", "seat1", (("Last result", "48"),)),
    "Money": PhoneApp("coin", "seat2", (("This month", ""), ("Last month", ""))),
    "Weather": PhoneApp("cloud", "seat0", (("Today", "18 degrees, rain later"),
                                           ("Tomorrow", "21 degrees, sun"))),
    "Health": PhoneApp("heart", "seat6", (("Steps", "4,310 today"), ("Sleep", "7 h 20 min"))),
    "Voice": PhoneApp("mic", "seat1", (("Recording 1", "0:42"), ("Recording 2", "3:05"))),
    "Travel": PhoneApp("plane", "seat0", (("Next trip", "In 12 days"), ("Tickets", "2"))),
})  # fmt: skip
DOCKED = ("Phone", "Messages", "Browser", "Camera")
