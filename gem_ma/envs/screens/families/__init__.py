"""Families of tasks for screens, by what they are about; REGISTER has the id of each.

A file for each group. They import the kit above them and what every game may.
"""

REGISTER = {  # "module:class" by the id behind "screens:"
    "buttons": "singles:Buttons",
    "links": "singles:Links",
    "tabs": "singles:Tabs",
    "checkboxes": "singles:Checkboxes",
    "radios": "singles:Radios",
    "dropdowns": "singles:Dropdowns",
    "lists": "singles:Lists",
    "typing": "singles:Typing",
    "password": "singles:Password",
    "sliders": "singles:Sliders",
    "folds": "singles:Folds",
    "dialogs": "singles:Dialogs",
    "spinners": "singles:Spinners",
    "dates": "singles:Dates",
    "colors": "singles:Colors",
    "completing": "singles:Completing",
    "trees": "singles:Trees",
    "menus": "singles:Menus",
    "scrolling": "singles:Scrolling",
    "login": "forms:Login",
    "booking": "forms:Booking",
    "checkout": "forms:Checkout",
    "settings": "forms:Settings",
    "searching": "forms:Searching",
    "inbox": "lists:Inbox",
    "contacts": "lists:Contacts",
    "files": "lists:Files",
    "calendar": "lists:Calendar",
}
