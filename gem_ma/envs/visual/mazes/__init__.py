"""Questions about ways through walls."""
