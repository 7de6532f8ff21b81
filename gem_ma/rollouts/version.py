"""The version of the package, which records carry."""

__version__ = "0.2.0.dev0"
