# SPDX-License-Identifier: GPL-3.0-or-later

"""Every check of this project: `nox -l` lists them, `nox -s units` runs one of them. `make check` and `make test` run those of one tag side by side.

They stand here in the order in which they begin: first what must run alone, then the longest.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import tempfile
import typing as t
from pathlib import Path

import nox

# The cores that are supported, the oldest first, each with the Pythons of the controller that its pins hold for: the first of them
# that is on the machine is taken.
CORES = {
    "2.16": ("3.11", "3.12"),
    "2.17": ("3.12", "3.11"),
    "2.18": ("3.12", "3.11", "3.13"),
    "2.19": ("3.11", "3.12", "3.13"),
    "2.20": ("3.13", "3.12"),
    "2.21": ("3.13", "3.12"),
}
# The next one, as soon as the index has a pre-release of it.
NEXT = {"2.22": ("3.13",)}
MAIN = "2.19"
# The oldest Python that modules run with.
OLDEST_PYTHON = "3.10"
# What of `ansible-test sanity` depends on the code of ansible-core; the rest is the same with every core, and runs on the newest.
SANITY_OF_CORE = ("action-plugin-docs", "ansible-doc", "compile", "ignores", "import", "runtime-metadata", "validate-modules")
PROCESSORS = os.cpu_count() or 1
ROOT = Path(__file__).resolve().parent
REPORTS = ROOT / "build" / "reports"
LINK = ROOT / ".venvs" / "collections" / "ansible_collections" / "edgeops" / "observability"

nox.needs_version = ">=2026.2"
nox.options.default_venv_backend = "uv|virtualenv"
nox.options.download_python = "never"
nox.options.envdir = ".venvs"
nox.options.error_on_missing_interpreters = False
nox.options.reuse_venv = "yes"
nox.options.allow_parallel = True
nox.options.tags = ["check"]

# Trust what the system trusts, such as the authority of a company's proxy.
os.environ.setdefault("UV_SYSTEM_CERTS", "true")
# Some machines forbid bytecode: every session would compile the tests again, and every test the simulator that it starts.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
# Where an interpreter has changed, an environment is made again.
os.environ["NOX_ENABLE_STALENESS_CHECK"] = "true"


def _real_interpreters(path: list[str]) -> list[str]:
    """The folders of PATH, with those of pyenv's versions in place of its shims, which answer for versions that they do not have.

    They come last: pyenv builds without the optimizations of distributions, and the tests take a fifth more.
    """
    kept = [folder for folder in path if Path(folder).name != "shims"]
    versions = [
        str(each) for folder in path if Path(folder).name == "shims" for each in Path(folder).parent.glob("versions/*/bin")
    ]
    return list(dict.fromkeys([*kept, *versions]))


os.environ["PATH"] = os.pathsep.join(_real_interpreters(os.environ["PATH"].split(os.pathsep)))


def _python(versions: t.Iterable[str]) -> str | None:
    return next((version for version in versions if shutil.which(f"python{version}")), None)


RUNNABLE = [core for core, pythons in CORES.items() if _python(pythons)]
ENDS = (*RUNNABLE[:1], *RUNNABLE[-1:])


def gate(*tags: str, name: str | None = None, pythons: tuple[str, ...] = CORES[MAIN], **options: t.Any) -> t.Any:
    """A session that `make test TAG=all` takes, with the first of these Pythons; without any of them it is skipped."""

    def register(run: t.Callable[[nox.Session], None]) -> t.Any:
        def skip(session: nox.Session) -> None:
            session.skip(f"Python {' or '.join(sorted(pythons))} is not on this machine")

        python = _python(pythons)
        skip.__doc__ = run.__doc__
        chosen = run if python else skip
        return nox.session(
            chosen, name=name or run.__name__, python=python or False, tags=[*tags, "all"], default=False, **options
        )

    return register


def on_each_core(*also: str) -> t.Any:
    """A gate for each core; `make test` takes that of the oldest, the newest, the next, and of these. The first one is the main core's."""

    def register(run: t.Callable[[nox.Session, str], None]) -> None:
        for core, pythons in sorted({**CORES, **NEXT}.items(), key=lambda each: each[0] != MAIN):

            def one(session: nox.Session, core: str = core) -> None:
                run(session, core)

            one.__doc__ = f"{run.__doc__} (ansible-core {core})"
            # What no Python can run here is taken too, so that it is named.
            taken = core in (*ENDS, *NEXT, *also) or core not in RUNNABLE
            gate(*(["test"] if taken else []), f"core-{core}", name=f"{run.__name__}-{core}", pythons=pythons)(one)

    return register


