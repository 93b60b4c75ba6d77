# SPDX-License-Identifier: GPL-3.0-or-later

"""Runs files of modules as programs, each in a fork of this process, which has imported all of them.

Standard input is a list of pairs: a module, and the path of its arguments, as for debugging a module without a playbook.
"""

import importlib
import json
import os
import sys

MODULES = "ansible_collections.edgeops.observability.plugins.modules"

if __name__ == "__main__":
    programs = [(importlib.import_module(f"{MODULES}.{name}"), path) for name, path in json.load(sys.stdin)]
    for module, path in programs:
        if not os.fork():
            sys.argv[1:] = [path]
            module.main()
        os.wait()
