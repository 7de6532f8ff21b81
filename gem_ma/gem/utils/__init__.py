"""What GEM's scripts import of its helpers: reading answers, and the text of a last observation."""
