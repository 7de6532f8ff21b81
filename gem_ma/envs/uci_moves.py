"""All moves of chess in UCI notation, such as e2e4."""

FILES, RANKS = "abcdefgh", "12345678"


def _generate_moves():
    squares = [(file, rank) for rank in range(8) for file in range(8)]
    names = {(file, rank): FILES[file] + RANKS[rank] for file, rank in squares}
    for start, end in ((s, e) for s in squares for e in squares if s != e):
        across, up = abs(start[0] - end[0]), abs(start[1] - end[1])
        if not across or not up or across == up or across + up == 3:  # of a queen or a knight
            yield names[start] + names[end]
        if across <= 1 and (start[1], end[1]) in ((6, 7), (1, 0)):
            yield from (names[start] + names[end] + piece for piece in "qrbn")


UCI_MOVES = tuple(_generate_moves())  # every move that any piece could make on some board
