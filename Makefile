# Two commands do everything on a fresh machine: `make demo` and `make test`.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
READY  := $(VENV)/.ready

.PHONY: setup demo test lint docs bench clean

setup: $(READY)  ## an own virtual environment with everything the checks need

$(READY): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit("Pyramidion needs Python 3.11 or newer, this is " + sys.version.split()[0] if sys.version_info < (3, 11) else 0)'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev]'
	@touch $@

demo: $(READY)  ## the bundled example, from files to scores
	$(BIN)/pyramidion demo

lint: $(READY)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

test: lint  ## every check: format, lint, types, tests, doctests, documentation
	$(BIN)/python -m pytest -n auto

docs: $(READY)  ## write the generated parts of the documentation and of the README again
	$(BIN)/python docs/generate.py

bench: $(READY)  ## side-by-side measurements, printed as ratios
	$(BIN)/python bench/formats.py
	$(BIN)/python bench/startup.py

clean:
	rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
