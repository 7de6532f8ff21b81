"""Tasks whose answers are points or boxes, in the coordinates that a model was trained on.

They import `gem_ma.scene`, `gem_ma.envs.coordinates`, the modules shared by all visual tasks,
`shapes.things`, and for pages of applications the pack `screens`.
"""
