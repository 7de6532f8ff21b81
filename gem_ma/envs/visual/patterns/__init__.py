"""Questions about patterns that are turned, mirrored and cut."""
