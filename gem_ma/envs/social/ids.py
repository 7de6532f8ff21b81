"""Social scenes with rules, for two to four seats: what is agreed or said pays, and no judge."""

from gem_ma.envs.registry import Spec

FAMILIES = {  # the names of the scenes in each file
    "planning": "Meeting Dinner FilmNight Trip Shifts Seating MeetingPoint TimeZones",
    "sharing": "Rent Chores Heirlooms Cake Bill Budget Swap Potluck",
    "deals": "Car FaultyThing Job FleaMarket Mediator Installments",
    "secrets": "KeepSecret SayIt Codeword Forbidden Telephone",
    "inquiry": "Alibi Contradiction Diagnosis LostThing Hire WhoTook LineUp",
    "groups": "Vote Coalition StagHunt Volunteer Commons Trust",
}
FAMILY = {name: family for family, names in FAMILIES.items() for name in names.split()}


def specs():
    return [_spec(name) for name in FAMILY]


def find(id):
    """Return nothing: all there are, are listed."""
    return


def _spec(name):
    return Spec(f"social:{name}-v0", "gem_ma.envs.social.game:Social", {"scene": name})
