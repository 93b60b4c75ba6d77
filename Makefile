# SPDX-License-Identifier: GPL-3.0-or-later
# What a contributor runs most; `make` alone lists it. The checks themselves are the sessions of noxfile.py.

SHELL := /bin/bash
.DEFAULT_GOAL := help

NOX := .venvs/bootstrap/bin/nox
# Several tools look up their siblings on PATH, so the environment comes first.
export PATH := $(CURDIR)/.venv/bin:$(PATH)
# Trust what the system trusts, such as the authority of a company's proxy.
export PIP_CERT ?= $(firstword $(SSL_CERT_FILE) $(wildcard /etc/ssl/certs/ca-certificates.crt /etc/pki/tls/certs/ca-bundle.crt /etc/ssl/cert.pem))

.PHONY: help
help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "%-16s %s\n", $$1, $$2}' $(MAKEFILE_LIST)
	@echo 'make nox ARGS=-l lists every session of nox; make nox ARGS="-s units" runs one'

$(NOX): requirements/bootstrap.txt
	@for python in python3 python3.13 python3.12 python3.11; do \
	    if $$python -c 'import sys, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then \
	        exec $$python -m venv --clear .venvs/bootstrap; \
	    fi; \
	done; echo "Python 3.11, 3.12 or 3.13 with its venv module is needed" >&2; exit 3
	@.venvs/bootstrap/bin/python -m pip install --quiet --disable-pip-version-check --requirement requirements/bootstrap.txt
	@touch $(NOX)

.PHONY: nox
nox: $(NOX)
	@$(NOX) $(ARGS)

.PHONY: setup
setup: $(NOX) ## Make .venv: every pinned tool, the simulator installed
	@$(NOX) --session dev

.PHONY: demo
demo: setup ## Configure a simulated zone until log lines are delivered
	@scripts/demo.sh

.PHONY: simulator
simulator: setup ## Start the simulator with one zone; ctrl-c ends it
	@edgeops-simulator --port 0 --token rehearsal --zone 023e105f4ecef8ad9ca31a8372d0c353

.PHONY: format
format: setup ## Put the Python code into its common form
	@ruff check --quiet --fix . ; ruff format --quiet .

.PHONY: check
check: $(NOX) ## Lint, types, units, lists and promises: less than a minute
	@.venvs/bootstrap/bin/python scripts/run_sessions.py check

.PHONY: test
TAG ?= test
test: $(NOX) ## Every gate, on the oldest and the newest ansible-core as well; TAG=core-2.17 those of one core, TAG=all everything
	@.venvs/bootstrap/bin/python scripts/run_sessions.py $(TAG)

.PHONY: docs
docs: $(NOX) ## Build the documentation site; a warning is an error
	@$(NOX) --session site

.PHONY: requirements
requirements: $(NOX) ## Pin what pyproject.toml asks for; ARGS=--upgrade pins the newest of everything
	@$(NOX) --session requirements -- $(ARGS)

.PHONY: bench
bench: $(NOX) ## Measure against other ways of doing the same; ARGS=--quick takes minutes instead of two hours
	@$(NOX) --session bench -- $(ARGS)

.PHONY: release-check
release-check: setup ## Whether version, changelog and package agree and could be published
	@$(NOX) --session release-check
