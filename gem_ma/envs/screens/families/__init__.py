"""Families of tasks for screens, by what they are about; REGISTER has the id of each.

A file for each group. They import the kit above them and what every game may.
"""

REGISTER = {  # "module:class" by the id behind "screens:"
    "buttons": "singles:ClickOne",
    "links": "singles:ClickLink",
    "tabs": "singles:ClickTab",
    "checkboxes": "singles:Checkboxes",
    "radios": "singles:Radios",
    "dropdowns": "singles:Dropdowns",
    "lists": "singles:Lists",
    "typing": "singles:Typing",
    "password": "singles:Password",
    "sliders": "singles:Sliders",
    "folds": "singles:Folds",
    "dialogs": "singles:Dialog",
}
