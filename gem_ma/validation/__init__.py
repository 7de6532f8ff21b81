"""Validation of data from outside this package: JSON, endpoints, files and programs.

`arguments` checks arguments. `spec_strings` and `entry_points` resolve spec strings.
`untrusted_json` and `endpoints` check data from models and servers. `files` writes files
atomically. Of this package, validation imports `packs` only.
"""
