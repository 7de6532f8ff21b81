"""Users and assistants."""
