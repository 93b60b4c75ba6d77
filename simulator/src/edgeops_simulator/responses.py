# SPDX-License-Identifier: GPL-3.0-or-later
"""Make a seed from recorded answers: files with JSON envelopes, named like the paths of their requests."""

from __future__ import annotations

import pathlib
import re
import typing as t

from edgeops_simulator import jsontext
from edgeops_simulator.jsontext import KIND_NAMES, is_a
from edgeops_simulator.rules.rulesets import CUSTOM_FIELDS_PHASE, NO_ENTRY_POINT
from edgeops_simulator.state import scripts
from edgeops_simulator.state.part import BadSeed

Document = dict[str, t.Any]
_LISTS = ("scripts", "connections", "cookies", "policies", "rulesets", "jobs")
_PARTS = ("script_monitor", "fields", *_LISTS)
_ACCOUNT_PARTS = ("fields", "jobs")
_EXPECTED = (
    "zones/ZONE_ID.json, accounts/ACCOUNT_ID.json, or below zones/ZONE_ID/ one of page_shield, script_monitor, their scripts, connections, "
    "cookies and policies, rulesets, logpush/jobs, field lists; below accounts/ACCOUNT_ID/ the last two"
)


class _Owner:
    """The recorded state of one zone or account; several answers may contain the same script, ruleset or job."""

    def __init__(self, own_id: str) -> None:
        self.summary: Document = {"id": own_id}
        self.script_monitor: Document = {}
        self.scripts: dict[str, Document] = {}
        self.connections: dict[str, Document] = {}
        self.cookies: dict[str, Document] = {}
        self.policies: dict[str, Document] = {}
        self.rulesets: dict[str, Document] = {}
        self.jobs: dict[int, Document] = {}
        self.fields: dict[str, Document] = {}
        self.totals: dict[pathlib.Path, int] = {}

    def add_summary(self, answer: _Answer) -> None:
        names = ("id", "name", "status", "account")
        self.summary = {name: value for name, value in answer.one(str).items() if name in names and value}

    def add_status(self, answer: _Answer) -> None:
        self.script_monitor.update(answer.one(None))

    def add_scripts(self, answer: _Answer) -> None:
        for script in answer.items("script_id", str):
            self.scripts[script["script_id"]] = {**self.scripts.get(script["script_id"], {}), **script}
        self.totals.update(answer.total())

    def add_page_shield(self, answer: _Answer) -> None:
        for item in answer.items("id", str):
            script = scripts.from_page_shield(item)
            self.scripts[item["id"]] = {**self.scripts.get(item["id"], {}), **script}
        self.totals.update(answer.total())

    def add_connections(self, answer: _Answer) -> None:
        for connection in answer.items("id", str):
            self.connections[connection["id"]] = connection

    def add_cookies(self, answer: _Answer) -> None:
        for cookie in answer.items("id", str):
            self.cookies[cookie["id"]] = cookie

    def add_policies(self, answer: _Answer) -> None:
        for policy in answer.items("id", str):
            self.policies[policy["id"]] = policy

    def add_rulesets(self, answer: _Answer) -> None:
        if answer.refused_with == NO_ENTRY_POINT:
            return
        for ruleset in answer.items("id", str):
            self.rulesets[ruleset["id"]] = {**self.rulesets.get(ruleset["id"], {}), **ruleset}

    def add_jobs(self, answer: _Answer) -> None:
        for job in answer.items("id", int):
            self.jobs[job["id"]] = {**self.jobs.get(job["id"], {}), **job}

    def add_fields(self, answer: _Answer) -> None:
        self.fields[answer.folder_name] = answer.one(None)

    def check(self, folder: pathlib.Path) -> None:
        """Refuse incomplete recordings, because missing scripts or rules would look like a zone without them."""
        for path, total in self.totals.items():
            if len(self.scripts) < total:
                raise BadSeed(
                    f"{path}: {len(self.scripts)} of {total} scripts are here; record the other pages as scripts.2.json, ..."
                )
        for ruleset_id, ruleset in self.rulesets.items():
            if (ruleset.get("kind"), ruleset.get("phase")) == ("zone", CUSTOM_FIELDS_PHASE) and "rules" not in ruleset:
                raise BadSeed(
                    f"{folder}: the rules of ruleset {ruleset_id} are missing; record rulesets/{ruleset_id} or its entry point"
                )


