"""Screens: computer use without a browser. Widgets are frozen values, drawn, clicked and read here.

`acting`, `sheet`, `tree` and `replies` are the kit; `families` hold the tasks, `game` plays them.
"""
