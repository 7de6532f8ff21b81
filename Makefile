.PHONY: check lint types test

check: lint types test

lint:
	ruff check .
	ruff format --check .

types:
	mypy

test:
	pytest -n auto
