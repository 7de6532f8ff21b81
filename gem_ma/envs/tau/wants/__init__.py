"""Wishes and knowledge of TAU-bench's users in words: from tasks, gold actions and data."""
