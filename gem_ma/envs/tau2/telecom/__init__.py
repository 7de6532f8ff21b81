"""Telecom: `company` is tau2-bench's domain, `device` its user's phone, `phone` one of our own."""
