# make html    everything from nothing: environment, guides, site in build/html
# make test    everything from nothing: environment, checks of the code, tests
# make help    the other targets

PYTHON  ?= python3
RESULTS ?= results
JOBS    ?= auto
# How many examples the tests try where chance decides: light or heavy.
HYPOTHESIS_PROFILE ?= light

ENV    := build/env
BIN    := $(ENV)/bin
GUIDE  ?= newest
TEX     = latexmk texlive-xetex texlive-latex-extra texlive-fonts-recommended tex-gyre fonts-freefont-otf
# When the sources last changed: a PDF says it, and is the same each time.
EPOCH   = $(shell git log -1 --format=%ct 2>/dev/null || echo 0)
PIP     = $(BIN)/pip install --quiet --disable-pip-version-check --no-deps
PERFGUIDE = $(BIN)/perfguide
# A path for the shell, whatever is in it.
quoted  = '$(subst ','\'',$(1))'
BUILD   = $(PERFGUIDE) build --results $(call quoted,$(RESULTS)) --jobs $(JOBS) $(if $(STRICT),--strict)

.PHONY: html pdf dirhtml text latex check list compare serve man linkcheck bench box test test-heavy goldens lint style clean distclean help

html: $(ENV)/.site
	@$(BUILD) -- $(SPHINXOPTS)
	@echo "The site is in build/html; open build/html/index.html, or run: make serve"

dirhtml text latex: $(ENV)/.site
	@$(BUILD) --builder $@ -- $(SPHINXOPTS)
	@echo "The pages are in build/$@"

