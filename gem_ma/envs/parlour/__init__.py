"""Games of seats that talk because they see different things."""
