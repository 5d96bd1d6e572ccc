# Everything on a fresh machine with Python and make: `make demo`, `make test`, `make test-all`, `make docs`.
# LOCKED=1 installs exactly the packages of requirements/dev.txt and checks their hashes.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check

.PHONY: demo test test-all test-postgres fuzz lint docs lock clean

demo: $(VENV)/demo.stamp
	@$(BIN)/nln demo --cv 5

# All that a change needs to be trusted.
test: $(VENV)/test.stamp
	$(BIN)/python -m pytest -n 2 --dist loadfile --no-loadscope-reorder -m "not slow"

# The same with notebooks, quick benchmarks, the site and pages in a browser, and every law on more examples.
test-all: $(VENV)/test.stamp
	NLN_HYPOTHESIS=full $(BIN)/python -m pytest -n 2 --dist loadfile --no-loadscope-reorder

# Exports against a PostgreSQL server of its own; installs Debian's if there is none.
test-postgres: $(VENV)/test.stamp
	PYTHON=$(BIN)/python scripts/test-postgres

# Damaged files, rules, tables and command lines with new seeds, for an hour; it prints inputs and failures by kind.
fuzz: $(VENV)/test.stamp
	$(BIN)/python -W ignore -m tests.fuzz --seconds 3600 --out docs/reliability/fuzz.json
	$(BIN)/python scripts/reliability

lint: $(VENV)/lint.stamp
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/codespell
	$(BIN)/mypy

# The site, in docs/_build/index.html. A warning, such as a link that leads nowhere, is an error.
docs: $(VENV)/docs.stamp
	$(BIN)/python -m sphinx -W -n --keep-going -q docs docs/_build

$(VENV)/%.stamp: pyproject.toml
	@test -x $(BIN)/python || { echo "Creating $(VENV) ..."; $(PYTHON) -m venv $(VENV); }
	@echo "Installing nln with the '$*' extra ..."
	@if [ -n "$(LOCKED)" ]; then \
	    $(PIP) --require-hashes --requirement requirements/dev.txt && $(PIP) --no-deps --no-build-isolation --editable .; \
	else $(PIP) --editable ".[$*]"; fi
	@touch $@

# The versions and hashes that LOCKED=1 installs, for every Python and system.
lock: $(VENV)/lint.stamp
	$(PIP) uv
	$(BIN)/uv pip compile pyproject.toml requirements/dev.in --extra test --extra lint --universal --python-version 3.11 \
	    --generate-hashes --upgrade --quiet --custom-compile-command "make lock" --output-file requirements/dev.txt

clean:
	rm -rf $(VENV) src/nln/native/lib build dist docs/_build docs/examples docs/jupyter_execute .pytest_cache .hypothesis .mypy_cache .ruff_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