def install(session: nox.Session, pins: str, *, compiled: bool = False) -> None:
    """Install pinned packages and the simulator; compiled are those of tests, which start hundreds of processes."""
    environment = {"UV_COMPILE_BYTECODE": "true"} if compiled else {}
    session.install("--requirement", f"requirements/{pins}.txt", env=environment)
    session.install("--no-deps", "--no-build-isolation", "--editable", "simulator")
    link()


def link() -> None:
    """Give the checkout its name as a collection, for tests and tools that import it. Playbooks run the installed artifact."""
    LINK.parent.mkdir(parents=True, exist_ok=True)
    if not LINK.is_symlink() or LINK.readlink() != ROOT:
        LINK.unlink(missing_ok=True)
        # Unless a session beside this one has been faster.
        with contextlib.suppress(FileExistsError):
            LINK.symlink_to(ROOT)


def pytest(session: nox.Session, pins: str, *arguments: str, workers: int = 1) -> None:
    """Tests; what follows `--` is added, or takes their place if it names files."""
    install(session, pins, compiled=True)
    named = any(Path(each.partition("::")[0]).exists() for each in session.posargs)
    report = f"--junitxml={REPORTS / session.name}.xml"
    many = ("-n", str(workers), "--dist", "worksteal") if workers > 1 else ()
    chosen = session.posargs if named else (*arguments, *session.posargs)
    session.run("python", "-m", "pytest", "-q", "-p", "no:cacheprovider", report, *many, *chosen)


def tracked_copy(session: nox.Session, folder: str) -> str:
    """The path of a copy of the tracked files at the only place where some tools accept a collection."""
    return str(session.run("scripts/tracked-copy.sh", folder, silent=True, external=True)).strip()


def built(session: nox.Session, folder: Path) -> Path:
    """The artifact, alone in a folder."""
    with tempfile.TemporaryDirectory() as source:
        session.run("ansible-galaxy", "collection", "build", tracked_copy(session, source), "--output-path", str(folder))
    (artifact,) = folder.glob("*.tar.gz")
    return artifact


@gate("test", "once", allow_parallel=False)
def budget(session: nox.Session) -> None:
    """Whether many hosts share one request budget, and processes that race lose nothing; by the clock, and therefore alone."""
    pytest(session, f"core-{MAIN}", "tests/budget", "tests/concurrency", workers=PROCESSORS)


