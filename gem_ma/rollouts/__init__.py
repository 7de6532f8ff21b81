"""Many episodes at once: the run, its records, and the processes and clusters that play them.

It may import apis, agents and what is below; training and evaluation read what it records.
"""
