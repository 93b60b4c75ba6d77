# SPDX-License-Identifier: GPL-3.0-or-later

"""Every check of this project: `make nox ARGS=-l` lists them. `make check` and `make test` run those of one tag in parallel.

The order here is the order in which they start: those that wait beside those that do not, and the longest not at the end.

The sessions of antsibull-nox are not among them: its check of licences wants a notice beside the SPDX line in each file, its check of
unwanted files refuses a template and a style beside the code of a page, and its tests of documentation and action groups are those of
`plugin-docs` and `meta`.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
import tarfile
import tempfile
import typing as t
from pathlib import Path

import nox

# The supported versions of ansible-core, oldest first, each with the Python versions that its pins are made for. The first of
# these that is installed is used.
CORES = {
    "2.16": ("3.11", "3.12"),
    "2.17": ("3.12", "3.11"),
    "2.18": ("3.12", "3.11", "3.13"),
    "2.19": ("3.11", "3.12", "3.13"),
    "2.20": ("3.13", "3.12"),
    "2.21": ("3.13", "3.12"),
}
# The next version, as soon as a pre-release of it is published.
NEXT = {"2.22": ("3.13",)}
TESTED = {**CORES, **NEXT}
# A version that is too old, as in the default image of AWX 24.6.
TOO_OLD = {"2.15": ("3.9",)}
MAIN = "2.19"
# The oldest Python that modules support.
OLDEST_PYTHON = "3.10"
# The tests of `ansible-test sanity` that depend on the code of ansible-core; the newest release runs all of them. The sessions modules and
# playbooks import the plugins with each core.
SANITY_OF_CORE = ("action-plugin-docs", "ansible-doc", "ignores", "runtime-metadata", "validate-modules")
PROCESSORS = os.cpu_count() or 1
ROOT = Path(__file__).resolve().parent
REPORTS = ROOT / "build" / "reports"

nox.needs_version = ">=2026.2"
# Environments are those of `environment`, because nox makes one for each session.
nox.options.default_venv_backend = "none"
nox.options.allow_parallel = True
nox.options.tags = ["check"]

# Without bytecode, every session would compile the tests again, and every test the simulator that it starts.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)


def _real_interpreters(path: list[str]) -> list[str]:
    """Return the folders of PATH, with those of pyenv's versions instead of its shims: a shim exists for versions that are not installed.

    They come last, because tests take a fifth longer with Pythons of pyenv, which are built without the optimizations of distributions.
    """
    kept = [folder for folder in path if Path(folder).name != "shims"]
    versions = [
        str(each) for folder in path if Path(folder).name == "shims" for each in Path(folder).parent.glob("versions/*/bin")
    ]
    return list(dict.fromkeys([*kept, *versions]))


os.environ["PATH"] = os.pathsep.join(_real_interpreters(os.environ["PATH"].split(os.pathsep)))


def _python(versions: t.Iterable[str]) -> str | None:
    return next((version for version in versions if shutil.which(f"python{version}")), None)


RUNNABLE = [core for core, pythons in TESTED.items() if _python(pythons)]
ENDS = (*RUNNABLE[:1], *RUNNABLE[-1:])
RELEASES = [core for core in RUNNABLE if core in CORES]


def gate(*tags: str, name: str | None = None, pythons: tuple[str, ...] = CORES[MAIN]) -> t.Any:
    """Declare a session for `make test TAG=all` that runs with the first installed of these Pythons, and is skipped without any."""

    def register(run: t.Callable[[nox.Session], None]) -> t.Any:
        def skip(session: nox.Session) -> None:
            session.skip(f"Python {' or '.join(sorted(pythons))} is not on this machine")

        python = _python(pythons)
        skip.__doc__ = run.__doc__
        chosen = run if python else skip
        return nox.session(chosen, name=name or run.__name__, python=python or False, tags=[*tags, "all"], default=False)

    return register


def on_each_core(name: str, *chosen: str) -> t.Any:
    """Declare a session for each core; `make test` runs those of the chosen cores."""

    def register(run: t.Callable[[nox.Session, str], None]) -> None:
        for core, pythons in sorted(TESTED.items(), key=lambda each: each[0] != MAIN):

            def one(session: nox.Session, core: str = core) -> None:
                run(session, core)

            one.__doc__ = f"{run.__doc__} (ansible-core {core})"
            # Sessions that cannot run here are included, so that they are reported as skipped.
            taken = core in chosen or core not in RUNNABLE
            gate(*(["test"] if taken else []), f"core-{core}", name=f"{name}-{core}", pythons=pythons)(one)

    return register


def environment(session: nox.Session, pins: str, folder: str | None = None, python: str | None = None) -> t.Callable[..., t.Any]:
    """Return what runs a program as `session.run` does, in the environment of these pins, which all sessions share."""
    place = ROOT / (folder or f".venvs/{pins}")
    maker = (sys.executable, "scripts/environment.py", str(place), f"requirements/{pins}.txt")
    session.run(*maker, f"python{python or session.python}", log=False)
    path = f"{place / 'bin'}{os.pathsep}{os.environ['PATH']}"

    def run(program: str, *arguments: str, env: t.Mapping[str, str] | None = None, **options: t.Any) -> t.Any:
        found = shutil.which(program, path=path) or program
        return session.run(found, *arguments, env={"PATH": path, "VIRTUAL_ENV": str(place), **(env or {})}, **options)

    return run


def pytest(session: nox.Session, pins: str, *arguments: str, workers: int = 1) -> None:
    """Run tests; arguments after `--` are added, or replace the tests if they name files."""
    run = environment(session, pins)
    named = any(Path(each.partition("::")[0]).exists() for each in session.posargs)
    report = f"--junitxml={REPORTS / session.name}.xml"
    many = ("-n", str(workers), "--dist", "worksteal") if workers > 1 else ()
    chosen = session.posargs if named else (*arguments, *session.posargs)
    run("python", "-m", "pytest", "-q", "-p", "no:cacheprovider", report, *many, *chosen)


def several(session: nox.Session) -> int:
    """Return how many processes run tests that also wait: one if other sessions wait beside it, because each imports and collects all tests."""
    return 1 if session.parallel and PROCESSORS <= 2 else 2


# What they ask for is missing as often as what the lists of tests/meta ask for, so that `make check` runs them, too.
REFERENCE_PAGES = "tests/docs/test_reference_pages.py"
# What a browser shows.
PAGES = [f"tests/docs/test_{name}.py" for name in ("site", "report_page", "evidence_page")]


def tracked_copy(session: nox.Session, folder: str) -> str:
    """Copy the tracked files to a path that ends as some tools require for a collection; return it."""
    return str(session.run("scripts/tracked-copy.sh", folder, silent=True)).strip()


def built(session: nox.Session, run: t.Callable[..., t.Any], folder: Path) -> Path:
    """Build the artifact into an empty folder; return its path."""
    with tempfile.TemporaryDirectory() as source:
        run("ansible-galaxy", "collection", "build", tracked_copy(session, source), "--output-path", str(folder))
    (artifact,) = folder.glob("*.tar.gz")
    return artifact


@gate("test", "once")
def budget(session: nox.Session) -> None:
    """Whether many hosts share one request budget by the clock, and parallel processes lose no data."""
    pytest(session, f"core-{MAIN}", "tests/budget", "tests/concurrency", workers=PROCESSORS)


# Pre-releases install pylint's requirements from elsewhere than the package index.
@on_each_core("sanity", *RELEASES[:1], *RELEASES[-1:])
def sanity(session: nox.Session, core: str) -> None:
    """Whether ansible-test finds no errors in published files; no finding is ignored"""
    run = environment(session, f"core-{core}")
    # One home for each core keeps the environments of ansible-test between runs, and does not touch those of the user.
    home = ROOT / ".venvs" / f"ansible-test-{core}"
    cache = home / ".ansible" / "test" / "cache"
    cache.mkdir(parents=True, exist_ok=True)
    run("python", "scripts/bootstrap_pip.py", str(cache))
    is_whole = core == RELEASES[-1]
    chosen = [] if is_whole else [f"--test={name}" for name in SANITY_OF_CORE]
    command = ["ansible-test", "sanity", "--local", "--color=no", "--truncate=0", "--junit"]
    # ruff and mypy check what is not published.
    command += [f"--exclude={path}" for path in ("docs/sphinx/", "noxfile.py", "scripts/", "simulator/", "tests/")]

    def test(python: t.Any, *arguments: str) -> None:
        run(*command, f"--python={python}", *arguments, env={"HOME": str(home)})

    with tempfile.TemporaryDirectory() as folder:
        copy = tracked_copy(session, folder)
        try:
            with session.chdir(copy):
                if is_whole and _python([OLDEST_PYTHON]):
                    # Modules and what they import with the oldest Python; plugins, which import nearly all of that too, with the other.
                    test(OLDEST_PYTHON, "--test=compile", "--test=import")
                    folders = sorted(
                        f"plugins/{each.name}/" for each in Path("plugins").iterdir() if not each.name.startswith("module")
                    )
                    test(session.python, "--test=import", *folders, "plugins/module_utils/_events/")
                    chosen.append("--skip-test=import")
                test(session.python, *chosen, *session.posargs)
        finally:
            results = Path(copy, "tests", "output", "junit")
            if results.exists():
                shutil.copytree(results, REPORTS / session.name, dirs_exist_ok=True)


@on_each_core("playbooks", *ENDS)
def playbooks(session: nox.Session, core: str) -> None:
    """Whether role and playbooks of the installed artifact work, on others than the oldest core only what may differ"""
    chosen = ("-m", "every_core") if core != ENDS[0] else ()
    pytest(session, f"core-{core}", *chosen, "tests/playbooks", workers=max(several(session), PROCESSORS // 2))


@on_each_core("modules", *ENDS)
def modules(session: nox.Session, core: str) -> None:
    """Whether each module works against the simulator"""
    # The oldest core is tested with the oldest supported urllib3.
    http = ("tests/unit/module_utils/_api", "tests/tls") if core == next(iter(CORES)) else ()
    chosen = ("-m", "every_core") if core != ENDS[0] else ()
    # Tests of HTTP wait.
    pytest(session, f"core-{core}", *chosen, "tests/modules", *http, workers=several(session))


@gate("test", "once")
def docs(session: nox.Session) -> None:
    """Whether every example and command of the documentation runs."""
    ignored = [f"--ignore={each}" for each in (REFERENCE_PAGES, *PAGES)]
    pytest(session, "dev", "tests/docs", *ignored, workers=several(session))


@gate("test", "check", "core-" + MAIN)
def units(session: nox.Session) -> None:
    """Whether pure packages return what tables and properties expect."""
    # Each process imports and collects all tests, which is worth it where only few other sessions run.
    workers = PROCESSORS if os.environ.get("EDGEOPS_TAG") == "check" else several(session)
    pytest(session, f"core-{MAIN}", "tests/unit", workers=workers)


@gate("test", "once")
def pages(session: nox.Session) -> None:
    """Whether site, report and the document for assessors are correct in a browser."""
    # In one process, which builds the site and opens the browser once.
    pytest(session, "dev", *PAGES)


@gate("test", "once")
def controller(session: nox.Session) -> None:
    """Whether the example for AWX sets up a controller, and its jobs work."""
    pytest(session, "awx", "tests/awx")


@gate("test", "once")
def properties(session: nox.Session) -> None:
    """Whether random sequences, adoptions and answers of arbitrary JSON end as models predict, and knowing less is never greener."""
    pytest(session, f"core-{MAIN}", "tests/properties", workers=several(session))


@gate("test", "once")
def secrets(session: nox.Session) -> None:
    """Whether no credential gets into any output, log, result or file, or to another origin."""
    pytest(session, f"core-{MAIN}", "tests/secrets", "tests/tls", workers=several(session))


@gate("test", "once")
def faults(session: nox.Session) -> None:
    """Whether a fault at any request ends as expected; a seeded sample, all with `-- --faults=all`."""
    pytest(session, f"core-{MAIN}", "tests/faults", workers=several(session))


@gate("test", "once", name="ansible-lint")
def ansible_lint(session: nox.Session) -> None:
    """Whether the newest ansible-lint finds no errors in roles, playbooks and examples."""
    run = environment(session, "dev")
    run("ansible-lint", "--offline", env={"ANSIBLE_COLLECTIONS_PATH": str(ROOT / ".venvs" / "collections")})


@gate("test", "once")
def simulator(session: nox.Session) -> None:
    """Whether the embedded simulator behaves as the API is documented."""
    pytest(session, "dev", "simulator/tests", workers=several(session))


@gate("test", "once")
def transformers(session: nox.Session) -> None:
    """Whether queries of transformers return the expected samples with Apache DataFusion, which only this session installs."""
    folders = ("simulator/tests", "tests/modules", "tests/docs/test_guides.py", "tests/faults")
    pytest(session, "transformers", "-m", "engine", *folders)


@gate("test", "once")
def rulebooks(session: nox.Session) -> None:
    """Whether rulebooks in the engine of ansible-rulebook receive changes, also after a kill; needs Java 17."""
    if not shutil.which("java"):
        session.skip("no Java: the engine of rulebooks needs Java 17 (Debian: openjdk-17-jre-headless)")
    pytest(session, "eda", "tests/eda")


@gate("test", "check", "once")
def meta(session: nox.Session) -> None:
    """Whether lists and promises agree with the repository."""
    pytest(session, "dev", "-m", "not builds", "tests/meta", REFERENCE_PAGES)


@gate("test", "once")
def release(session: nox.Session) -> None:
    """Whether a release can be described, signed and published, and images can be built from it."""
    pytest(session, "dev", "-m", "builds", "tests/meta")


@gate("test", "once")
def package(session: nox.Session) -> None:
    """Whether the artifact is complete, and the commands of the README work on a bare machine."""
    run = environment(session, "dev")
    folder = ROOT / "build" / "package"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    artifact = built(session, run, folder)
    run("python", "scripts/artifact.py", str(artifact))
    run("python", "scripts/rehearse.py", str(artifact))


@gate("test", "once")
def clients(session: nox.Session) -> None:
    """Whether the vendor's SDKs, which validate what they read, understand the simulator: for Python two lines, for TypeScript with Node.js."""
    with tempfile.TemporaryDirectory() as folder:
        if shutil.which("npm"):
            ((name, version),) = json.loads(Path("tests/clients/package.json").read_bytes())["dependencies"].items()
            options = ["--silent", f"--pack-destination={folder}"]
            # Without the SDK, its test is skipped with a reason, after short pauses: by default, npm tries for more than a minute.
            options += ["--fetch-retry-mintimeout=500", "--fetch-retry-maxtimeout=2000"]
            session.run("npm", "pack", *options, f"{name}@{version}", success_codes=range(256))
            for packed in Path(folder).glob("*.tgz"):
                with tarfile.open(packed) as archive:
                    # To write all of its 17,000 files takes longer than the test, which imports these.
                    imported = [member for member in archive if member.name.endswith((".mjs", "/package.json"))]
                    # Python 3.11 has it from 3.11.4 on.
                    archive.extraction_filter = getattr(tarfile, "data_filter", lambda member, _path: member)
                    archive.extractall(folder, imported)  # noqa: S202  # see the filter above
                Path(folder, "node_modules").mkdir()
                Path(folder, "package").rename(Path(folder, "node_modules", name))
            session.env["EDGEOPS_NODE_MODULES"] = f"{folder}/node_modules"
        pytest(session, f"core-{MAIN}", "tests/clients")
    older = environment(session, "clients-4")
    older("python", "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/clients/test_reads.py")


