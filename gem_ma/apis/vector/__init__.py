"""Vectors of environments: Gymnasium's vector API for one seat, and an API for all seats."""
