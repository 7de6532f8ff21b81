"""A web shop in the manner of WebShop: search, look at products, choose options, and buy one.

The catalogue is generated from the seed, or read from WebShop's own files. GEM's reward compares
what was bought with what was asked for.
"""
