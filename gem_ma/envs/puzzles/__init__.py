"""Puzzles for one seat."""
