"""Renderers of each type of Scene: `draw(scene, size, theme)` returns a frame."""
