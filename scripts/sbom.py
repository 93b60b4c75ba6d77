# SPDX-License-Identifier: GPL-3.0-or-later

"""Write two CycloneDX documents into a folder: the dependencies of the collection, and the contents of its execution environment.

Versions are those that a new environment gets today. The first document is about `requirements.txt`; the second adds the
packages, the collection and the base image of `examples/awx/execution-environment.yml`.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import typing as t
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[1]
UV = Path(sys.executable).with_name("uv")
Component = dict[str, t.Any]


def main() -> int:
    """Write `requirements.cdx.json` and `execution-environment.cdx.json`."""
    folder = Path(sys.argv[1])
    galaxy = _load("galaxy.yml")
    image = _load("examples/awx/execution-environment.yml")
    collection = {
        "type": "library",
        "group": galaxy["namespace"],
        "name": galaxy["name"],
        "version": galaxy["version"],
        "description": galaxy["description"],
        "licenses": [{"license": {"id": galaxy["license"][0]}}],
        "purl": f"pkg:generic/{galaxy['namespace']}/{galaxy['name']}@{galaxy['version']}",
    }
    libraries = ["--requirement", str(ROOT / "requirements.txt")]
    _write(folder / "requirements.cdx.json", _resolve(libraries), collection, [])

    packages = [image["dependencies"][name]["package_pip"] for name in ("ansible_core", "ansible_runner")]
    name, _colon, tag = image["images"]["base_image"]["name"].rpartition(":")
    base = {"type": "container", "name": name, "version": tag}
    environment = {"type": "container", "name": "edgeops-observability-ee", "version": galaxy["version"]}
    _write(folder / "execution-environment.cdx.json", _resolve([*libraries, *packages]), environment, [base, collection])
    return 0


def _load(name: str) -> t.Any:
    return yaml.safe_load((ROOT / name).read_text(encoding="utf-8"))


def _resolve(requirements: list[str]) -> t.Any:
    """Return the packages of a new environment with these requirements, as CycloneDX."""
    with tempfile.TemporaryDirectory() as folder:
        environment = Path(folder) / "environment"
        python = environment / "bin" / "python"
        subprocess.run([UV, "venv", "--quiet", "--no-project", "--python", sys.executable, environment], check=True)
        subprocess.run([UV, "pip", "install", "--quiet", "--python", python, *requirements], check=True)
        command = [sys.executable, "-m", "cyclonedx_py", "environment", "--output-reproducible", python]
        return json.loads(subprocess.run(command, check=True, capture_output=True).stdout)


def _write(path: Path, document: t.Any, subject: Component, further: list[Component]) -> None:
    """Write a document with its subject, and with the components that are not Python packages."""
    described = [{"bom-ref": f"{component['name']}@{component['version']}", **component} for component in (subject, *further)]
    packages = [component["bom-ref"] for component in document["components"]]
    document["metadata"]["component"] = described[0]
    document["components"] += described[1:]
    references = [*packages, *(component["bom-ref"] for component in described[1:])]
    document["dependencies"] = [
        *document.get("dependencies", ()),
        {"ref": described[0]["bom-ref"], "dependsOn": sorted(references)},
        *({"ref": component["bom-ref"]} for component in described[1:]),
    ]
    path.write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
