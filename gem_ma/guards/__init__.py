"""What stands between this package and what others wrote: JSON, endpoints, files, programs.

`given` looks at arguments, `untrusted` and `remote` at what comes from models and servers, `files`
at what is on disk, and `sandbox` runs what a model wrote. It imports nothing of the package.
"""
