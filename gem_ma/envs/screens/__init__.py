"""Screens: computer use without a browser, with widgets as frozen values.

`acting`, `keyboard`, `ui`, `sheet` and `tree` are the toolkit; `families` has the tasks, `shells`
the programs around their pages, and `game` plays them.
"""
