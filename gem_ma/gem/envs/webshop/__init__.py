"""The web shop with the names of GEM's module."""
