"""Games in which one seat guesses what was drawn."""
