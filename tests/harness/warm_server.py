# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A process that has imported ansible-core and the collection, and runs a command in a fork of itself for each request.

`warm_server.py DESCRIPTOR FOLDER`: requests and answers are lines of JSON on the socket, `warm.py` is the other end. The
folder is removed when that closes the socket.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import gc
import glob
import hashlib
import importlib
import importlib.resources
import json
import logging
import marshal
import os
import runpy
import shutil
import signal
import socket
import sys
import sysconfig
import tempfile
import types
import typing as t
from pathlib import Path

import jinja2.environment
import jinja2.nodes
from sitecustomize import kept_or_compiled  # type: ignore[import-not-found]  # on PYTHONPATH, and imported by now
from warm_modules import fork_modules, leave  # type: ignore[import-not-found]  # beside this script

PRELOADED = (
    "ansible.cli.playbook",
    "ansible.cli.inventory",
    "ansible.executor.module_common",
    "ansible.executor.playbook_executor",
    "ansible.module_utils.basic",
    "ansible.module_utils.urls",
    "ansible.playbook.handler_task_include",
    "ansible.plugins.connection",
    "ansible.plugins.inventory",
    "ansible.plugins.strategy",
    "multiprocessing.popen_fork",
    "multiprocessing.synchronize",
    "requests",
    "xml.etree.ElementTree",
)
COLLECTION = Path(sysconfig.get_path("purelib")) / "ansible_collections" / "edgeops" / "observability"
# Kinds of plugins of which every run loads all. Not those for variables, which ansible-core uses in the order in which it loads them.
ALL = ("become", "callback", "connection", "filter", "shell", "test")
# Those that a run on the controller asks for by name, so that its workers need not look for them.
LOADED = {
    "action": ("assert", "debug", "fail", "include_vars", "normal", "pause", "set_fact", "set_stats"),
    "cache": ("memory",),
    "callback": ("default",),
    "connection": ("local",),
    "inventory": ("host_list", "script", "auto", "yaml", "ini", "toml", "constructed"),
    "lookup": ("env", "file", "items"),
    "shell": ("sh",),
    "strategy": ("linear", "free"),
}


def remember_collections() -> None:
    """Give the loader of collections a memory for what it compiles and parses again in each process, and fill it."""
    finder = vars(importlib.import_module("ansible.utils.collection_loader._collection_finder"))
    code = finder["compile"] = functools.cache(lambda source, filename, **_options: kept_or_compiled(filename, source))
    for path in (COLLECTION / "plugins").rglob("*.py"):
        code(source=path.read_bytes(), filename=str(path), mode="exec", flags=0, dont_inherit=True)
    parse = finder["_meta_yml_to_dict"] = functools.cache(finder["_meta_yml_to_dict"])
    builtin = importlib.resources.files("ansible.config") / "ansible_builtin_runtime.yml"
    for collection, routing in (("ansible.builtin", builtin), ("edgeops.observability", COLLECTION / "meta" / "runtime.yml")):
        parse(routing.read_bytes(), (collection, "runtime.yml"))


def load_plugins() -> None:
    """Import the plugins that every run loads, and read the options in their documentation."""
    loader = importlib.import_module("ansible.plugins.loader")
    loader.init_plugin_loader()
    remember_folders(loader)
    remember_options(loader)
    # Each run would do it once more, and be warned.
    vars(loader)["_configure_collection_loader"] = lambda *_paths: None
    for kind in ALL:
        list(getattr(loader, f"{kind}_loader").all(class_only=True))
    for kind, names in LOADED.items():
        for name in names:
            getattr(loader, f"{kind}_loader").get(name, class_only=True)
    plain = jinja2.environment.Environment()
    for kind, of_jinja in (("filter", list(plain.filters)), ("test", list(plain.tests))):
        own = [f"edgeops.observability.{path.stem}" for path in (COLLECTION / "plugins" / kind).glob("[!_]*.py")]
        remember_found(getattr(loader, f"{kind}_loader"), of_jinja + own)
    for path in (COLLECTION / "plugins" / "action").glob("[!_]*.py"):
        importlib.import_module(f"ansible_collections.edgeops.observability.plugins.action.{path.stem}")


