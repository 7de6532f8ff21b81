"""Assistants of TAU-bench and tau2-bench that need no model: each knows something of the task."""
