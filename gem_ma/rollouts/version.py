"""The version of the package, which is also in records."""

__version__ = "0.2.0.dev0"
