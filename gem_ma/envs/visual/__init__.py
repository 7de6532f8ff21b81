"""Tasks that need eyes: one question about one picture, with an exact answer."""
