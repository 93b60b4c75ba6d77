# SPDX-License-Identifier: GPL-3.0-or-later
# Everything a contributor runs; `make help` lists it.

SHELL := /bin/bash
.DEFAULT_GOAL := help

VENV := $(CURDIR)/.venv
# Several tools look up their siblings on PATH, so the environment comes first.
export PATH := $(VENV)/bin:$(PATH)

.PHONY: setup
setup: ## Make .venv with every pinned tool, the collection linked and the simulator installed
	@scripts/environment.sh .venv 3.11 requirements/dev.txt

.PHONY: requirements
requirements: ## Pin the newest versions that requirements/*.in allow
	@scripts/compile-requirements.sh

.PHONY: help
help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "%-16s %s\n", $$1, $$2}' $(MAKEFILE_LIST)
