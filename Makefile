# SPDX-License-Identifier: GPL-3.0-or-later
# Everything a contributor runs; `make` alone lists it.

SHELL := /bin/bash
.DEFAULT_GOAL := help

VENV := $(CURDIR)/.venv
# Several tools look up their siblings on PATH, so the environment comes first.
export PATH := $(VENV)/bin:$(PATH)

.PHONY: help
help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "%-16s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: setup
setup: ## Make .venv: every pinned tool, the simulator installed
	@scripts/environment.sh .venv "3.11 3.12 3.13" requirements/dev.txt

.PHONY: demo
demo: setup ## Configure a simulated zone until log lines are delivered
	@scripts/demo.sh

.PHONY: picture
picture: ## Update the picture of a report in README.md; needs a browser
	@python scripts/picture.py

.PHONY: simulator
simulator: setup ## Start the simulator with one zone; ctrl-c ends it
	@edgeops-simulator --port 0 --token rehearsal --zone 023e105f4ecef8ad9ca31a8372d0c353

.PHONY: check
check: setup ## Lint, types, units, lists and promises: less than a minute
	@python scripts/run_gates.py check

.PHONY: test
test: setup ## Every gate; modules and a selection of playbooks on the oldest and the newest ansible-core as well
	@python scripts/run_gates.py test

.PHONY: test-all
test-all: setup ## Every gate on every supported ansible-core
	@python scripts/run_gates.py test-all

.PHONY: test-core
test-core: setup ## Sanity, modules and playbooks on one ansible-core: `make test-core CORE=2.17`
	@python scripts/run_gates.py core-$(CORE)

.PHONY: test-once
test-once: setup ## Every gate that needs one ansible-core only
	@python scripts/run_gates.py once

.PHONY: test-faults
test-faults: setup ## The whole fault matrix, of which `make test` runs a seeded sample
	@python -m pytest -q -n auto --faults=all tests/faults

.PHONY: mutation
mutation: setup ## Mutation testing of the pure packages; PACKAGES="_filter _redact" narrows it
	@scripts/mutation.sh $(PACKAGES)

.PHONY: format
format: setup ## Put the Python code into its common form
	@ruff check --quiet --fix . ; ruff format --quiet .

.PHONY: docs
docs: setup ## Build the documentation site; a warning is an error
	@scripts/docs.sh

.PHONY: bench
bench: ## Measure against other ways of doing the same; `make bench ARGS=--quick` takes minutes instead of two hours
	@scripts/bench.sh $(ARGS)

.PHONY: release-check
release-check: setup ## Whether version, changelog and package agree and could be published
	@python scripts/release_check.py
	@scripts/package.sh >/dev/null
	@scripts/importer.sh >/dev/null
	@echo "ready to be released"

.PHONY: requirements
requirements: ## Pin the newest versions that requirements/*.in allow
	@scripts/compile-requirements.sh
