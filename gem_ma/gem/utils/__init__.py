"""GEM's helpers: answers that are found and graded, seeds, and episodes that are printed."""