def remember_folders(loader: t.Any) -> None:
    """Look once for plugins in the folders that no run changes: ansible-core looks again for each of its tasks."""
    fixed = tuple(f"{path}/" for path in (Path(loader.__file__).parents[1], COLLECTION))
    look: t.Callable[[str], list[str]] = glob.glob
    remembered = functools.cache(look)

    def search(pattern: str) -> list[str]:
        return list(remembered(pattern)) if pattern.startswith(fixed) else look(pattern)

    vars(loader)["glob"] = types.SimpleNamespace(glob=search, iglob=search)
    for folder in fixed:
        for path in Path(folder).glob("plugins/*/"):
            search(f"{path}/*.py")
    for path in (COLLECTION / "plugins" / "modules").glob("[!_]*.py"):
        for kind in ("action", "module"):
            getattr(loader, f"{kind}_loader").find_plugin_with_context(f"edgeops.observability.{path.stem}")


def remember_options(loader: t.Any) -> None:
    """Read the documentation of a plugin once: ansible-core reads one without options again each time."""
    read = loader.PluginLoader._load_config_defs
    done = set()

    def read_once(own: t.Any, name: str, module: t.Any, path: str) -> None:
        if (own.class_name, name, path) not in done:
            read(own, name, module, path)
            done.add((own.class_name, name, path))

    loader.PluginLoader._load_config_defs = read_once
    variables = importlib.import_module("ansible.plugins.vars.host_group_vars")
    loader.vars_loader._load_config_defs("host_group_vars", variables, variables.__file__)


def prepare_results() -> None:
    """Work out which members the result of a task may have, as newer ansible-core does once in each worker."""
    with contextlib.suppress(ImportError, AttributeError):
        result = importlib.import_module("ansible._internal._task").UnifiedTaskResult
        for source_is_module in (True, False):
            result.get_result_key_to_resolved_field_mapping(source_is_module=source_is_module)


def remember_found(loader: t.Any, names: t.Iterable[str]) -> None:
    """Remember what the loader finds under some names: each worker would look through all its folders again."""
    find = loader.get
    found: dict[str, t.Any] = {}
    missing: dict[str, tuple[object, ...]] = {}
    for name in names:
        try:
            found[name] = find(name)
        except KeyError as error:
            missing[name] = error.args

    def get(name: str, *arguments: t.Any, **options: t.Any) -> t.Any:
        if name in missing:
            raise KeyError(*missing[name])
        return found[name] if name in found else find(name, *arguments, **options)

    loader.get = get


def stop_counting() -> None:
    """Make everything immortal, as None is since Python 3.12: each reference that a fork counts may copy a page."""
    immortal = ctypes.c_uint32.from_address(id(None)).value
    if immortal < 1 << 31:
        # An older Python, which counts those of None as well.
        return
    new = gc.get_objects()
    while new:
        for each in new:
            ctypes.c_uint32.from_address(id(each)).value = immortal
        constants = [each.co_consts for each in new if isinstance(each, types.CodeType)]
        new = [each for each in (*gc.get_referents(*new), *constants) if sys.getrefcount(each) != immortal]


class Templates:
    """Compiled templates by their text, in a folder of all forks: ansible-core compiles each again in each of its workers."""

    # What else decides how a text is compiled. All forks have the same configuration of ansible-core.
    OPTIONS = (
        *("block_start_string", "block_end_string", "variable_start_string", "variable_end_string"),
        *("comment_start_string", "comment_end_string", "line_statement_prefix", "line_comment_prefix"),
        *("trim_blocks", "lstrip_blocks", "newline_sequence", "keep_trailing_newline", "optimized", "autoescape"),
    )

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        folder.mkdir()
        self._read: dict[str, bytes] = {}
        # The name of the expression that is being compiled: it reaches `compile` as nodes, without its text.
        self._expression: str | None = None

    def read(self) -> None:
        """Read what forks have left, so that no later fork has to."""
        for path in self._folder.iterdir():
            if path.name not in self._read and not path.suffix:
                self._read[path.name] = path.read_bytes()

    def remember(self) -> None:
        """Let every environment of Jinja look here first."""
        environment: t.Any = jinja2.environment.Environment
        compile_anew, express_anew = environment.compile, environment.compile_expression

        def compile_once(own: t.Any, source: t.Any, *arguments: t.Any, **options: t.Any) -> t.Any:
            name, self._expression = self._expression, None
            if isinstance(source, str):
                name = self._name(own, "template", source, arguments, options)
            code = self._kept(name)
            if code is None:
                code = compile_anew(own, source, *arguments, **options)
                self._keep(name, code)
            return code

        def express_once(own: t.Any, source: str, undefined_to_none: bool = True) -> t.Any:
            self._expression = self._name(own, "expression", source)
            if self._kept(self._expression) is None:
                return express_anew(own, source, undefined_to_none)
            return jinja2.environment.TemplateExpression(own.from_string(jinja2.nodes.Template([])), undefined_to_none)

        environment.compile = compile_once
        environment.compile_expression = express_once

    def _name(self, environment: t.Any, kind: str, source: str, *more: t.Any) -> str | None:
        # How a backslash is read depends on more than the environment.
        if "\\" in source:
            return None
        options = [getattr(environment, name) for name in self.OPTIONS]
        key = (kind, str(source), type(environment).__qualname__, options, list(environment.extensions), more)
        return hashlib.sha256(repr(key).encode()).hexdigest()

    def _kept(self, name: str | None) -> types.CodeType | None:
        if name is None:
            return None
        try:
            code = self._read.get(name) or (self._folder / name).read_bytes()
        except FileNotFoundError:
            return None
        return t.cast("types.CodeType", marshal.loads(code))  # noqa: S302  # our own file

    def _keep(self, name: str | None, code: t.Any) -> None:
        if name is not None and isinstance(code, types.CodeType):
            part = self._folder / f"{name}.{os.getpid()}"
            part.write_bytes(marshal.dumps(code))
            # Workers side by side may compile the same; each file is whole as soon as it has its name.
            part.replace(self._folder / name)


