# Everything here works in a fresh clone with Python 3.11 to 3.14, git and make. `make help` lists the targets.

VENV ?= .venv
JOBS ?= 2
INPUTS ?= 2000000
# Fuzzing takes every core, unless JOBS= says how many.
ALL_CORES := $(if $(filter-out file,$(origin JOBS)),--jobs $(JOBS))
BIN := $(VENV)/bin
# Kernels are operators of torch, too, and their tests need it: on the CPU it is enough. On Linux pip's own index has the
# build for CUDA alone, of several gigabytes, so that the small one is asked for by its label; it is found where pip is
# told to look (`PIP_EXTRA_INDEX_URL`, `PIP_FIND_LINKS`). Without it the tests that need torch are skipped. `TORCH=torch`
# takes any build, and `TORCH=` none.
TORCH ?= torch==2.13.0$(if $(filter Linux,$(shell uname)),+cpu)
# `CONSTRAINTS=constraints.txt` installs the versions that the tests last passed with; without it, the newest that fit.
CONSTRAINTS ?=
# With uv where it is to be had: pip takes a minute longer. A source distribution has pip alone.
BY_PIP = $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile
INSTALL = $(if $(wildcard .ci/install.py),$(BIN)/python .ci/install.py,$(BY_PIP))
PIP = $(INSTALL) $(if $(CONSTRAINTS),-c $(CONSTRAINTS))
# How tests share the cores: as forks of one process that has collected them, which GPUs do not survive and Linux alone
# counts the threads for. Elsewhere each process of pytest-xdist collects.
SHARED := $(if $(wildcard /dev/nvidiactl),,$(filter Linux,$(shell uname)))
PROCESSES := $(if $(SHARED),--forks $(JOBS),-n $(JOBS) --dist worksteal)
# The interpreter that the virtual environment is made from. Without PYTHON=, the first one here that is new enough.
PYTHON ?=
CANDIDATES := $(if $(PYTHON),$(PYTHON),python3 python3.14 python3.13 python3.12 python3.11)

.PHONY: help demo serve-demo test lint format types lit pytest assemble fuzz fuzz-analyses fuzz-text fuzz-gpu faults mutants plant fuzz-audit fuzz-bytecode fuzz-frontend fuzz-passes fuzz-tiles soak soak-threads soak-engine forks switches docs docs-version golden clean
.DEFAULT_GOAL := help
export JOBS VENV TORCH
# What Python compiles is kept, whatever the shell says of it: tests start many processes, and each would compile anew.
unexport PYTHONDONTWRITEBYTECODE

help: ## List the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 16

demo: $(VENV)/.installed ## Install into .venv and run the quick start: on the GPU if there is one, else interpreted
	$(BIN)/python examples/quickstart.py

serve-demo: $(VENV)/.installed-test ## Serve a tiny random model on this machine, and talk to it with OpenAI's client
	$(BIN)/python examples/serve.py

# The checks run beside pytest, whose output is shown from when they are done: it comes last. They are one process more
# than there are cores, and no second one gains by importing what the first has.
test: $(VENV)/.installed-test ## Lint, type check, lit suites and pytest
	@mkdir -p build; : > build/pytest.log; \
	$(MAKE) --no-print-directory pytest > build/pytest.log 2>&1 & tests=$$!; \
	trap 'kill $$tests $$shown 2>/dev/null; exit 130' INT TERM; \
	$(MAKE) --no-print-directory --keep-going JOBS=1 lint types lit; checks=$$?; \
	tail -n +1 -f build/pytest.log & shown=$$!; \
	wait $$tests; tests=$$?; sleep 1; kill $$shown; \
	[ $$checks = 0 ] || echo "lint, types or lit failed: see above" >&2; \
	[ $$checks = 0 ] && [ $$tests = 0 ]

lint: $(VENV)/.installed-test ## ruff, rules and format
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

format: $(VENV)/.installed-test ## Let ruff mend what it can
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

types: $(VENV)/.installed-test ## basedpyright in strict mode
	$(BIN)/basedpyright --pythonpath $(BIN)/python

lit: $(VENV)/.installed-test ## The FileCheck suites
	$(BIN)/lit -sv -j $(JOBS) test/lit

pytest: $(VENV)/.installed-test ## The Python tests; those that need a GPU are skipped where there is none
	$(BIN)/python -m pytest $(PROCESSES) --durations=20 --durations-min=1

