# Two commands are enough: `make demo` shows what rawko does, `make test` proves it. Both set up what they need.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
WORKERS ?= 4

# What the fault programme needs beside Python: system call injection, two file systems, a clock that can be set.
FAULT_TOOLS := strace mkfs.ext4 mkfs.xfs faketime git
FAULT_PACKAGES := strace e2fsprogs xfsprogs faketime git

.PHONY: demo test lint bench faults fault-tools clean help

help:
	@echo "make demo    a tour on a sample project"
	@echo "make test    lint, types and tests"
	@echo "make lint    lint and types alone"
	@echo "make bench   measurements, written to bench/results; with DATA=folder also on labelled data"
	@echo "make faults  the fault programme at full counts; parts of it need root"
	@echo "make fault-tools  install what the fault programme needs (Debian packages, as root)"

$(READY): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "rawko needs Python 3.11 or newer; set PYTHON=..."; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "installing into $(VENV) ..."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev,bench,semantic]'
	@touch $@

demo: $(READY)
	@$(BIN)/python examples/tour.py

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# Tests start hundreds of processes: none of them should compile everything again, whatever the environment says.
test: lint
	PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest -n $(WORKERS) -q

bench: $(READY)
	$(BIN)/python -m bench.append
	$(BIN)/python -m bench.start
	$(BIN)/python -m bench.speed
	$(BIN)/python -m bench.cold
	$(BIN)/python -m bench.picture
	@if [ -n "$(DATA)" ]; then $(BIN)/python -m bench.tasks --data $(DATA); $(BIN)/python -m bench.retrieval --data $(DATA); \
	else echo "DATA is not set: bench.tasks and bench.retrieval were left out"; fi
	$(BIN)/python -m bench.report

faults: $(READY) fault-tools
	RAWKO_FAULT_FIGURES=bench/results/faults.json $(BIN)/python -m pytest -q -s tests/faults --full
	$(BIN)/python -m pytest -q -n $(WORKERS) --full tests/test_codec.py tests/test_sections.py tests/test_frontmatter.py \
		tests/test_values.py tests/test_append_only.py
	$(BIN)/python -m bench.report

fault-tools:
	@missing=; for tool in $(FAULT_TOOLS); do command -v $$tool >/dev/null || missing="$$missing $$tool"; done; \
	if [ -z "$$missing" ]; then :; \
	elif [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
		echo "installing$$missing ..."; apt-get update -qq && apt-get install -qq -y $(FAULT_PACKAGES) >/dev/null; \
	else echo "MISSING:$$missing; the tests that need them are skipped"; fi

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis
