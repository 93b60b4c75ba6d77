# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Places the scripts that `ansible-test` bootstraps pip from, each only where it is missing.

It would download them from its project's own server. These start the pip that every Python brings along instead.
"""

from __future__ import annotations

import importlib.util
import re
import sys
from pathlib import Path

SCRIPT = """\
# Installs pip from the wheel that is bundled with this Python, by pip itself.
import ensurepip
import pathlib
import sys

bundled = next((pathlib.Path(ensurepip.__file__).parent / "_bundled").glob("pip-*.whl"))
sys.path.insert(0, str(bundled))

from pip._internal.cli.main import main

given = [each for each in sys.argv[1:] if each not in ("--no-setuptools", "--no-wheel")]
sys.exit(main(["install", "--upgrade", *given]))
"""


def main() -> None:
    """Write one script for every version of pip that the installed ansible-test names."""
    cache = Path(sys.argv[1])
    found = importlib.util.find_spec("ansible_test")
    assert found is not None and found.origin is not None  # noqa: S101  # called with ansible-core's own interpreter
    source = (Path(found.origin).parent / "_internal" / "python_requirements.py").read_text(encoding="utf-8")
    for version in set(re.findall(r"\bpip='([\d.]+)'", source)):
        script = cache / f"get_pip_{version.replace('.', '_')}.py"
        if not script.exists():
            script.write_text(SCRIPT, encoding="utf-8")


if __name__ == "__main__":
    main()
