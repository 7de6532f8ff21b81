"""Tasks in a terminal: a model types shell commands, and is paid by the files that it leaves.

Every command runs in the sandbox of `gem_ma.sandbox`, on a copy of the task's files.
"""
