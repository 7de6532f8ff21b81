"""Generation of mazes: cells have odd coordinates, and the walls between them even ones."""

WALL, FREE = "#."
DIRECTIONS = ((-1, 0), (1, 0), (0, -1), (0, 1))


def generate_maze(rng, size, roots=((0, 0),)):
    """Dig a maze from several cells at once until all cells are connected to one of them.

    Return the maze as lists of symbols. Also return, for each root in order, the distance of every
    cell in its tree from that root. Roots and cells are (row, column), in cells.
    """
    side = 2 * size + 1
    maze = [[WALL] * side for _ in range(side)]
    all_distances = [{root: 0} for root in roots]
    paths = [[root] for root in roots]
    draws = iter(rng.random(size * size).tolist())
    for row, column in roots:
        maze[2 * row + 1][2 * column + 1] = FREE
    while any(paths):
        for path, distances in zip(paths, all_distances, strict=True):
            while path:  # dig one step, from the newest cell that has an undug neighbour
                row, column = path[-1]
                neighbors = [
                    (down, right)
                    for down, right in DIRECTIONS
                    if 0 <= row + down < size
                    and 0 <= column + right < size
                    and maze[2 * (row + down) + 1][2 * (column + right) + 1] == WALL
                ]
                if not neighbors:
                    path.pop()
                    continue
                down, right = neighbors[int(next(draws) * len(neighbors))]
                cell = row + down, column + right
                maze[2 * row + 1 + down][2 * column + 1 + right] = FREE
                maze[2 * cell[0] + 1][2 * cell[1] + 1] = FREE
                distances[cell] = distances[row, column] + 1
                path.append(cell)
                break
    return maze, all_distances
