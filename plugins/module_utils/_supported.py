# SPDX-License-Identifier: GPL-3.0-or-later

# The first of our files that a plugin runs. Python 3.6 must be able to compile it, because ansible-core still starts modules with it.

import json
import sys

from ansible.module_utils import ansible_release

MIN_CORE = (2, 16)
MIN_PYTHON = (3, 10)
CORE: str = ansible_release.__version__


def unsupported(core: str, python: "tuple[int, int]") -> str:
    """Return why a version of ansible-core, such as "2.15.3", and of Python cannot run the collection; "" if they can."""
    if tuple(int(part) for part in core.split(".")[:2]) >= MIN_CORE and python >= MIN_PYTHON:
        return ""
    return (
        f"edgeops.observability needs ansible-core {MIN_CORE[0]}.{MIN_CORE[1]} and Python {MIN_PYTHON[0]}.{MIN_PYTHON[1]} or newer, and this is"
        f" ansible-core {core} on Python {python[0]}.{python[1]} ({sys.executable}). On the controller, use an execution environment or a"
        " virtual environment with newer versions; for other hosts, set ansible_python_interpreter to a newer Python."
    )


def check_supported() -> None:
    """End a module as failed if it cannot run here, before it imports anything that an old Python cannot compile."""
    reason = unsupported(CORE, sys.version_info[:2])
    if reason:
        # The members of every failure; `_core` cannot be imported here.
        unused = dict.fromkeys(("method", "path", "status", "request_id"))
        error = {"kind": "invalid_option", **unused, "errors": (), "attempts": 0}
        # As ansible-core ends a module for a Python that it cannot use.
        sys.stdout.write(json.dumps({"failed": True, "msg": reason, "error": error}) + "\n")
        raise SystemExit(1)