# A guide as a PDF, for the newest release of each SoC, or for those that GUIDE names.
pdf: $(ENV)/.site
	@for tool in latexmk xelatex; do command -v $$tool >/dev/null || missing=1; done; \
	  test "$$(kpsewhich FreeSerif.otf tabulary.sty 2>/dev/null | wc -l)" = 2 || missing=1; \
	  test -z "$$missing" || { test "$$(id -u)" = 0 && \
	  echo "Installing LaTeX (some minutes) …" && \
	  { apt-get update -qq && apt-get install -y -qq --no-install-recommends $(TEX); } >&2; } || \
	  { echo "Install LaTeX first: sudo apt-get install --no-install-recommends $(TEX)" >&2; exit 1; }
	@$(BUILD) --builder latex -- -D "perfguide_pdf=$(GUIDE)" $(SPHINXOPTS)
	@rm -rf build/.pdf && mkdir -p build/.pdf/done
	@cd build/latex && for document in *.tex; do name=$${document%.tex}; echo "Setting $$name.pdf …"; \
	  FORCE_SOURCE_DATE=1 SOURCE_DATE_EPOCH=$${SOURCE_DATE_EPOCH:-$(EPOCH)} \
	  latexmk -pdfxe -interaction=nonstopmode -halt-on-error -outdir=../.pdf $$document \
	    >../.pdf/$$name.said 2>&1 && mv ../.pdf/$$name.pdf ../.pdf/done/ || \
	  { tail -20 ../.pdf/$$name.said >&2; echo "not set: build/.pdf/$$name.log says why" >&2; exit 1; }; \
	done
	@rm -rf build/pdf && mv build/.pdf/done build/pdf
	@ls build/pdf/*.pdf

# The page Commands alone, with a configuration of its own: no bundle is read, no guide written.
man: $(ENV)/.site
	@$(BIN)/sphinx-build -q -W -n -b man -d build/doctrees/man -c source/man source build/man
	@echo "The manual page is build/man/perfguide.1; to read it: man -l build/man/perfguide.1"

linkcheck: $(ENV)/.site
	@$(BIN)/sphinx-build -b $@ -j $(JOBS) -d build/doctrees \
	  -D $(call quoted,perfguide_own_results=["$(subst ",\",$(subst \,\\,$(RESULTS)))"]) \
	  $(SPHINXOPTS) . build/$@

check: $(ENV)/.site
	@$(PERFGUIDE) check $(call quoted,$(RESULTS))

list: $(ENV)/.site
	@$(PERFGUIDE) list --results $(call quoted,$(RESULTS))

compare: $(ENV)/.site
	@test -n "$(OLD)" -a -n "$(NEW)" || \
	  { echo "Name two releases, folders or archives: make compare OLD=09.00 NEW=09.01" >&2; exit 2; }
	@$(PERFGUIDE) compare $(call quoted,$(OLD)) $(call quoted,$(NEW)) \
	  --results $(call quoted,$(RESULTS)) --fail-on never $(COMPAREOPTS)

serve: html
	@$(BIN)/python -m http.server --bind 127.0.0.1 --directory build/html 8000

# Each figure beside its goal; BENCH=full takes larger archives.
bench: $(ENV)/.test
	@$(BIN)/python bench/run.py $(if $(BENCH),--size $(BENCH))

# The runner's procedures, short, on an emulated Arm board: build/box/logs.
box: $(ENV)/.site
	@$(BIN)/python bench/box.py $(BOXOPTS)

# What the tests start reads the code compiled, also where Python is told to write no such files.
# The tests themselves are compiled by each process that runs some; what is kept is not done again.
# mypy has work for one core: it runs beside the tests. So does the installing of programs
# that are missing; where that cannot be done, the tests that need them say so.
test: style
	@$(BIN)/python -m compileall -q ext
	@$(BIN)/python tests/support/debian.py >/dev/null 2>&1 & \
	  $(BIN)/mypy & types=$$!; \
	  HYPOTHESIS_PROFILE=$(HYPOTHESIS_PROFILE) env -u PYTHONDONTWRITEBYTECODE \
	    $(BIN)/python -m pytest -n auto --dist loadfile \
	  --no-loadscope-reorder $(PYTESTOPTS); tests=$$?; wait $$types && exit $$tests

test-heavy: HYPOTHESIS_PROFILE = heavy
test-heavy: test

# What the formats of a comparison have to look like; look at the difference before a commit.
goldens: $(ENV)/.test
	@PERFGUIDE_GOLDENS=1 $(BIN)/python -m pytest tests/compare/test_formats.py

lint: style
	@$(BIN)/mypy

style: $(ENV)/.test
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .

# Debian has the parts of Python that make an environment in a package of their own.
$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "Python 3.11 or newer is needed; name one by: make PYTHON=python3.12" >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip' 2>/dev/null || { test "$$(id -u)" = 0 && \
	  echo "Installing python3-venv …" && \
	  { apt-get update -qq && apt-get install -y -qq python3-venv; } >&2; } || \
	  { echo "Install python3-venv first: sudo apt-get install python3-venv" >&2; exit 1; }
	@echo "Making the environment in $(ENV) …"
	@$(PYTHON) -m venv $(ENV)

# The lists name every package with its version, so pip need not look for what they want.
$(ENV)/.site: $(BIN)/python requirements.txt pyproject.toml
	@echo "Installing $$(grep -c == requirements.txt) packages into $(ENV) (about a minute, 800 MB) …"
	@$(PIP) -r requirements.txt
	@$(PIP) --no-build-isolation -e .
	@touch $@

# Both lists at once: together they take as long as the longer one.
$(ENV)/.test: requirements.txt requirements-test.txt pyproject.toml
	@$(MAKE) --no-print-directory $(BIN)/python
	@$(MAKE) --no-print-directory -j2 $(ENV)/.site $(ENV)/.more
	@$(BIN)/pip check --disable-pip-version-check
	@touch $@

$(ENV)/.more: $(BIN)/python requirements-test.txt
	@echo "Installing $$(grep -c == requirements-test.txt) packages of the tests into $(ENV) (about a minute, 500 MB) …"
	@$(PIP) -r requirements-test.txt
	@touch $@

# What the site is made of; the environment stays, and so does the lock of a running build.
clean:
	rm -rf build/html build/dirhtml build/text build/latex build/man build/linkcheck build/doctrees build/pdf
	rm -rf build/cache
	rm -rf build/.pdf build/.html build/.dirhtml build/.text build/.latex
	test ! -f source/.gitignore || sed -n 's|^/\([^/]*\.rst\)$$|source/\1|p' source/.gitignore | xargs -r -d '\n' rm -f
	rm -rf source/guides source/compare source/by-benchmark source/reports source/api source/.gitignore

distclean: clean
	rm -rf build

help:
	@echo "make html       the site in build/html; RESULTS=folder takes other bundles,"
	@echo "                STRICT=1 makes every warning an error"
	@echo "make pdf        PDFs of the newest guides in build/pdf; GUIDE=AM62X/linux/09.01"
	@echo "                takes another one, GUIDE='*' all"
	@echo "make test       checks of the code, and all tests"
	@echo "make test-heavy all cases where make test tries some, and many more random examples"
	@echo "make bench      how fast it is, each figure beside its goal; BENCH=full for more"
	@echo "make box        the runner on an emulated Arm board, slowly; BOXOPTS='-- --only ipsec'"
	@echo "make check      are all bundles sound? the exit status says"
	@echo "make list       the guides that the bundles give"
	@echo "make compare OLD=09.00 NEW=09.01   what changed between two releases;"
	@echo "                COMPAREOPTS='--format html -o page.html' takes more options"
	@echo "make serve      the site on http://127.0.0.1:8000"
	@echo "make man        the manual page of the command, build/man/perfguide.1"
	@echo "make linkcheck  do links lead somewhere?"
	@echo "make clean      remove the site; make distclean: the environment too"