@gate("test", "once", name="too-old", pythons=TOO_OLD["2.15"])
def too_old(session: nox.Session) -> None:
    """Whether an ansible-core and a Python that are too old get one message that says what is needed."""
    run = environment(session, "core-2.15")
    with tempfile.TemporaryDirectory() as folder:
        tracked_copy(session, folder)
        run("python", "scripts/too_old.py", folder)


@gate("test", "once")
def importer(session: nox.Session) -> None:
    """Whether Galaxy would import the artifact without errors or warnings."""
    upload(session, "importer", lint=False)


@gate("test", "once", pythons=CORES["2.16"])
def certification(session: nox.Session) -> None:
    """Whether the checker of certified content, with its older ansible-core and ansible-lint, finds no errors."""
    upload(session, "certification", lint=True)


def upload(session: nox.Session, pins: str, *, lint: bool) -> None:
    """Check the artifact as a Galaxy server does after an upload; fail on warnings, too."""
    run = environment(session, pins)
    settings = {"CHECK_REQUIRED_TAGS": True, "RUN_ANSIBLE_LINT": lint, "OFFLINE_ANSIBLE_LINT": True}
    settings |= {"RUN_ANSIBLE_TEST": False, "RUN_FLAKE8": False}
    with tempfile.TemporaryDirectory() as folder:
        artifact = built(session, run, Path(folder))
        lines = ["[galaxy-importer]", *(f"{name} = {value}" for name, value in settings.items())]
        Path(folder, "importer.cfg").write_text("\n".join(lines), encoding="utf-8")
        alone = {"HOME": folder, "GALAXY_IMPORTER_CONFIG": f"{folder}/importer.cfg"}
        with session.chdir(folder):
            said = str(run("python", "-m", "galaxy_importer.main", artifact.name, silent=True, env=alone))
    print(said)
    # ansible-lint searches for playbooks one folder below the one in which the importer has them.
    not_found = re.compile(r"WARNING: ERROR +Failed to find edgeops\.observability\.\w+ playbook\.")
    found = [line for line in said.splitlines() if line.startswith(("ERROR", "WARNING")) or "Traceback" in line]
    if any(not not_found.fullmatch(line) for line in found):
        session.error("there are warnings or errors")


