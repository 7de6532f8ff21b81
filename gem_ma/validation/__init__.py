"""What stands between this package and what others wrote: JSON, endpoints, files, programs.

`given` looks at arguments, `specs` and `source` at what spec strings name, `untrusted` and `remote`
at what comes from models and servers, `files` at what is on disk, and `sandbox` runs what a model
wrote. It imports nothing of the package.
"""