assemble: $(VENV)/.installed-test ## The Python tests, with the assembler run for what it is known to take as well (test/answers.py)
	$(BIN)/python -m pytest $(PROCESSES) --assemble

fuzz: $(VENV)/.installed-test ## Run CASES=200000 random ownership kernels that the verifiers accept; SEED=0, in JOBS processes (as many as cores)
	$(BIN)/python test/fuzz/fuzz_ownership.py --cases $(or $(CASES),200000) --seed $(or $(SEED),0) $(ALL_CORES)

fuzz-text: $(VENV)/.installed-test ## Damage ownership IR as text CASES=100000 times, for parser, verifiers and interpreter; SEED=0
	$(BIN)/python test/fuzz/fuzz_text.py --cases $(or $(CASES),100000) --seed $(or $(SEED),0) $(ALL_CORES)

faults: $(VENV)/.installed-test ## Plant faults in the verifiers, one at a time, and see that the fuzzer finds each
	$(BIN)/python test/fuzz/planted_faults.py --seed $(or $(SEED),0)

plant: $(VENV)/.installed-test ## Plant FAULTS=60 faults in the product's own source, one at a time, and see that its nearest tests find each; SEED=0
	$(BIN)/python test/fuzz/plant.py --faults $(or $(FAULTS),60) --seed $(or $(SEED),0) $(ALL_CORES)

fuzz-analyses: $(VENV)/.installed-test ## What is said of integers against registers: ROUNDS=20000 of every operation, KERNELS=100000; SEED=0
	$(BIN)/python test/fuzz/fuzz_integers.py --rounds $(or $(ROUNDS),20000) --seed $(or $(SEED),0)
	$(BIN)/python test/fuzz/fuzz_analyses.py --kernels $(or $(KERNELS),100000) --seed $(or $(SEED),0)

fuzz-gpu: $(VENV)/.installed-test ## Run CASES=2000 random kernels on the GPU, and compare with the interpreter; SEED=0
	$(BIN)/python test/fuzz/fuzz_gpu.py --cases $(or $(CASES),2000) --seed $(or $(SEED),0) $(ALL_CORES)
	$(BIN)/python test/fuzz/fuzz_carried.py --cases $(or $(CASES),2000) --seed $(or $(SEED),0) $(ALL_CORES)

mutants: $(VENV)/.installed-test ## Damage every accepted kernel in every way, and see what becomes of it; SECONDS=0 SEED=0
	$(BIN)/python test/fuzz/mutants.py --survivors --seconds $(or $(SECONDS),0) --seed $(or $(SEED),0) $(ALL_CORES)

fuzz-frontend: $(VENV)/.installed-test ## Throw CASES=100000 random kernels at the frontend, and compare as many with Python; SEED=0
	$(BIN)/python test/fuzz/fuzz_frontend.py --cases $(or $(CASES),100000) --seed $(or $(SEED),0) $(ALL_CORES)
	$(BIN)/python test/fuzz/fuzz_meaning.py --cases $(or $(CASES),100000) --seed $(or $(SEED),0) $(ALL_CORES)

fuzz-passes: $(VENV)/.installed-test ## Run CASES=10000 random kernels before and after each pass of the optimiser; SEED=0
	$(BIN)/python test/fuzz/fuzz_contraction.py --cases $(or $(CASES),10000) --seed $(or $(SEED),0) $(ALL_CORES)
	$(BIN)/python test/fuzz/fuzz_memory.py --cases $(or $(CASES),10000) --seed $(or $(SEED),0) $(ALL_CORES)

fuzz-tiles: $(VENV)/.installed-test ## Launch CASES=2000 random kernels with every tile that a launch could choose; SEED=0
	$(BIN)/python test/fuzz/fuzz_tiles.py --cases $(or $(CASES),2000) --seed $(or $(SEED),0) $(ALL_CORES)

fuzz-audit: $(VENV)/.installed-test ## Audit CASES=100000 mutants of kernels of cuTile Python, which has to be installed; SEED=0
	$(BIN)/python test/fuzz/fuzz_audit.py --cases $(or $(CASES),100000) --seed $(or $(SEED),0) $(ALL_CORES)

fuzz-bytecode: $(VENV)/.installed-test ## Throw INPUTS=2000000 hostile inputs at the bytecode reader
	$(BIN)/python test/fuzz/fuzz_bytecode.py --inputs $(INPUTS)

soak: $(VENV)/.installed-test ## Make LAUNCHES=10000000 launches on a stub of the driver, and see that memory stays flat
	$(BIN)/python test/runtime/soak.py --launches $(or $(LAUNCHES),10000000)