@gate("test", "once", name="plugin-docs")
def plugin_docs(session: nox.Session) -> None:
    """Whether the documentation of every plugin is complete, references have targets, and the changelog names all plugins."""
    run = environment(session, "dev")
    with tempfile.TemporaryDirectory() as folder, session.chdir(tracked_copy(session, folder)):
        options = "--plugin-docs --validate-collection-refs=self --check-extra-docs-refs --skip-rstcheck"
        # It writes a log into the home of the user.
        run("antsibull-docs", "lint-collection-docs", *options.split(), ".", env={"HOME": folder})
        run("antsibull-changelog", "generate", "--reload-plugins", env={"HOME": folder})
        for name in ("CHANGELOG.md", "CHANGELOG.rst"):
            if Path(name).read_bytes() != (ROOT / name).read_bytes():
                session.error(f"{name} is not what `antsibull-changelog generate --reload-plugins` writes")


@gate("test", "check", "once")
def types(session: nox.Session) -> None:
    """Whether the type hints pass mypy in strict mode."""
    run = environment(session, "dev")
    run("mypy")


@gate("test", "check", "once")
def lint(session: nox.Session) -> None:
    """Whether ruff, yamllint and antsibull-changelog find no errors."""
    run = environment(session, "dev")
    run("ruff", "check", "--quiet", ".")
    run("ruff", "format", "--check", "--quiet", ".")
    run("yamllint", "--strict", ".")
    run("antsibull-changelog", "lint")


