"""What passes between an environment and a model: turns, replies, chats, contexts, tokens."""
