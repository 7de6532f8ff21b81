"""Tools and the wrapper that gives them to an environment, by GEM's names.

They are called by tags in a reply, and count as steps of the environment; those of `gem_ma.tools`
are called natively or by <tool_call>, in every view of an environment, and by all its seats.
"""