def by_hand(run: t.Callable[[nox.Session], None]) -> t.Any:
    """Declare a session that creates files, and runs only if it is named."""
    return nox.session(run, name=run.__name__.replace("_", "-"), python=_python(CORES[MAIN]), tags=["by-hand"], default=False)


@by_hand
def dev(session: nox.Session) -> None:
    """Make .venv with every pinned tool, for editors and single tests; `-- core-2.16` makes that of another core in .venvs."""
    (pins,) = session.posargs or ["dev"]
    pythons = TESTED.get(pins.removeprefix("core-"), CORES[MAIN])
    environment(session, pins, None if session.posargs else ".venv", _python(pythons) or pythons[0])


@by_hand
def requirements(session: nox.Session) -> None:
    """Pin what the groups of pyproject.toml need beyond requirements/*.txt; `-- --upgrade` pins the newest of everything."""
    groups = nox.project.load_toml("pyproject.toml")["dependency-groups"]
    # `dev` comes last, because it uses the versions of those that it includes.
    for group in sorted(set(groups) - {"test", "harness"}, key="dev".__eq__):
        included = [each["include-group"] for each in groups[group] if isinstance(each, dict)]
        constraints = [f"--constraints=requirements/{each}.txt" for each in included if each not in ("test", "harness")]
        own = [] if group == "bootstrap" else ["requirements.txt"]
        # One list holds for several Pythons: it names a version of each package that all of them can run.
        oldest = min({**TESTED, **TOO_OLD}.get(group.removeprefix("core-"), CORES[MAIN]))
        command = [
            str(Path(sys.executable).with_name("uv")),
            "pip",
            "compile",
            "--quiet",
            "--universal",
            "--fork-strategy=fewest",
            f"--python-version={oldest}",
        ]
        plain = ["--no-annotate", "--no-header", f"--output-file=requirements/{group}.txt"]
        session.run(*command, *plain, f"--group={group}", *own, *constraints, *session.posargs, silent=True)


