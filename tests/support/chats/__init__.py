"""What chats are written with in tests."""
