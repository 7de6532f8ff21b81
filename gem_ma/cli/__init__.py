"""The command line: one file for each group of commands, with its options, its code and its words.

`main` puts the groups together and tells errors; `command_options` has what several groups use. It
stands above all other folders and may import every one of them; what is heavy only where a command
runs.
"""
