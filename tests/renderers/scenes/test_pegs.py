"""Pegs: every disc is shown."""

from gem_ma.renderers import (
    draw,
)
from gem_ma.scene import (
    Pegs,
)

SIZE = 252, 252


def test_pegs_show_every_disc():
    tower = Pegs(((3, 2, 1), (), ()), 3, ("A", "B", "C"), ("7 moves left",))
    others = [
        Pegs(((3, 2), (1,), ()), 3, ("A", "B", "C"), ("7 moves left",)),
        Pegs(((3, 2), (), (1,)), 3, ("A", "B", "C"), ("7 moves left",)),
        Pegs(((3, 2, 1), (), ()), 4, ("A", "B", "C"), ("7 moves left",)),
        Pegs(((3, 2, 1), (), ()), 3, ("A", "B", "C"), ("6 moves left",)),
    ]
    assert len({draw(scene, SIZE).tobytes() for scene in (tower, *others)}) == 5
    draw(Pegs((tuple(range(8, 0, -1)), (), ()), 8), SIZE)
