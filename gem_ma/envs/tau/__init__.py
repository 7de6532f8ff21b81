"""TAU-bench as a game of two seats: a user who wants something, and an assistant with tools."""
