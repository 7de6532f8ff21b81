"""Environments as packages for the hubs of other projects: `gem-ma export ID --to openenv`.

`projects` writes a package from the files in `templates`. It imports none of these libraries.
"""
