"""The answers of the tasks of programs, from their scenes: one that paints row by row."""


def draw_program(scene, question):
    return "; ".join(
        f"box {x} {y} {x} {y}"
        for y, row in enumerate(scene.rows)
        for x, mark in enumerate(row)
        if mark == "#"
    )
