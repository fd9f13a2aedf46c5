# Two commands do everything on a fresh machine: `make demo` and `make test`. Without make: `python -m dev demo`.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
READY  := $(VENV)/.ready

.PHONY: setup demo check test fuzz mutants browser lint ray bare neural docs release bench clean

setup demo lint check ray bare docs release:  ## dev/__main__.py says what each does
	@$(PYTHON) -m dev $@

$(READY): pyproject.toml entails/pyproject.toml words/pyproject.toml writes/pyproject.toml
	@$(PYTHON) -m dev setup

browser:  ## Debian's Chromium and PostgreSQL for the tests, where they can be installed; without them some are skipped
	@missing=; command -v chromium >/dev/null || missing="chromium fonts-dejavu-core"; \
	ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || command -v initdb >/dev/null || missing="$$missing postgresql"; \
	[ -n "$$missing" ] || exit 0; \
	if [ "$$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then \
		echo "missing, and no right to install it: $$missing; its tests will be skipped"; exit 0; fi; \
	echo "installing for the tests: $$missing"; export DEBIAN_FRONTEND=noninteractive; \
	said=$$( { apt-get update && apt-get install -y --no-install-recommends $$missing; } 2>&1 ) \
		|| echo "$$missing cannot be installed, its tests will be skipped: $$(echo "$$said" | tail -1)"

test: browser  ## every check: format, lint, types, wheels, tests, doctests, documentation
	@$(PYTHON) -m dev test

fuzz: MINUTES ?= 10
fuzz: $(READY)  ## the property tests at random, round after round: make fuzz MINUTES=60
	$(BIN)/python -m tests.at_random --minutes $(MINUTES)

neural: $(READY)  ## torch and transformers, for the tests of entailment models, which are skipped without them (1 GB)
	$(BIN)/pip install --quiet --disable-pip-version-check torch==2.13.0
	$(BIN)/pip install --quiet --disable-pip-version-check transformers sentencepiece

bench: $(READY)  ## side-by-side measurements, printed as ratios
	$(BIN)/python bench/formats.py
	$(BIN)/python bench/readers.py
	$(BIN)/python bench/inputs.py
	$(BIN)/python bench/startup.py
	$(BIN)/python bench/edua.py
	$(BIN)/python bench/evaluate.py
	$(BIN)/python bench/cache.py
	$(BIN)/python bench/extractive.py
	$(BIN)/python bench/stability.py
	$(BIN)/python bench/matchers.py
	$(BIN)/python bench/ape.py
	$(BIN)/python bench/judges.py
	$(BIN)/python bench/word_pieces.py
	$(BIN)/python bench/marks.py
	$(BIN)/python bench/stats.py
	$(BIN)/python bench/crowd.py
	$(BIN)/python bench/growth.py
	$(BIN)/python bench/serve.py
	$(BIN)/python bench/studio.py

MINUTES ?= 10
SEED    ?= 0
mutants: $(READY)  ## small changes to the code that no test notices, as many as MINUTES allow (SEED, ONLY=stats/)
	$(BIN)/python tests/mutants.py --minutes $(MINUTES) --seed $(SEED) --only '$(ONLY)'

clean:
	rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
