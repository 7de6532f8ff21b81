"""Worlds that go on: all act at the same time, and with a clock the world does not wait.

A kitchen for two cooks and a field for two snakes; `clock=` of `gem_ma.make` lets time pass.
"""
