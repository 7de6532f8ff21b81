"""Questions about charts and tables."""
