"""Screens: computer use without a browser, with widgets as frozen values.

`acting`, `keyboard`, `ui`, `sheet` and `tree` are the toolkit; `families` has the tasks, and `game`
plays them.
"""
