"""Questions about angles, lengths and clocks."""
