# SPDX-License-Identifier: GPL-3.0-or-later

"""Packages import each other in one direction, and code that decides uses neither HTTP nor the clock."""

import ast
import functools
import subprocess
import typing as t
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
OWN = "ansible_collections.edgeops.observability."
UTILS = "plugins/module_utils/"
COMPOSING = (("_events",), ("_zone",), ("_engine",))
# A package with a `read.py`, or with a `fetch.py` for what is not the API, that is not one of these is a resource.
RESOURCES = tuple(
    path.parent.name
    for path in sorted((ROOT / UTILS).glob("*/*.py"))
    if path.name in ("read.py", "fetch.py") and path.parent.name not in {*sum(COMPOSING, ())}
)
CONTROLLER = "plugins/plugin_utils/"
# The packages of the controller by storey, from the top down; a level for each, and one for the three that know nothing of each other.
STOREYS = (
    (("_fleet",),),
    (("_report", "_adopt", "_evidence"),),
    (("_token",), ("_play",), ("_in_process",)),
    (("_host_variables",), ("_variables",), ("_arguments",)),
    (
        ("_page",),
        ("_dest",),
        ("_diff",),
        ("_words",),
        ("_expression",),
        ("_untrusted",),
        ("_ansible_core",),
        ("_zone_files",),
        ("_supported",),
    ),
)
# They know nothing of each other.
BELOW_RESOURCES = ("_baseline", "_policy", "_chain", "_filter", "_api")
# From the top down: files may import from their own level (except from other resources) or below.
LEVELS = (
    ("plugins/action", "plugins/filter", "plugins/test", "plugins/inventory", "plugins/doc_fragments", "extensions"),
    *(tuple(CONTROLLER + name for name in names) for storey in STOREYS for names in storey),
    ("plugins/modules",),
    *(tuple(UTILS + name for name in names) for names in COMPOSING),
    tuple(UTILS + name for name in RESOURCES),
    tuple(UTILS + name for name in BELOW_RESOURCES),
)
# Modules that pure code must not import. Parsing a date is pure, reading the current time is not.
IMPURE = {"ansible", "requests", "urllib3", "http", "socket", "ssl", "subprocess", "threading", "time", "random", "secrets"}
IMPURE |= {"os", "fcntl", "tempfile", "shutil", "pathlib"}
# The files of these packages that may read and write: the check of versions, which ends a module, the API, and the folder of evidence.
TALKING = {"_supported.py", "read.py", "fetch.py", "_files.py", "_http.py", "evidence.py", "folder.py", "verification.py"}
CLOCKS = {"now", "utcnow", "today"}


def level_of(name: str) -> int:
    # The engine runs the task of a resource, so that only this file of a resource is above the engine.
    if name.startswith(UTILS) and name.endswith("/task.py") and package_of(name) in RESOURCES:
        return LEVELS.index((f"{UTILS}_engine",))
    for level, folders in enumerate(LEVELS):
        if any(name.startswith((f"{folder}/", f"{folder}.py")) for folder in folders):
            return level
    # All other files are shared.
    return len(LEVELS)


def package_of(name: str) -> str:
    """Return the folder of a file below `module_utils`, folder or file below `plugin_utils`; `""` for shared files and for files elsewhere."""
    if name.startswith(CONTROLLER):
        return name.removeprefix(CONTROLLER).partition("/")[0].removesuffix(".py")
    folder, _slash, rest = name.removeprefix(UTILS).partition("/")
    return folder if name.startswith(UTILS) and rest else ""


def absolute(name: str, node: ast.ImportFrom) -> str:
    """Return the full name of the module in an import, which may be relative."""
    if not node.level:
        return node.module or ""
    parts = name.removesuffix(".py").split("/")[: -node.level]
    return OWN + ".".join([*parts, node.module] if node.module else parts)


@functools.cache
def names(name: str, source: str) -> tuple[str, ...]:
    """Return the full names that a file imports, including those for type checking."""
    found: list[str] = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found += (alias.name for alias in node.names)
        if isinstance(node, ast.ImportFrom):
            found += (f"{absolute(name, node)}.{alias.name}" for alias in node.names)
    return tuple(found)


def imported(name: str, source: str) -> t.Iterator[str]:
    """Yield the files of the project that a file imports."""
    for module in names(name, source):
        if module.startswith(OWN):
            path = module.removeprefix(OWN).replace(".", "/")
            yield path if (ROOT / f"{path}.py").is_file() else path.rpartition("/")[0]


def foreign(name: str, source: str) -> set[str]:
    """Return the top-level packages that a file imports."""
    return {module.partition(".")[0] for module in names(name, source)}


def violation_of_storeys(name: str, target: str) -> str:
    """Return why a file of the controller must not import another one of its own level, "" if it may."""
    package = package_of(name)
    if not name.startswith(CONTROLLER):
        return ""
    if package not in {*sum(sum(STOREYS, ()), ())}:
        return "has no storey: STOREYS of this file do not name its package"
    is_sideways = package != package_of(target) and level_of(f"{target}.py") == level_of(name)
    return "_report, _adopt and _evidence know nothing of each other" if is_sideways else ""


def violation(name: str, target: str) -> str:
    """Return why a file must not import another one, "" if it may."""
    package, other = package_of(name), package_of(target)
    if level_of(f"{target}.py") < level_of(name):
        is_new = package and level_of(name) == len(LEVELS)
        return f"imports upwards{', as long as it has no read.py, and LEVELS of this file do not name its package' if is_new else ''}"
    if package in RESOURCES and other in RESOURCES and package != other:
        return "a resource imports another resource"
    if package in RESOURCES and other == "_api" and Path(name).name not in ("read.py", "task.py"):
        return "only read.py and task.py of a resource may import _api"
    if package != other and {package, other} <= {*BELOW_RESOURCES}:
        return f"{', '.join(BELOW_RESOURCES)} know nothing of each other"
    if package == "_engine" and other in RESOURCES:
        return "_engine knows no resource"
    return ""


