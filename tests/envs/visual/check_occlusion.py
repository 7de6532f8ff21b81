"""The answers of the tasks of occlusion, from their scenes."""

import math


def count_covered(scene, question):
    below = set()
    for i, (_, _, x, y, wide, _) in enumerate(scene.items):
        for _, _, a, b, other, _ in scene.items[i + 1 :]:
            gap = math.dist((x, y), (a, b)) - (wide + other) / 2
            assert abs(gap) > 0.01  # none only touches another
            if gap < 0:
                below.add(i)
    return str(len(below))
