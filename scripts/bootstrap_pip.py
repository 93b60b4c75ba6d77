# SPDX-License-Identifier: GPL-3.0-or-later

"""Create the scripts from which `ansible-test` bootstraps pip.

Otherwise it would download them from its project's server. These use the pip that every Python includes.
"""

from __future__ import annotations

import importlib.util
import re
import sys
from pathlib import Path

SCRIPT = """\
# Installs pip by the pip that is bundled with this Python, once beside this file; from there every environment gets a copy.
import ensurepip
import os
import pathlib
import shutil
import subprocess
import sys
import sysconfig

given = [each for each in sys.argv[1:] if each not in ("--no-setuptools", "--no-wheel")]
pins = sorted(each for each in given if not each.startswith("-"))
kept = pathlib.Path(os.environ["GET_PIP"]).parent / "_".join(["installed", *pins])
if not kept.exists():
    # Some distributions keep the wheel in a folder of their own.
    own = sysconfig.get_config_var("WHEEL_PKG_DIR")
    folders = [pathlib.Path(own)] if own else []
    folders.append(pathlib.Path(ensurepip.__file__).parent / "_bundled")
    bundled = next(wheel for folder in folders for wheel in folder.glob("pip-*.whl"))
    shutil.rmtree(f"{kept}.part", ignore_errors=True)

    def pip(found_in, *arguments):
        environment = {**os.environ, "PYTHONPATH": str(found_in)}
        subprocess.run([sys.executable, "-m", "pip", *arguments], check=True, env=environment)

    # Not compiled: of its many files each environment needs few. What these commands import is compiled for all environments of this Python.
    pip(bundled, "install", "--no-compile", "--target", f"{kept}.part", *given)
    for command in ("install", "uninstall"):
        pip(f"{kept}.part", command, "--help")
    pathlib.Path(f"{kept}.part").rename(kept)


def left_out(folder, names):
    return [name for name in names if name == "bin" or (name.endswith(".pyc") and sys.implementation.cache_tag not in name)]


shutil.copytree(kept, sysconfig.get_path("purelib"), dirs_exist_ok=True, ignore=left_out)
"""


def main() -> None:
    """Write a script for each version of pip that the installed ansible-test names."""
    cache = Path(sys.argv[1])
    spec = importlib.util.find_spec("ansible_test")
    assert spec is not None and spec.origin is not None  # noqa: S101  # run with ansible-core's interpreter only
    source = (Path(spec.origin).parent / "_internal" / "python_requirements.py").read_text(encoding="utf-8")
    for version in set(re.findall(r"\bpip='([\d.]+)'", source)):
        script = cache / f"get_pip_{version.replace('.', '_')}.py"
        script.write_text(SCRIPT, encoding="utf-8")


if __name__ == "__main__":
    main()
