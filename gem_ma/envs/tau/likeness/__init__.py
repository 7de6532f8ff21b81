"""How alike the users of two sets of conversations are, found by rule in their messages.

`conversation_features` describes one conversation in numbers; `user_comparison` compares sets.
"""
