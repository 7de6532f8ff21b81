"""The answers of the tasks of paths, from their scenes."""

from looked_at import nearest


def tangle(scene, question):
    lines = [line[1:5] for line in scene.lines if line[-1] > 0.007]
    letters = {label[0]: label for label in scene.labels}
    tops = [line[:2] for line in lines if line[1] == min(one[1] for one in lines)]
    at = nearest(letters[question[-2]], tops)
    while True:
        down = [line[2:] for line in lines if line[:2] == at]
        if not down:
            break
        (at,) = down
    below = {abs(label[2] - at[0]): label[0] for label in scene.labels if label[0].isdecimal()}
    return below[min(below)]


def arrow_walk(scene, question):
    ring, *arrows = scene.items
    across = sorted({item[2] for item in arrows})
    cell = across[1] - across[0]
    ways = {(round(x, 6), round(y, 6)): degrees for _, _, x, y, _, degrees in arrows}
    x, y = ring[2:4]
    for _ in range(len(arrows) + 1):
        degrees = ways.get((round(x, 6), round(y, 6)))
        if degrees is None:
            return min(scene.labels, key=lambda label: abs(label[2] - x) + abs(label[3] - y))[0]
        x += cell * {90: 1, 270: -1}.get(degrees, 0)
        y += cell * {180: 1, 0: -1}.get(degrees, 0)
    raise AssertionError("the arrows go round")
