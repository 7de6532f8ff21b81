"""The answers of the tasks of maps, from their scenes."""

import math

from looked_at import nearest


def compass(scene, question):
    arrow, *dots = scene.items
    side = question.removesuffix("?").split()[-1]
    turn = arrow[5] + 90 * ("north", "east", "south", "west").index(side)
    right, up = math.sin(math.radians(turn)), math.cos(math.radians(turn))
    places = [(item[2], item[3]) for item in dots]
    names = {}
    for text, color, x, y, _ in scene.labels:
        names[nearest((text, color, x - 0.04, y), places)] = text
    return names[max(names, key=lambda place: right * place[0] - up * place[1])]
