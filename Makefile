# Every target installs what it needs into its own environment under .venv/.
# Needs only make and Python 3.11 or later with pip.
PYTHON ?= python3

.PHONY: demo test test-long check lint readme docs clean

demo: .venv/demo/ready  ## translate a page with the bundled model, source and translation side by side
	.venv/demo/bin/longways translate examples/first-cluster.zh.txt --side-by-side

PYTEST = OMP_NUM_THREADS=1 .venv/test/bin/pytest -n auto --dist worksteal

test: .venv/test/ready  ## run the tests that are not marked slow, one process per core
	$(PYTEST) -m "not slow"

test-long: .venv/test/ready  ## run all tests, also those marked slow, and measure coverage
	$(PYTEST) --cov --cov-report=term:skip-covered

check: lint test  ## what CI runs

lint: .venv/test/ready
	.venv/test/bin/ruff format --check .
	.venv/test/bin/ruff check .
	.venv/test/bin/mypy --strict src
	.venv/test/bin/python tools/readme_tables.py --check
	.venv/test/bin/python tools/readme_figure.py --check

readme: .venv/test/ready  ## write the tables and the figure of the documents from results/
	.venv/test/bin/python tools/readme_tables.py
	.venv/test/bin/python tools/readme_figure.py

docs: .venv/docs/ready  ## build the site into build/site, with the references generated from the code
	NO_MKDOCS_2_WARNING=1 .venv/docs/bin/mkdocs build --strict

clean:
	rm -rf .venv

.venv/test/ready: EXTRAS = [train,dev]
.venv/docs/ready: EXTRAS = [docs]
.venv/%/ready: pyproject.toml constraints.txt
	$(PYTHON) -m venv --clear $(@D)
	$(@D)/bin/pip install --quiet --constraint constraints.txt --editable '.$(EXTRAS)'
	touch $@
