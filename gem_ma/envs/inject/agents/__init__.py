"""Agents by rule for each seat of `inject:`.

Assistants know the task; what they do about an attack depends on what they read.
"""