def violations(sources: t.Mapping[str, str]) -> list[str]:
    imports = [
        (name, target, violation(name, target) or violation_of_storeys(name, target))
        for name in sources
        for target in imported(name, sources[name])
    ]
    return sorted(f"{name} → {target}: {why}" for name, target, why in imports if why)


def sources() -> dict[str, str]:
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z", "plugins", "extensions"]
    names = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\0")
    return {name: (ROOT / name).read_text(encoding="utf-8") for name in names if name.endswith(".py") and (ROOT / name).is_file()}


def circular_imports(graph: t.Mapping[str, t.Collection[str]]) -> list[str]:
    """Return the files with circular imports: those that remain when files without remaining imports are removed repeatedly."""
    left = {name: set(targets) for name, targets in graph.items()}
    while free := [name for name, targets in left.items() if not targets & left.keys()]:
        for name in free:
            del left[name]
    return sorted(left)


def test_imports_point_downwards() -> None:
    assert not violations(sources())


def test_no_circular_imports() -> None:
    graph = {name.removesuffix(".py"): set(imported(name, text)) - {name.removesuffix(".py")} for name, text in sources().items()}
    assert len(graph) > 50
    assert not circular_imports(graph)


def test_no_circular_imports_in_the_simulator() -> None:
    """Imports for type checking count, too: a part of the state that needs all others for its types is not a part."""
    root = ROOT / "simulator" / "src"
    files = {".".join(path.relative_to(root).with_suffix("").parts): path for path in root.glob("**/*.py")}
    graph = {}
    for module, path in files.items():
        named = set(names(str(path), path.read_text(encoding="utf-8")))
        graph[module] = ((named | {target.rpartition(".")[0] for target in named}) & files.keys()) - {module}
    assert len(graph) > 50
    assert not circular_imports(graph)


@pytest.mark.parametrize(
    ("name", "target"),
    [
        (f"{UTILS}_logpush/plan.py", "_api/client"),
        (f"{UTILS}_logpush/plan.py", "_logpush/task"),
        (f"{UTILS}_logpush/read.py", "_scripts/facts"),
        (f"{UTILS}_api/client.py", "_logpush/facts"),
        (f"{UTILS}_engine/run.py", "_logpush/plan"),
        (f"{UTILS}_filter/parse.py", "_api/client"),
        (f"{UTILS}_core.py", "_filter/parse"),
        (f"{UTILS}_new_resource/read.py", "_api/client"),
        ("plugins/modules/script_monitor.py", "../plugin_utils/_in_process"),
        (f"{CONTROLLER}_report/findings.py", "../plugin_utils/_fleet/rails"),
        (f"{CONTROLLER}_evidence/page.py", "../plugin_utils/_report/items"),
        (f"{CONTROLLER}_in_process.py", "../plugin_utils/_play/hosts"),
        (f"{CONTROLLER}_variables/table.py", "../plugin_utils/_host_variables"),
        (f"{CONTROLLER}_words.py", "../plugin_utils/_page"),
        (f"{CONTROLLER}_new_package/task.py", "_text"),
    ],
)
def test_import_violations_are_found(name: str, target: str) -> None:
    module = (f"plugins/{target[3:]}" if target.startswith("../") else UTILS + target).replace("/", ".")
    assert violations({name: f"from {OWN}{module} import anything"})


def test_circular_imports_are_found() -> None:
    assert circular_imports({"a": {"b"}, "b": {"c"}, "c": {"b"}, "d": set()}) == ["a", "b", "c"]


def is_pure(name: str) -> bool:
    """Return whether a file must be pure: the filter language, resources and shared files, except those that read and write."""
    pure = package_of(name) in (*RESOURCES, "_baseline", "_policy", "_chain", "_filter", "")
    return name.startswith(UTILS) and pure and Path(name).name not in TALKING


def impurities(sources: t.Mapping[str, str]) -> list[str]:
    impure = []
    for name, source in sources.items():
        if is_pure(name):
            impure += [f"{name} imports {module}" for module in foreign(name, source) & IMPURE]
            calls = [node.func for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call)]
            impure += [f"{name} asks for the time" for call in calls if isinstance(call, ast.Attribute) and call.attr in CLOCKS]
    return impure


def test_pure_packages_import_no_io() -> None:
    assert sum(map(is_pure, sources())) > 40
    assert not impurities(sources())


@pytest.mark.parametrize(
    "source",
    ["import time", "import os", "import fcntl", "from urllib3.util import Retry", "import datetime\ndatetime.datetime.now()"],
)
def test_impure_imports_are_found(source: str) -> None:
    assert impurities({f"{UTILS}_logpush/plan.py": source})
    assert not impurities({f"{UTILS}_logpush/read.py": source})


def test_only_the_api_imports_the_http_library() -> None:
    """It takes one shared file, with what the audit of pages takes too; the upload of reports to a storage is not the API."""
    assert [
        name
        for name, source in sources().items()
        if {"requests", "urllib3"} & foreign(name, source) and not name.startswith(f"{UTILS}_api/")
    ] == ["plugins/module_utils/_http.py", "plugins/plugin_utils/_report/send.py"]


def test_plugins_import_plugins_only() -> None:
    """The artifact does not contain simulator, tests and scripts."""
    own = [(name, path) for name, source in sources().items() for path in imported(name, source)]
    assert own
    assert not [(name, path) for name, path in own if not path.startswith("plugins/")]
    assert not [name for name, source in sources().items() if {"edgeops_simulator", "harness"} & foreign(name, source)]
