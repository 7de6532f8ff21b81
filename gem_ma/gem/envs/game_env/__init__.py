"""GEM's games by their classes: each is the seat of the game here, with GEM's defaults.

What they show and pay is said by the ids of `gem_ma.envs`, of which they are made.
"""
