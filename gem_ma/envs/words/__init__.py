"""Puzzles of words and of linked pages."""
