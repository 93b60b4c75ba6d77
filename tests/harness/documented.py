# SPDX-License-Identifier: GPL-3.0-or-later

"""Compare the result of a module with its RETURN section."""

import ast
import functools
import typing as t
from pathlib import Path

import yaml

from .outcome import COLLECTION

ROOT = Path(__file__).resolve().parents[2]
ALWAYS = ("success", "always")
# Members that ansible-core adds to the result of any module.
ADDED = "changed failed skipped invocation warnings deprecations diff attempts retries results changed_when_result"
FRAMEWORK = frozenset(ADDED.split())
# The service determines the members of these results, so that undocumented ones are allowed.
OPEN = frozenset(("scripts",))

Doc = t.Mapping[str, t.Any]


@functools.cache
def section(module: str, name: str) -> t.Any:
    """Return DOCUMENTATION, EXAMPLES or RETURN of a module, parsed."""
    return section_of(ROOT / "plugins" / "modules" / f"{module}.py", name)


def section_of(path: Path, name: str) -> t.Any:
    """Return DOCUMENTATION, EXAMPLES or RETURN of a file, parsed."""
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == name:
            return yaml.safe_load(ast.literal_eval(node.value))
    raise LookupError(f"{path} has no {name}")


def example(module: str) -> dict[str, t.Any]:
    """Return the first example of a module as a task, without its zone and without options that are templates."""
    name = f"{COLLECTION}.{module}"
    options = next(task[name] for task in section(module, "EXAMPLES") if name in task)
    return {
        "name": module,
        name: {option: value for option, value in (options or {}).items() if option != "zone_id" and "{{" not in str(value)},
    }


def differences(module: str, result: Doc) -> list[str]:
    """Return documented members that are missing, and returned members that are undocumented."""
    documented: Doc = section(module, "RETURN")
    proper = {name: value for name, value in result.items() if name not in FRAMEWORK and not name.startswith(("_", "ansible_"))}
    return _compare(documented, proper, module)


def _compare(documented: Doc, returned: Doc, place: str) -> list[str]:
    expected = {name for name, doc in documented.items() if doc.get("returned", "success") in ALWAYS}
    wrong = [f"{place}.{name} is documented and missing" for name in sorted(expected - set(returned))]
    wrong += [f"{place}.{name} is returned and not documented" for name in sorted(set(returned) - set(documented))]
    for name, doc in documented.items():
        inner = doc.get("contains")
        if not inner or name in OPEN:
            continue
        value = returned.get(name)
        for member in value if isinstance(value, list) else [value]:
            if isinstance(member, dict):
                wrong += _compare(inner, member, f"{place}.{name}")
    return wrong
