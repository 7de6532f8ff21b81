"""Telecom: tau2-bench's domain (`company`, `device_*`), and one made from a seed (`phone`)."""
