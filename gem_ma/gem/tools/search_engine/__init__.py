"""Search gateways by GEM's names: servers that pass the queries of a SearchTool to a search engine.

Each is started as a module and answers at `/retrieve`. The server over your own texts is
`python -m gem_ma.tools.search`.
"""
