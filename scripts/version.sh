#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Prints the installed version of a distribution that has no command to ask.
exec python -c 'import importlib.metadata, sys; print(importlib.metadata.version(sys.argv[1]))' "$1"