class _Answer:
    """One recorded answer and its file."""

    def __init__(self, path: pathlib.Path) -> None:
        self._path = path
        self.folder_name = path.parent.name
        try:
            self._envelope = jsontext.parse(path.read_bytes())
        except (OSError, ValueError) as problem:
            raise BadSeed(f"{path}: not JSON: {problem}") from None
        if not isinstance(self._envelope, dict) or not isinstance(self._envelope.get("success"), bool):
            raise BadSeed(f"{path}: not an answer of the service, which is an object with success and result")
        errors = self._envelope.get("errors") or []
        first = errors[0] if isinstance(errors, list) and errors and isinstance(errors[0], dict) else {}
        self.refused_with = None if self._envelope["success"] else first.get("code", 0)
        self._refusal = f"{first.get('code', 'no code')} {first.get('message', '')}".strip()

    def _result(self) -> t.Any:
        if self.refused_with is not None:
            raise BadSeed(f"{self._path}: the service refused the request: {self._refusal}")
        return self._envelope.get("result")

    def one(self, id_kind: type | None) -> Document:
        result = self._result()
        if not isinstance(result, dict) or (id_kind and not is_a(result.get("id"), id_kind)):
            raise BadSeed(f"{self._path}: result is not an object" + (" with an id" if id_kind else ""))
        return result

    def items(self, id_name: str, id_kind: type) -> list[Document]:
        """Return the items of a listing, or the one object of an answer."""
        result = self._result()
        items = result if isinstance(result, list) else [result]
        for index, item in enumerate(items):
            place = f"result[{index}]" if isinstance(result, list) else "result"
            if not isinstance(item, dict) or not is_a(item.get(id_name), id_kind):
                raise BadSeed(f"{self._path}: {place} is not an object whose {id_name} is {KIND_NAMES[id_kind]}")
        return items

    def total(self) -> dict[pathlib.Path, int]:
        """Return the number of items in the whole listing, if the answer contains it."""
        info = self._envelope.get("result_info")
        total = info.get("total_count") if isinstance(info, dict) else None
        return {self._path: total} if isinstance(total, int) else {}


_ROUTES: t.Mapping[str, t.Callable[[_Owner, _Answer], None]] = {
    "": _Owner.add_summary,
    "/(script_monitor|page_shield)": _Owner.add_status,
    "/script_monitor/scripts(/[^/]+)?": _Owner.add_scripts,
    "/page_shield/scripts(/[^/]+)?": _Owner.add_page_shield,
    "/page_shield/connections(/[^/]+)?": _Owner.add_connections,
    "/page_shield/cookies(/[^/]+)?": _Owner.add_cookies,
    "/page_shield/policies(/[^/]+)?": _Owner.add_policies,
    "/rulesets(/[^/]+|/phases/[^/]+/entrypoint)?": _Owner.add_rulesets,
    "/logpush/jobs(/[^/]+)?": _Owner.add_jobs,
    "/logpush/datasets/[^/]+/jobs": _Owner.add_jobs,
    "/logpush/datasets/[^/]+/fields": _Owner.add_fields,
}

_ACCOUNT_ROUTES = {route: add for route, add in _ROUTES.items() if not route or route.startswith("/logpush/")}


def read(folder: pathlib.Path) -> Document:
    """Return the seed for a folder of answers; raise BadSeed with the name of a file that cannot be used."""
    paths = sorted(path for path in folder.rglob("*.json") if path.is_file())
    if not paths:
        raise BadSeed(f"{folder}: no recorded answers; expected are {_EXPECTED}, each with .json at its end")
    owners: dict[str, _Owner] = {}
    for path in paths:
        # Several answers of one path have different texts between dots, for example their page: scripts.2.json.
        name = path.relative_to(folder).with_name(path.name.split(".", 1)[0]).as_posix()
        match = re.fullmatch(r"(zones|accounts)/([^/]+)(/.+)?", name)
        routes = _ROUTES if match and match[1] == "zones" else _ACCOUNT_ROUTES
        add = next((add for route, add in routes.items() if match and re.fullmatch(route, match[3] or "")), None)
        if not match or add is None:
            raise BadSeed(f"{path}: not the answer of a route that is read; expected are {_EXPECTED}")
        add(owners.setdefault(f"{match[1]}/{match[2]}", _Owner(match[2])), _Answer(path))
    for key, owner in owners.items():
        owner.check(folder / key)
    return _seed(owners)


def _seed(owners: t.Mapping[str, _Owner]) -> Document:
    """Return the seed; the keys of accounts keep their prefix, which distinguishes them from zones."""
    seed: Document = {"zones": [], "accounts": [], **{part: {} for part in _PARTS}}
    for key, owner in owners.items():
        kind, _slash, own_id = key.partition("/")
        seed[kind].append({**owner.summary, "id": own_id})
        for part in _PARTS if kind == "zones" else _ACCOUNT_PARTS:
            value = getattr(owner, part)
            seed[part][key.removeprefix("zones/")] = list(value.values()) if part in _LISTS else value
    return seed


def merged(first: Document, second: Document) -> Document:
    """Merge two seeds; if both have a part of a zone, the second takes precedence."""
    both = {name: [*(first.get(name) or []), *(second.get(name) or [])] for name in ("zones", "accounts")}
    made = {**first, **second, **both}
    for part in _PARTS:
        if first.get(part) or second.get(part):
            made[part] = {**(first.get(part) or {}), **(second.get(part) or {})}
    return made
