"""What stands between this package and what others wrote: JSON, endpoints, files, programs.

`arguments` checks arguments, `spec_strings` and `entry_points` find what spec strings name,
`untrusted_json` and `endpoints` check what comes from models and servers, `files` writes files
whole. Of the package it imports only `packs`.
"""
