"""GEM's helpers: to find and grade answers, to set seeds, and to print episodes."""
