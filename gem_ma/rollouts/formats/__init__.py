"""Formats of records: our own JSON, and one file for each format of another tool.

`table` names the formats and calls the files that write and read them. A third-party library is
imported only by the file of its format.
"""