@on_each_core(MAIN)
def playbooks(session: nox.Session, core: str) -> None:
    """Whether ansible-playbook does with the installed artifact what role and playbooks promise"""
    # Two processes at least, because they also wait.
    chosen = ("-m", "every_core") if core != MAIN else ()
    pytest(session, f"core-{core}", *chosen, "tests/playbooks", workers=max(2, PROCESSORS // 2))


@on_each_core()
def sanity(session: nox.Session, core: str) -> None:
    """Whether ansible-test finds nothing in what is published; no finding is ignored"""
    session.install("ansible-core", "--constraint", f"requirements/core-{core}.txt")
    # A home for each core: the environments that ansible-test makes stay here between runs, and the user's are left alone.
    home = ROOT / ".venvs" / f"ansible-test-{core}"
    cache = home / ".ansible" / "test" / "cache"
    cache.mkdir(parents=True, exist_ok=True)
    session.env["HOME"] = str(home)
    session.run("python", "scripts/bootstrap_pip.py", str(cache))
    whole = core == RUNNABLE[-1]
    chosen = [] if whole else [f"--test={name}" for name in SANITY_OF_CORE]
    # Tests and simulator are what ruff and mypy look at.
    command = [
        "ansible-test",
        "sanity",
        "--local",
        "--color=no",
        "--truncate=0",
        "--junit",
        "--exclude=tests/",
        "--exclude=simulator/",
    ]
    with tempfile.TemporaryDirectory() as folder:
        copy = tracked_copy(session, folder)
        try:
            with session.chdir(copy):
                session.run(*command, f"--python={session.python}", *chosen, *session.posargs)
                if whole and _python([OLDEST_PYTHON]):
                    session.run(*command, f"--python={OLDEST_PYTHON}", "--test=compile", "--test=import")
        finally:
            results = Path(copy, "tests", "output", "junit")
            if results.exists():
                shutil.copytree(results, REPORTS / session.name, dirs_exist_ok=True)


@gate("test", "once")
def docs(session: nox.Session) -> None:
    """Whether every example of the documentation runs, and site and report look right in a browser."""
    pytest(session, "dev", "tests/docs")


@gate("test", "check", "core-" + MAIN)
def units(session: nox.Session) -> None:
    """Whether the pure packages decide as their tables and properties say."""
    pytest(session, f"core-{MAIN}", "tests/unit", workers=PROCESSORS)


@gate("test", "once")
def controller(session: nox.Session) -> None:
    """Whether the example for AWX sets up a controller, and its jobs do what they are for."""
    pytest(session, "awx", "tests/awx")


@gate("test", "once")
def properties(session: nox.Session) -> None:
    """Whether random sequences, adoptions and answers of arbitrary JSON end as models say."""
    pytest(session, f"core-{MAIN}", "tests/properties")


@gate("test", "once")
def secrets(session: nox.Session) -> None:
    """Whether no credential gets into any output, log, result, file or other origin."""
    pytest(session, f"core-{MAIN}", "tests/secrets", "tests/tls")


@gate("test", "once")
def faults(session: nox.Session) -> None:
    """Whether a fault at any request ends as it should; a seeded sample, all with `-- --faults=all -n 2`."""
    pytest(session, f"core-{MAIN}", "tests/faults")


@gate("test", "once", name="ansible-lint")
def ansible_lint(session: nox.Session) -> None:
    """Whether the newest ansible-lint finds nothing in roles, playbooks and examples."""
    install(session, "dev")
    session.run("ansible-lint", "--offline", env={"ANSIBLE_COLLECTIONS_PATH": str(ROOT / ".venvs" / "collections")})


@gate("test", "once")
def simulator(session: nox.Session) -> None:
    """Whether the embedded service behaves as the service is documented to."""
    pytest(session, "dev", "simulator/tests")


@on_each_core(MAIN)
def modules(session: nox.Session, core: str) -> None:
    """Whether each module does its whole task against the simulator"""
    # The oldest core comes with the oldest urllib3.
    http = ("tests/unit/module_utils/_api", "tests/tls") if core == next(iter(CORES)) else ()
    pytest(session, f"core-{core}", "tests/modules", *http)


@gate("test", "once")
def transformers(session: nox.Session) -> None:
    """Whether queries of transformers do what samples demand, run by Apache DataFusion, which is large and only here."""
    folders = ("simulator/tests", "tests/modules", "tests/docs/test_guides.py", "tests/faults")
    pytest(session, "transformers", "-m", "engine", *folders)


@gate("test", "once")
def rulebooks(session: nox.Session) -> None:
    """Whether the engine of ansible-rulebook hears what changes, also when it is killed; needs Java 17."""
    if not shutil.which("java"):
        session.skip("no Java: the engine of rulebooks needs Java 17 (Debian: openjdk-17-jre-headless)")
    pytest(session, "eda", "tests/eda")


@gate("test", "check", "once")
def meta(session: nox.Session) -> None:
    """Whether lists and promises agree with the repository."""
    pytest(session, "dev", "-m", "not builds", "tests/meta")


@gate("test", "once")
def release(session: nox.Session) -> None:
    """Whether a release can be described, signed and published, and images can be made of it."""
    pytest(session, "dev", "-m", "builds", "tests/meta")


@gate("test", "once")
def package(session: nox.Session) -> None:
    """Whether the artifact holds what it should, and does on a bare machine what the README says."""
    install(session, "dev")
    folder = ROOT / "build" / "package"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    artifact = built(session, folder)
    session.run("python", "scripts/artifact.py", str(artifact))
    session.run("python", "scripts/rehearse.py", str(artifact))


@gate("test", "once")
def importer(session: nox.Session) -> None:
    """Whether Galaxy would take the artifact without an error or a warning."""
    upload(session, "importer", lint=False)


@gate("test", "once", pythons=CORES["2.16"])
def certification(session: nox.Session) -> None:
    """Whether the checker of certified content, with its older ansible-core and ansible-lint, finds nothing either."""
    upload(session, "certification", lint=True)


def upload(session: nox.Session, pins: str, *, lint: bool) -> None:
    """Look at the artifact as a server does to which it is uploaded; all that is found is a warning or an error."""
    session.install("--requirement", f"requirements/{pins}.txt")
    settings = {"CHECK_REQUIRED_TAGS": True, "RUN_ANSIBLE_LINT": lint, "OFFLINE_ANSIBLE_LINT": True}
    settings |= {"RUN_ANSIBLE_TEST": False, "RUN_FLAKE8": False}
    with tempfile.TemporaryDirectory() as folder:
        artifact = built(session, Path(folder))
        lines = ["[galaxy-importer]", *(f"{name} = {value}" for name, value in settings.items())]
        Path(folder, "importer.cfg").write_text("\n".join(lines), encoding="utf-8")
        environment = {"HOME": folder, "GALAXY_IMPORTER_CONFIG": f"{folder}/importer.cfg"}
        with session.chdir(folder):
            said = str(session.run("python", "-m", "galaxy_importer.main", artifact.name, silent=True, env=environment))
    print(said)
    # ansible-lint looks for playbooks of collections one folder below where the importer has them.
    not_found = re.compile(r"WARNING: ERROR +Failed to find edgeops\.observability\.\w+ playbook\.")
    found = [line for line in said.splitlines() if line.startswith(("ERROR", "WARNING")) or "Traceback" in line]
    if any(not not_found.fullmatch(line) for line in found):
        session.error("there are warnings or errors")


@gate("test", "once", name="plugin-docs")
def plugin_docs(session: nox.Session) -> None:
    """Whether the documentation of every plugin is whole, and each reference in it leads somewhere."""
    install(session, "dev")
    with tempfile.TemporaryDirectory() as folder, session.chdir(tracked_copy(session, folder)):
        options = "--plugin-docs --validate-collection-refs=self --check-extra-docs-refs --skip-rstcheck"
        session.run("antsibull-docs", "lint-collection-docs", *options.split(), ".")


@gate("test", "check", "once")
def types(session: nox.Session) -> None:
    """Whether mypy, strict, agrees with the type hints."""
    install(session, "dev")
    session.run("mypy")


@gate("test", "check", "once")
def lint(session: nox.Session) -> None:
    """Whether ruff, yamllint and antsibull-changelog find nothing."""
    install(session, "dev")
    session.run("ruff", "check", "--quiet", ".")
    session.run("ruff", "format", "--check", "--quiet", ".")
    session.run("yamllint", "--strict", ".")
    session.run("antsibull-changelog", "lint")


def by_hand(run: t.Callable[[nox.Session], None]) -> t.Any:
    """A session that makes something, and that no run of gates takes."""
    return nox.session(run, name=run.__name__.replace("_", "-"), python=_python(CORES[MAIN]), tags=["by-hand"], default=False)


@by_hand
def dev(session: nox.Session) -> None:
    """Make .venv with every pinned tool, for editors and single tests; `-- core-2.16` makes that of another core in .venvs."""
    session.install("--requirement", "requirements/bootstrap.txt")
    pins = session.posargs[0] if session.posargs else "dev"
    folder = Path(f".venvs/{pins}" if session.posargs else ".venv")
    if not (folder / "bin" / "python").exists():
        pythons = CORES.get(pins.removeprefix("core-"), CORES[MAIN])
        session.run("uv", "venv", "--quiet", "--clear", "--no-project", "--python", _python(pythons) or pythons[0], str(folder))
    where = {"VIRTUAL_ENV": str(ROOT / folder), "UV_PYTHON": None, "UV_COMPILE_BYTECODE": "true"}
    session.run("uv", "pip", "sync", "--quiet", f"requirements/{pins}.txt", env=where)
    session.run("uv", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation", "--editable", "simulator", env=where)
    link()


@by_hand
def requirements(session: nox.Session) -> None:
    """Pin what the groups of pyproject.toml need beyond requirements/*.txt; `-- --upgrade` pins the newest of everything."""
    session.install("--requirement", "requirements/bootstrap.txt")
    groups = nox.project.load_toml("pyproject.toml")["dependency-groups"]
    # After the groups that they include, whose versions they take.
    for group in sorted(set(groups) - {"test"}, key=("dev", "bench").count):
        included = [each["include-group"] for each in groups[group] if isinstance(each, dict)]
        constraints = [f"--constraints=requirements/{each}.txt" for each in included if each in groups and each != "test"]
        own = [] if group == "bootstrap" else ["requirements.txt"]
        # One list holds for several Pythons: it names a version of each package that all of them can run.
        oldest = min(CORES.get(group.removeprefix("core-"), NEXT.get(group.removeprefix("core-"), CORES[MAIN])))
        command = ["uv", "pip", "compile", "--quiet", "--universal", "--fork-strategy=fewest", f"--python-version={oldest}"]
        plain = ["--no-annotate", "--no-header", f"--output-file=requirements/{group}.txt"]
        session.run(*command, *plain, f"--group={group}", *own, *constraints, *session.posargs, silent=True)


@by_hand
def site(session: nox.Session) -> None:
    """Build the documentation site into docs/site; a warning is an error."""
    install(session, "dev")
    session.run("scripts/docs.sh", external=True)


@by_hand
def picture(session: nox.Session) -> None:
    """Make the picture of a report in README.md; needs a browser."""
    install(session, "dev")
    session.run("python", "scripts/picture.py")


@by_hand
def mutation(session: nox.Session) -> None:
    """Judge the tests of the pure packages by mutants of these; `-- _filter _redact` narrows it."""
    install(session, "dev")
    session.run("scripts/mutation.sh", *session.posargs, external=True)


@by_hand
def bench(session: nox.Session) -> None:
    """Measure against other ways of doing the same; `-- --quick` takes minutes instead of two hours."""
    install(session, "bench", compiled=True)
    collections = str(ROOT / ".venvs" / "collections")
    environment = {"PYTHONPATH": collections, "ANSIBLE_COLLECTIONS_PATH": collections}
    session.run("python", "scripts/benchmark/run.py", *session.posargs, env=environment)


@nox.session(
    name="release-check",
    python=_python(CORES[MAIN]),
    tags=["by-hand"],
    default=False,
    requires=["package", "importer", "certification"],
)
def release_check(session: nox.Session) -> None:
    """Whether version, changelog and package agree, and could be published."""
    install(session, "dev")
    session.run("python", "scripts/release_check.py")
