"""Shells: the program around the page of a task, and how a seed lays both out.

`applications` has the words of programs, `layout` chooses a layout, and `shell` draws the program.
"""
