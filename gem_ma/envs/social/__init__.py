"""Social scenes with rules: private facts, talk, and goals found by rule in what is agreed or said.

A file for each family of scenes, which are rows of its table SCENES over the kit beside them; they
import what every game may.
"""

FAMILIES = {  # the names of the scenes in each file
    "planning": "Meeting Dinner FilmNight Trip Shifts Seating MeetingPoint TimeZones",
    "sharing": "Rent Chores Heirlooms Cake Bill Budget Swap Potluck",
    "deals": "Car FaultyThing Job FleaMarket Mediator Installments",
    "secrets": "KeepSecret SayIt Codeword Forbidden Telephone",
    "inquiry": "Alibi Contradiction Diagnosis LostThing Hire WhoTook LineUp",
    "groups": "Vote Coalition StagHunt Volunteer Commons Trust",
}
FAMILY = {name: family for family, names in FAMILIES.items() for name in names.split()}
