"""Questions about shapes and their colours."""
