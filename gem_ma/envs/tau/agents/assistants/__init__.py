"""Assistants of TAU-bench and tau2-bench that need no model, but know parts of the task."""