def serve(connection: socket.socket, folder: str, templates: Templates) -> dict[str, t.Any]:
    """Fork for each request, and answer with its exit code. Returns in the fork only, with the request."""
    with connection, connection.makefile("rw", encoding="utf-8") as stream:
        for line in iter(stream.readline, ""):
            request = t.cast("dict[str, t.Any]", json.loads(line))
            templates.read()
            pid = os.fork()
            if not pid:
                return request
            print(json.dumps(ended(pid, request["timeout"])), file=stream, flush=True)
    shutil.rmtree(folder, ignore_errors=True)
    sys.exit()


def ended(pid: int, timeout: float) -> tuple[int, bool]:
    """The exit code of a fork, and whether its process group had to be killed when its time was over."""
    expired = False

    def kill(*_signal: object) -> None:
        nonlocal expired
        expired = True
        os.killpg(pid, signal.SIGKILL)

    signal.signal(signal.SIGALRM, kill)
    signal.setitimer(signal.ITIMER_REAL, timeout)
    _pid, status = os.waitpid(pid, 0)
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    return os.waitstatus_to_exitcode(status), expired


def become(request: t.Mapping[str, t.Any], archives: Path) -> None:
    """Take on what a process of its own would have started with, where imports have read it before."""
    os.setsid()
    os.environ.clear()
    os.environ.update(request["environment"])
    os.chdir(request["cwd"])
    for descriptor, path in ((1, request["stdout"]), (2, request["stderr"])):
        os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), descriptor)
    sys.argv = request["command"]
    tempfile.tempdir = None
    own = Path(importlib.import_module("ansible.constants").DEFAULT_LOCAL_TMP)
    own.mkdir(0o700, parents=True, exist_ok=True)
    (own / "ansiballz_cache").symlink_to(archives)
    for handler in logging.root.handlers:
        if isinstance(handler, logging.FileHandler):
            handler.close()
            handler.setStream(handler._open())
    # A fork switches the locks of the display's streams off, and whoever forks workers needs them.
    display = importlib.import_module("ansible.utils.display")
    for stream in (sys.stdout, sys.stderr):
        display._synchronize_textiowrapper(stream, display.Display()._lock)


def main() -> None:
    """Import, serve, and in a fork run the command."""
    sys.path[0] = str(Path(sys.executable).parent)
    for name in PRELOADED:
        importlib.import_module(name)
    remember_collections()
    load_plugins()
    prepare_results()
    fork_modules()
    gc.collect()
    stop_counting()
    gc.freeze()
    # To look for garbage touches all objects of a run, which copies them in each of its workers.
    gc.disable()
    # The archives of ordinary modules are the same for all runs, because no run brings another module under a name that is taken.
    archives = Path(os.environ["EDGEOPS_COMPILED"]) / "archives"
    archives.mkdir(exist_ok=True)
    templates = Templates(Path(sys.argv[2]) / "templates")
    templates.remember()
    request = serve(socket.socket(fileno=int(sys.argv[1])), sys.argv[2], templates)
    become(request, archives)
    try:
        runpy.run_path(request["command"][0], run_name="__main__")
    except SystemExit as ended:
        leave(ended.code)


if __name__ == "__main__":
    main()
