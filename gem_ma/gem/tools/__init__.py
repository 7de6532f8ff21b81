"""Tools by GEM's names, and the wrapper that adds them to an environment.

A reply calls them by tags, and a call counts as a step. The tools of `gem_ma.tools` are called
natively or by `<tool_call>`, in every API of an environment, and by all its seats.
"""
