# Every command works first on a fresh clone: it sets up what it needs.
PYTHON ?= python3
BIN := .venv/bin
READY := .venv/.ready
export PYTHONDONTWRITEBYTECODE :=  # where it is set, every process compiles numba's text again: two seconds each

.PHONY: setup reproduce demo demo-fraud demo-pictures test coverage check proofs bench statistics verify faults peers wheel image page pictures tables notebooks docs release format clean

setup: $(READY)

$(READY): pyproject.toml dev.lock
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info[:2] < (3, 11))' || \
	  { echo "robandit needs Python 3.11 or later, and $(PYTHON) is older: try make PYTHON=python3.12"; exit 1; }
	@if uv --version >/dev/null 2>&1; then \
	  { test -x $(BIN)/python || uv venv --quiet --python $(PYTHON) .venv; } && uv pip install --quiet --python $(BIN)/python -r dev.lock -e .; \
	else \
	  $(PYTHON) -c 'import venv, ensurepip' 2>/dev/null || \
	    { echo "This Python has no venv: install it first (on Debian and Ubuntu: apt-get install python3-venv)"; exit 1; }; \
	  $(PYTHON) -m venv .venv && { \
	    { $(BIN)/pip install --quiet --disable-pip-version-check uv && $(BIN)/uv pip install --quiet --python $(BIN)/python -r dev.lock -e .; } || \
	    { echo "uv, which is quicker, cannot be had here: pip goes on alone"; \
	      $(BIN)/pip install --quiet --disable-pip-version-check -r dev.lock -e .; }; }; \
	fi
	@touch $(READY)

reproduce: $(READY)  ## the whole paper -> out/paper/report.html and results.json; QUICK=1 for a look in a minute
	$(BIN)/robandit reproduce $(if $(QUICK),--quick)

demo: $(READY)  ## the paper's setting (K=9, C=3000, scheme 3): a table and a picture
	@mkdir -p out
	$(BIN)/robandit play --policy samba --policy ucb1 --policy thompson \
	  --attack flip --schedule middle --budget 3000 --charge rounds --plot out/demo.png

demo-fraud: $(READY)  ## a shop on the decision service, a ring that lies to it, an operator who looks; STAY=1 leaves its page open
	$(BIN)/python docs/demo_fraud.py $(if $(STAY),--stay)

demo-pictures: $(READY)  ## the pictures of docs/service-demo.md
	$(BIN)/python docs/make_service_pictures.py

test: $(READY)  ## every test
	$(BIN)/pytest -n auto --dist worksteal
	@command -v coqc >/dev/null || echo "The proofs were not checked: they need Coq (on Debian and Ubuntu: apt-get install coq)."

coverage: $(READY)  ## the lines that tests reach interpreted, above 90 %; tracing takes as long again as the tests
	$(BIN)/pytest -n auto --dist worksteal --ignore tests/test_laws.py --ignore tests/test_naive.py \
	  --cov --cov-report=term:skip-covered --cov-fail-under=90

check: $(READY)  ## format, lint, types, layers, spelling
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache
	$(BIN)/codespell
	@$(BIN)/python verification/mutants.py --list > /dev/null

proofs:  ## the machine-checked theorems, compiled from nothing; prints them and the axioms they rest on
	@$(PYTHON) proofs/check.py

bench: $(READY)  ## ratios against C, start-up, cache, memory
	$(BIN)/python benchmarks/run.py

peers: $(READY)  ## other packages installed and timed beside this one: docs/compared.json; half an hour
	$(BIN)/python benchmarks/peers.py

verify: statistics  ## the same by another name

statistics: $(READY)  ## slow checks: agreement with what is known about each policy
	$(BIN)/pytest verification -n auto -rA

faults: $(READY)  ## a campaign of small faults, each to be noticed by the tests
	$(BIN)/python verification/mutants.py

wheel:  ## built, installed into an empty environment, asked for the paper without the source tree
	rm -rf out/wheel && $(PYTHON) -m venv out/wheel/env
	out/wheel/env/bin/pip wheel --quiet --disable-pip-version-check --no-deps --wheel-dir out/wheel .
	out/wheel/env/bin/pip install --quiet --disable-pip-version-check out/wheel/robandit-*.whl
	cd out/wheel && ROBANDIT_CACHE=cache env/bin/robandit reproduce --quick --out paper

image: $(READY)  ## the container of the service built and tried, with Docker or podman; BASE=... takes another base image
	$(BIN)/python verification/container.py

page: $(READY)  ## the lab in a browser -> out/page/index.html, which opens from the disk
	$(BIN)/robandit page

docs: $(READY) out/.docs/ready  ## the site: out/docs/html/index.html; every link is followed, every word looked up
	out/.docs/bin/python docs/make_site.py $(BIN)/python

out/.docs/ready: docs.lock
	@if uv --version >/dev/null 2>&1; then \
	  { test -x out/.docs/bin/python || uv venv --quiet --python $(PYTHON) out/.docs; } && \
	  uv pip install --quiet --python out/.docs/bin/python -r docs.lock; \
	else \
	  $(PYTHON) -m venv out/.docs && out/.docs/bin/pip install --quiet --disable-pip-version-check -r docs.lock; \
	fi
	@touch $@

release:  ## wheel and sdist, built twice to the same bytes, metadata checked, the wheel asked in an empty environment, with and without [service]
	rm -rf out/release && $(PYTHON) -m venv out/release/tools && $(PYTHON) -m venv out/release/empty
	out/release/tools/bin/pip install --quiet --disable-pip-version-check -r release.lock
	for again in one two; do out/release/tools/bin/python -m build --no-isolation --outdir out/release/$$again . \
	  > out/release/$$again.log || { cat out/release/$$again.log; exit 1; }; done
	cd out/release && for file in one/*; do cmp $$file two/$${file#one/}; done && sha256sum one/*
	out/release/tools/bin/twine check --strict out/release/one/*
	out/release/empty/bin/pip install --quiet --disable-pip-version-check out/release/one/robandit-*.whl
	cd out/release && ROBANDIT_CACHE=cache empty/bin/robandit play --runs 3 --horizon 1e4
	out/release/empty/bin/python verification/try_wheel.py bare
	wheel=$$(ls out/release/one/robandit-*.whl) && out/release/empty/bin/pip install --quiet --disable-pip-version-check "$$wheel[service]" pandas
	cd out/release && ROBANDIT_CACHE=cache empty/bin/python ../../verification/try_wheel.py whole

pictures: $(READY)  ## the pictures of the README and the docs; an hour from nothing, goes on where it was
	$(BIN)/python docs/make_diagrams.py
	$(BIN)/python docs/make_pictures.py

tables: $(READY)  ## the tables of the docs, from the commands above them; an hour from nothing, goes on where it was
	$(BIN)/python docs/make_tables.py

notebooks: $(READY)  ## run the notebooks of the docs and write down what they print
	$(BIN)/python docs/run_notebooks.py

format: $(READY)
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

clean:
	rm -rf .venv out .coverage* .mypy_cache .ruff_cache .pytest_cache