soak-threads: $(VENV)/.installed-test ## Take STEPS=1000000 steps in 8 threads while things go wrong, on a stub of the driver; SEED=0
	$(BIN)/python test/runtime/soak.py --threads 8 --steps $(or $(STEPS),1000000) --seed $(or $(SEED),0)

soak-engine: $(VENV)/.installed-test ## Answer REQUESTS=10000 requests, some given up, on the interpreter, and see that memory stays flat
	$(BIN)/python test/engine/many_requests.py --requests $(or $(REQUESTS),10000)

forks: $(VENV)/.installed-test ## Fork before each line that another thread executes, and see that the child works on the host
	$(BIN)/python test/runtime/on_stub.py forks.py --every $(or $(EVERY),1)

switches: $(VENV)/.installed-test ## Switch between two threads before each line (minutes), or each pair of lines: SWITCHES=2 WITHIN=ledger
	$(BIN)/python test/runtime/on_stub.py switches.py --jobs $(JOBS) --preemptions $(or $(SWITCHES),1) --within "$(WITHIN)"

docs: $(VENV)/.installed-test ## Write what is generated from docstrings and error classes, and build the book in build/site
	$(BIN)/python -m freehold.tools.error_pages
	$(BIN)/python -m freehold.tools.op_reference --write docs/reference/cuda_tile.md
	$(BIN)/python -m freehold.tools.pass_reference
	$(BIN)/python -m freehold.tools.python_reference
	$(BIN)/python -m pytest --update-golden test/house/test_layout.py test/house/test_wording.py
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build

docs-version: $(VENV)/.installed-test ## Put the book that `make docs` built on the branch gh-pages, in the folder VERSION
	rm -rf build/books && git worktree prune
	if git fetch -q origin gh-pages; then git worktree add --detach build/books FETCH_HEAD; \
	else git worktree add --detach build/books && git -C build/books checkout -q --orphan books && git -C build/books rm -rfq .; fi
	$(BIN)/python -m freehold.tools.docs_version build/site build/books $(VERSION)
	touch build/books/.nojekyll && git -C build/books add -A
	git -C build/books -c user.name=release -c user.email=release@localhost commit -qm "the book of $(VERSION)"
	git -C build/books push origin HEAD:gh-pages

golden: $(VENV)/.installed-test ## Accept the texts that tests compare with as they are now; read the difference before committing
	$(BIN)/python -m pytest $(PROCESSES) --update-golden

clean: ## Remove what was built, with the virtual environment
	rm -rf $(VENV) build dist

# Two stamps, so that the demonstration does not wait for the test tools. Editable installs go through the links in
# src/freehold; a checkout without symbolic links gets a plain install.
EDITABLE := $(if $(wildcard src/freehold/support/span.py),-e )

$(VENV)/.installed: pyproject.toml $(wildcard runtime/native*.[ch]) | $(VENV)/bin/python
	$(PIP) $(EDITABLE).
	@touch $@

$(VENV)/.installed-test: pyproject.toml $(wildcard runtime/native*.[ch]) | $(VENV)/bin/python
	$(PIP) $(EDITABLE)'.[test]'
	@test -z '$(TORCH)' || $(INSTALL) '$(TORCH)' 2>/dev/null || \
	  echo "note: pip does not find $(TORCH), so the tests that need torch will be skipped (see TORCH in the Makefile)"
	@touch $@ $(VENV)/.installed

# Python's own pip may be years old, and one of 2023 takes twice as long to choose among what an index has. It has to get
# one package where there is uv.
$(VENV)/bin/python:
	@for python in $(CANDIDATES); do \
	  if $$python -c 'import sys; sys.exit(not (3, 11) <= sys.version_info < (3, 15))' 2>/dev/null; then \
	    echo "$$python -m venv $(VENV)"; \
	    $$python -m venv $(VENV) && { $(BY_PIP) uv 2>/dev/null || $(BY_PIP) --upgrade pip 2>/dev/null || true; } && exit 0; \
	    rm -rf $(VENV); \
	    echo "error: $$python cannot make a virtual environment (on Debian and Ubuntu: apt install python3-venv)" >&2; \
	    exit 1; \
	  fi; \
	done; \
	echo "error: Freehold needs Python 3.11 to 3.14, and none of these is: $(CANDIDATES)." >&2; \
	echo "       Name another one: make PYTHON=/path/to/python3.12 $(MAKECMDGOALS)" >&2; \
	exit 1
