# Every target does its own set-up in .venv; nothing but Python 3.11 or newer and make is needed.
PYTHON ?= $(shell command -v python3.11 || command -v python3)
BIN := .venv/bin
STAMP := .venv/.installed
# Of an environment with what a service needs, which takes a third of the time that all takes.
SERVICE_STAMP := .venv/.service-installed
# The other distributions, which pip would look for in an index: one command installs all. They need the library, which
# pip has to meet first.
CLIENT := packages/mobandits-client
GUESTS := $(CLIENT) packages/mobandits-papers packages/mobandits-service
BESIDE := $(GUESTS:%=--editable %)
PIP := -m pip install --quiet --disable-pip-version-check
PIP_INSTALL := $(BIN)/python $(PIP) --constraint constraints.txt --editable
PROJECTS := pyproject.toml $(GUESTS:%=%/pyproject.toml)
# Some machines forbid bytecode files; the tests start hundreds of processes, which would compile it each time.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: install demo serve-demo test test-rest test-all test-versions test-litellm quick lint types stubs notebooks docs docs-only bench release hooks ci clean

install: $(STAMP)

define environment
@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "mobandits needs Python 3.11 or newer, this is " + sys.version)'
$(PYTHON) -m venv .venv
endef

$(STAMP): $(PROJECTS) constraints.txt
	$(environment)
	$(PIP_INSTALL) '.[data,gym,ray,service,postgres,docs,dev]' $(BESIDE)
	@touch $@

$(SERVICE_STAMP): $(PROJECTS) constraints.txt
	$(environment)
	$(PIP_INSTALL) '.[data,service]' $(BESIDE)
	@touch $@

demo: install
	$(BIN)/mobandits demo --out demo

# A service to look at, under a load of real prompts; Ctrl-C ends it.
serve-demo: $(if $(wildcard $(STAMP)),$(STAMP),$(SERVICE_STAMP))
	$(BIN)/mobandits serve --demo

WORKERS := 2
PYTEST := $(BIN)/python -m pytest -n $(WORKERS) --dist worksteal
# One worker for tests that compile the same code, see conftest.py.
TOGETHER := $(BIN)/python -m pytest -n $(WORKERS) --dist loadgroup

# Compiled code where it is the subject; all else in Python, which has the same bits and waits for no compiler.
test: install
	$(PYTEST) -m 'compiled and not (process or long or slow)'
	NUMBA_DISABLE_JIT=1 $(PYTEST) -m 'not (compiled or process or long or slow)'

# What `make test` leaves out: processes, servers, databases, browsers, pages, long runs, and what compiles for minutes.
test-rest: install
	$(TOGETHER) -m 'process and not slow'
	NUMBA_DISABLE_JIT=1 $(PYTEST) -m 'long and not (process or slow)'

# Every test once, compiled.
test-all: install
	$(PYTEST)

# With every supported Python that is on this machine, each in an environment of its own.
test-versions:
	$(PYTHON) tools/versions.py

# The plugin for LiteLLM, whose packages do not go with the others of this repository; no model is called.
test-litellm:
	@test -x .venv-litellm/bin/python || $(PYTHON) -m venv .venv-litellm
	.venv-litellm/bin/python $(PIP) --constraint constraints-litellm.txt --editable '.[litellm,service]' $(BESIDE) 'litellm[proxy]' hypothesis pytest
	.venv-litellm/bin/python -m pytest -m '' --doctest-modules tests/integrations $(CLIENT)/tests $(CLIENT)/src
	.venv-litellm/bin/python -m pytest tests/test_docs.py -k route-prompts-with-litellm

# Under a minute once everything is compiled: what to run while working.
quick: lint types
	$(PYTEST) -m 'quick and not slow'

lint: install
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: install
	$(BIN)/mypy

# The type stubs of packages whose names are found in their modules.
stubs: install
	$(BIN)/python tools/stubs.py

# The notebooks, from the Python files beside them.
notebooks: install
	$(BIN)/python tools/notebooks.py

docs: install
	$(BIN)/python tools/documentation.py

# The site from an environment without tools of development: for who writes documentation only.
docs-only:
	@test -x .venv-docs/bin/python || $(PYTHON) -m venv .venv-docs
	.venv-docs/bin/python $(PIP) --constraint constraints.txt --editable '.[docs]' $(BESIDE)
	.venv-docs/bin/python tools/documentation.py

bench: install
	$(BIN)/python benchmarks/all.py

# Builds, checks and tries the distributions in dist/; uploads nothing.
release: install
	$(BIN)/python tools/release.py

# Checks before each commit and each push, of .pre-commit-config.yaml.
hooks: install
	$(BIN)/pre-commit install

ci:
	bash .ci/run

clean:
	rm -rf .venv .venv-* demo site .cache docs/changelog.md build dist src/*.egg-info packages/*/build packages/*/src/*.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