@by_hand
def site(session: nox.Session) -> None:
    """Build the documentation site into docs/site; a warning is an error."""
    run = environment(session, "dev")
    run("scripts/docs.sh")


@by_hand
def picture(session: nox.Session) -> None:
    """Make the picture of a report in README.md; needs a browser."""
    run = environment(session, "dev")
    run("python", "scripts/picture.py")


@by_hand
def mutation(session: nox.Session) -> None:
    """Judge the tests of the pure packages by mutants of these; `-- _filter _redact` selects some."""
    run = environment(session, "dev")
    run("scripts/mutation.sh", *session.posargs)


@by_hand
def bench(session: nox.Session) -> None:
    """Measure against other ways of doing the same; `-- --quick` takes minutes instead of two hours."""
    run = environment(session, "dev")
    collections = str(ROOT / ".venvs" / "collections")
    run(
        "python",
        "scripts/benchmark/run.py",
        *session.posargs,
        env={"PYTHONPATH": collections, "ANSIBLE_COLLECTIONS_PATH": collections},
    )


@nox.session(
    name="release-check",
    python=_python(CORES[MAIN]),
    tags=["by-hand"],
    default=False,
    requires=["package", "importer", "certification"],
)
def release_check(session: nox.Session) -> None:
    """Whether version, changelog and package agree, and could be published."""
    run = environment(session, "dev")
    run("python", "scripts/release_check.py")
