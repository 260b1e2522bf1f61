# demo: set up and run the main job offline.  test: set up and pass the tests.  check: style and types.
# chaos: the slow tests of faults.  coverage: which lines the tests reach.  record, perf, picture: see below.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

.PHONY: demo test chaos coverage check format record perf picture

# Made anew when pyproject.toml changed; does nothing when it is up to date.
$(STAMP): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit("Python 3.11 or newer is needed, this is " + sys.version.split()[0]) if sys.version_info < (3, 11) else None'
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@

demo: $(STAMP)
	$(BIN)/pytest benchmarks/test_probes.py --design=no_memory,full_context,rolling_summary --membench-record=none -q

test: $(STAMP)
	$(BIN)/pytest -n 3

# Endpoint, disk and workers broken by twenty seeds: minutes, so apart from the other tests.
chaos: $(STAMP)
	$(BIN)/pytest tests/chaos -q -s

# The tests again, measured: slower, and in one process.
coverage: $(STAMP)
	$(BIN)/coverage erase
	$(BIN)/coverage run -m pytest
	@$(BIN)/coverage combine --quiet
	$(BIN)/coverage report

check: $(STAMP)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

format: $(STAMP)
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

# Record what the shipped cassettes miss, with the local stand-in model.
record: $(STAMP)
	$(BIN)/pytest benchmarks --design=all --membench-record=new -q

perf: $(STAMP)
	$(BIN)/python tests/perf/bench_replay.py
	$(BIN)/python tests/perf/bench_collect.py
	$(BIN)/python tests/perf/bench_bootstrap.py

# The picture of report.html in the README; needs Debian's chromium.
picture: $(STAMP)
	$(BIN)/pytest benchmarks --design=all --membench-record=none --membench-out=.membench/picture -q
	$(BIN)/python tests/browser/make_picture.py .membench/picture/report.html docs/images/report.png
