"""Social scenes with rules: private facts, talk, and goals found by rule in what is agreed or said.

A file for each family of scenes, which are rows of its table SCENES over the kit beside them; they
import what every game may.
"""
