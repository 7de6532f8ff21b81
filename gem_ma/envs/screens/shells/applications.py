"""The programs around the pages of tasks: their names, menus, entries and other words.

No word here is one that a task asks for, such as the name of a button.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import NamedTuple


class Application(NamedTuple):
    """The words of a program.

    Attributes:
        names: of the program; a seed takes one.
        menus: of its menu bar.
        entries: of its side bar, the open one first.
        headings: above the page; a seed takes one.
        notes: lines of a panel beside the page, its heading first.
        states: of the bar at the bottom; a seed takes one.
    """

    names: tuple[str, ...]
    menus: tuple[str, ...]
    entries: tuple[str, ...]
    headings: tuple[str, ...]
    notes: tuple[str, ...]
    states: tuple[str, ...]


APPLICATIONS = MappingProxyType({
    "website": Application(
        ("Northwind", "Meadow & Co", "Bluebird", "Harborline", "Fernway", "Pinecrest"),
        ("Start", "News", "Prices", "About us", "Contact"),
        ("Overview", "My account", "Messages", "Partners", "Careers", "Imprint"),
        ("Your request", "Customer area", "Member area", "Service desk"),
        ("Did you know?", "We answer every", "question within", "two working days."),
        ("Secure connection", "Page loaded", "3 of 3 parts loaded"),
    ),
    "settings": Application(
        ("Preferences", "System settings", "Control room", "Setup"),
        ("File", "View", "Profile", "Help"),
        ("General", "Display", "Network", "Privacy", "Accounts", "Language"),
        ("General", "Your choices", "This device"),
        ("Changes", "All changes hold", "for this user", "of this device."),
        ("Version 4.2", "No restart needed", "Signed in as guest"),
    ),
    "mail": Application(
        ("Postbox", "Letterbird", "Mailroom", "Paper Plane"),
        ("File", "Mail", "View", "Tools", "Help"),
        ("Received", "Drafts", "Sent", "Archive", "Spam", "Trash"),
        ("Received", "All mail", "This week"),
        ("Storage", "2.1 of 15 GB", "are in use.", "Next check: 9:45"),
        ("Checked at 9:41", "Connected", "All folders are up to date"),
    ),
    "contacts": Application(
        ("Address book", "People", "Who's who", "Rolodeck"),
        ("File", "Cards", "View", "Help"),
        ("Everybody", "Family", "Friends", "Work", "Recent"),
        ("Everybody", "My people", "A to Z"),
        ("Groups", "Family: 4", "Friends: 11", "Work: 8"),
        ("Sorted by entry", "Stored on this device", "Last backup: Monday"),
    ),
    "files": Application(
        ("Cabinet", "File manager", "Shelves", "Drawer"),
        ("File", "Edit", "View", "Go", "Help"),
        ("Home", "Desktop", "Downloads", "Pictures", "Music", "Network"),
        ("Home", "Documents", "Shared folder"),
        ("Disk", "118 GB free", "of 256 GB", "Last scan: today"),
        ("118 GB free", "Read and write", "Local disk"),
    ),
    "calendar": Application(
        ("Week planner", "Datebook", "Agenda", "Timeline"),
        ("File", "Date", "View", "Help"),
        ("This week", "Tasks", "Birthdays", "Holidays"),
        ("This week", "Working hours", "Week 23"),
        ("Time zone", "Central Europe", "Week 23", "5 working days"),
        ("Week 23", "Synced at 8:00", "Times are local"),
    ),
    "shop": Application(
        ("Green Basket", "Market Lane", "Daily Goods", "Pantry Box"),
        ("Offers", "Stores", "Service", "About us"),
        ("Groceries", "Offers", "My orders", "Vouchers", "Service"),
        ("Fresh today", "Our shelves", "Welcome to the shop"),
        ("Delivery", "From 4 to 8 pm", "in the whole city", "at no charge."),
        ("Open until 8 pm", "Secure connection", "Prices hold today"),
    ),
    "editor": Application(
        ("Notepad", "Draftsman", "Writer's desk", "Plain Pages"),
        ("File", "Edit", "Insert", "Format", "View", "Help"),
        ("Draft 1", "Draft 2", "Letters", "Minutes", "Templates"),
        ("Draft 1", "Untitled", "Minutes"),
        ("Outline", "Introduction", "Main part", "Summary"),
        ("Line 1, column 1", "English (UK)", "UTF-8"),
    ),
    "table": Application(
        ("Gridbook", "Tabula", "Sheets & Sums", "Ledger"),
        ("File", "Edit", "Insert", "Data", "Help"),
        ("Sheet 1", "Sheet 2", "Charts", "Sources", "Notes"),
        ("Sheet 1", "Overview", "Figures of the year"),
        ("Source", "City register,", "all figures in", "thousands."),
        ("Ready", "100 %", "Figures are final"),
    ),
    "drawing": Application(
        ("Sketchbook", "Canvas", "Easel", "Shape Works"),
        ("File", "Edit", "Layer", "View", "Help"),
        ("Layer 1", "Layer 2", "Ground", "Guides", "Notes"),
        ("Layer 1", "Untitled", "Study 3"),
        ("Page", "A4, upright", "Grid: off", "Ruler: off"),
        ("Zoom 100 %", "No selection", "Pixels"),
    ),
    "terminal": Application(
        ("Console", "Terminal", "Command line"),
        ("File", "Edit", "View", "Help"),
        ("Local", "Server 1", "Server 2", "Logs"),
        ("Session 1", "Local shell", "guest@local"),
        ("Server", "Load: 0.3", "Users: 2", "Up for 6 days"),
        ("80 columns", "Local", "Session 1"),
    ),
    "map": Application(
        ("Atlas", "Wayfinder", "World map"),
        ("File", "Places", "View", "Help"),
        ("Explore", "My places", "Routes", "Layers"),
        ("Explore", "Europe and beyond", "All places"),
        ("Legend", "Dots are cities.", "Scale changes", "with the zoom."),
        ("Map data: 2026", "Online", "North is up"),
    ),
    "calculator": Application(
        ("Calculator", "Reckoner", "Sums"),
        ("File", "Mode", "View", "Help"),
        ("Standard", "Science", "Dates", "Units"),
        ("Standard", "Everyday sums", "Desk"),
        ("Memory", "Nothing stored.", "Rounding: none", "Angle: degrees"),
        ("Degrees", "Standard", "Memory empty"),
    ),
    "game": Application(
        ("Arcade", "Games room", "Pastime", "Parlour"),
        ("Game", "View", "Players", "Help"),
        ("This game", "Best times", "Statistics", "Themes"),
        ("Round 1", "Single player", "Good luck"),
        ("Best times", "Guest 1: 2:04", "Guest 2: 2:31", "Guest 3: 3:10"),
        ("Sound is off", "Guest", "Round 1"),
    ),
})  # fmt: skip

# What lies on the desktop beside a program: windows with a few words, and names of icons.
NOTES = MappingProxyType({
    "Notes": ("Call the dentist", "Water the plants", "Return the key"),
    "Weather": ("Today: 18 degrees", "Tomorrow: rain", "Wind from the west"),
    "Chat": ("Sam: see you at 5", "You: fine, at 5", "Sam: bring a chair"),
    "Player": ("Evening mix", "Track 4 of 12", "Volume 40 %"),
    "To do": ("Pay the rent", "Book a room", "Write to the bank"),
})  # fmt: skip
ICONS = ("Computer", "Trash", "Photos", "Manual", "Scanner", "Readme")
