"""A renderer for each type of Scene: `draw(scene, size, theme)` returns a frame."""
