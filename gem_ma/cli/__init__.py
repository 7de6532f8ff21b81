"""The command line: one file for each group of commands, with its options, code and output.

`main` combines the groups and reports errors; `command_options` has code that several groups share.
This package may import all others. Slow packages are imported only when a command runs.
"""
