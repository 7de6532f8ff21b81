"""One play of a game: the referee, the action in a reply, what a seat sees, seeds."""
