"""Social scenes with rules: private facts, talk, and payoffs checked by rule.

Each family of scenes has a file with a table `SCENES`, built with the classes of `kit`. The files
import only what every game may import.
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
