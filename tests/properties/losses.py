# SPDX-License-Identifier: GPL-3.0-or-later

"""What can be taken away from an answer, one thing at a time: the answer, a page, an item, a member."""

import copy
import importlib
import json
import random
import re
import typing as t
from pathlib import Path

from properties.recordings import Change, Key, Recording

from ansible_collections.edgeops.observability.plugins import module_utils
from ansible_collections.edgeops.observability.plugins.module_utils._api.session import Reply

Json = t.Any
Path_ = tuple[str | int, ...]


class Loss(t.NamedTuple):
    """One thing that is taken away: from the answers to which request, the place with indexes left out, and how."""

    key: Key
    place: str
    kind: str
    change: Change

    @property
    def cause(self) -> tuple[str, str, str]:
        """Return what losses of one kind have in common: the route without ids, the place and the kind."""
        return route_of(self.key), self.place, self.kind

    def __str__(self) -> str:
        return f"{route_of(self.key)} {self.place}: {self.kind}"


_ID = re.compile(r"(?<=/)(?:[0-9a-f]{32}|\d+)(?=/|$|\?)")


def route_of(key: Key) -> str:
    """Return a request without ids and parameters."""
    method, path, query = key
    dataset = re.search(r"\w+AdaptiveGroups", query)
    asked = f" {dataset[0] if dataset else 'settings'}" if query else ""
    return f"{method} {_ID.sub('*', path.partition('?')[0])}{asked}"


# Members whose text is one of a few words of the service; other words, or another case, are not understood.
# Another action of a rule, phase of a ruleset, or type of an alert is another object.
_OF_OTHERS = (
    ("rulesets", "action"),
    ("rulesets", "phase"),
    ("rulesets", "kind"),
    ("alerting", "alert_type"),
    ("alerting", "type"),
)
_WORDS = ("action", "enabled", "kind", "phase", "status", "frequency", "alert_type", "type", "output_type", "timestamp_format")
# What users call their objects: an empty text is another name.
_NAMES = ("name", "description")
# Members that count something.
_COUNTS = ("count", "records", "uploads", "bytes", "bytesCompressed", "billableBytes")
# How far back a plan shows something, in seconds.
_WINDOWS = ("maxDuration", "notOlderThan")
# Members that are a time.
_TIME = re.compile(r"\d{4}-\d\d-\d\dT")


def _refusal(status: int, code: int = 1000) -> t.Callable[[Reply], Reply]:
    body = {"success": False, "errors": [{"code": code, "message": "refused"}], "messages": [], "result": None}
    return lambda reply: reply._replace(status=status, body=json.dumps(body).encode())


def _with(**members: Json) -> Change:
    return lambda reply: reply._replace(body=json.dumps({**json.loads(reply.body), **members}).encode())


_WHOLE: t.Mapping[str, Change] = {
    "403": _refusal(403, 10000),
    "404": _refusal(404),
    "500": _refusal(500),
    "failure": _refusal(200),
    "empty": lambda reply: reply._replace(body=b""),
    "html": lambda reply: reply._replace(body=b"<html>Just a moment...</html>", headers={"Content-Type": "text/html"}),
}


def _other_type(value: Json) -> Json:
    """Return a value of another type."""
    if isinstance(value, bool):
        return "perhaps"
    if isinstance(value, str):
        return 7
    if isinstance(value, (int, float)):
        return "seven"
    return "text" if isinstance(value, list) else []


def _values(name: str, value: Json) -> t.Iterator[tuple[str, Json]]:
    """Yield what a member may be in place of its value, by the kind of the loss."""
    if value is not None:
        yield "null", None
    if value not in ("", None):
        yield "empty text", ""
    if value is None:
        yield "other type", {"unexpected": 1}
        return
    yield "other type", _other_type(value)
    if isinstance(value, dict) and value:
        yield "emptied", {}
    is_word = name in _WORDS and isinstance(value, (str, bool))
    if is_word or (isinstance(value, str) and _TIME.match(value)):
        yield "unknown word", "zzz"
    if isinstance(value, str) and _TIME.match(value):
        yield "in the future", "2099-01-01T00:00:00Z"
    if is_word and isinstance(value, str) and value.upper() != value:
        yield "other case", value.upper()
    if name in _COUNTS:
        yield "negative", -1
    if name in _WINDOWS and value:
        yield "shorter", 3600


def _members(value: Json, path: Path_ = ()) -> t.Iterator[Path_]:
    """Yield the path of each member and each item of a document."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, member in items:
        yield (*path, name)
        yield from _members(member, (*path, name))


def at(document: Json, path: t.Iterable[str | int]) -> Json:
    for step in path:
        document = document[step]
    return document


def leaves(value: Json) -> t.Iterator[Path_]:
    """Yield the path of each value that holds no others."""
    for path in _members(value):
        if not isinstance(at(value, path), (dict, list)) or not at(value, path):
            yield path


def place_of(path: Path_) -> str:
    """Return a path without the indexes of lists: `result[].filter`."""
    return re.sub(r"\.(?=\[)", "", ".".join("[]" if isinstance(step, int) else step for step in path))


_ABSENT = object()


def with_value(document: Json, path: Path_, value: Json) -> Json:
    """Return the document with another value at a place, or without it; what is beside the place is the same in both."""
    changed = copy.copy(document)
    step, *further = path
    if further:
        changed[step] = with_value(document[step], tuple(further), value)
    elif value is _ABSENT:
        del changed[step]
    else:
        changed[step] = value
    return changed


def member_losses(document: Json) -> t.Iterator[tuple[Path_, str, t.Callable[[Json], Json]]]:
    """Yield what can be taken away from the members of a document: the path, the kind, and the change."""
    for path in _members(document):
        value = at(document, path)
        name = next((step for step in reversed(path) if isinstance(step, str)), "")
        if isinstance(path[-1], str):
            yield path, "absent", lambda body, path=path: with_value(body, path, _ABSENT)
        for kind, other in _values(name, value):
            yield path, kind, lambda body, path=path, other=other: with_value(body, path, other)


def _is_counted(document: Json) -> bool:
    info = document.get("result_info")
    return isinstance(info, dict) and isinstance(document.get("result"), list) and "total_count" in info


def _page_losses(document: Json) -> t.Iterator[tuple[str, t.Callable[[Json], Json]]]:
    """Yield what counts show: an item that is missing, a page that is missing, or repeated items in place of others."""
    items = document["result"]
    if items:
        yield "cut", lambda body: {**body, "result": body["result"][:-1]}
        yield "missing", lambda body: {**body, "result": []}
    if len(items) > 1:
        yield "repeated", lambda body: {**body, "result": [body["result"][0]] * len(body["result"])}


def _of_body(change: t.Callable[[Json], Json]) -> Change:
    def changed(reply: Reply) -> Reply:
        try:
            return reply._replace(body=json.dumps(change(json.loads(reply.body))).encode())
        except (LookupError, TypeError, ValueError):  # another answer to the same request has no such member
            return reply

    return changed


class _HasCause(t.Protocol):
    @property
    def cause(self) -> tuple[str, str, str]: ...


AnyLoss = t.TypeVar("AnyLoss", bound=_HasCause)


def chosen(losses: t.Iterable[AnyLoss], how: str, name: str) -> list[AnyLoss]:
    """Return what to take away in a run of this name: everything, or one loss for each cause, which a number draws.

    With `fixed` one kind is drawn of each place; each run draws another, so that together they have each kind.
    """
    if how == "all":
        return list(losses)
    drawing = random.Random(f"{how} {name}")
    by_place: dict[tuple[str, str], dict[str, list[AnyLoss]]] = {}
    for loss in losses:
        of, place, kind = loss.cause
        by_place.setdefault((of, place), {}).setdefault(kind, []).append(loss)
    drawn = ([drawing.choice(list(by_kind.values()))] if how == "fixed" else by_kind.values() for by_kind in by_place.values())
    return [drawing.choice(several) for by_kind in drawn for several in by_kind]


class FileLoss(t.NamedTuple):
    """One thing that is taken away from a file: its content, None for a file that is gone."""

    name: str
    place: str
    kind: str
    content: bytes | None

    @property
    def cause(self) -> tuple[str, str, str]:
        return self.name, self.place, self.kind

    def __str__(self) -> str:
        return f"{self.name} {self.place}: {self.kind}"


def file_losses(name: str, content: bytes) -> t.Iterator[FileLoss]:
    """Yield what can be taken away from a file: all of it, its end, a line, its version, or a member of a line or of the document."""
    yield FileLoss(name, "", "absent", None)
    yield FileLoss(name, "", "empty", b"")
    for part in (1, len(content) // 2, len(content) - 2):
        yield FileLoss(name, "", "cut", content[:part])
    lines = content.splitlines(keepends=True)
    documents = [content] if len(lines) < 2 or not name.endswith("l") else lines
    for number, line in enumerate(documents):
        before, after = b"".join(documents[:number]), b"".join(documents[number + 1 :])
        if len(documents) > 1:
            yield FileLoss(name, "line", "missing", before + after)
            yield FileLoss(name, "line", "repeated", before + line + line + after)
        for path, kind, change in member_losses(json.loads(line)):
            text = json.dumps(change(json.loads(line)), sort_keys=True, separators=(",", ":"))
            yield FileLoss(name, place_of(path), kind, before + f"{text}\n".encode() + after)


def losses(recording: Recording, *, optional: bool = False) -> t.Iterator[Loss]:
    """Yield everything that can be taken away from the answers of a run; what may be absent only if `optional`."""
    for key, replies in recording.answers.items():
        for kind, change in _WHOLE.items():
            yield Loss(key, "", kind, change)
        reply = replies[0]
        if reply.status < 300 and reply.body:
            document = json.loads(reply.body)
            root = "data" if key[1] == "/graphql" else "result"
            yield from _losses_of_result(key, root, document)
            yield from _losses_of_members(key, {root: document[root]}, optional)


def _losses_of_result(key: Key, root: str, document: Json) -> t.Iterator[Loss]:
    for kind, value in (("absent", _ABSENT), ("null", None), ("other type", _other_type(document[root])), ("text", "zzz")):
        if value != document[root]:
            yield Loss(key, root, kind, _of_body(lambda body, value=value: with_value(body, (root,), value)))
    if key[1].partition("?")[0] == "/accounts":
        # A token may list fewer accounts than its zones belong to.
        yield Loss(key, root, "not listed", _of_body(lambda body: {**body, "result": [], "result_info": None}))
    if _is_counted(document):
        for kind, change_page in _page_losses(document):
            yield Loss(key, root, kind, _of_body(change_page))


def _losses_of_members(key: Key, document: Json, optional: bool) -> t.Iterator[Loss]:
    for path, kind, change_member in member_losses(document):
        value = at(document, path)
        members = value if isinstance(value, dict) else ()
        is_documented = not optional and may_be(key, place_of(path), kind, members)
        if len(path) > 1 and not is_documented and not is_other(key, path, kind):
            yield Loss(key, place_of(path), kind, _of_body(change_member))
    for path in _lacking(key, document):
        yield Loss(key, place_of(path), "unreadable", _of_body(lambda body, path=path: with_value(body, path, [7])))


def _lacking(key: Key, document: Json) -> t.Iterator[Path_]:
    """Yield the path of each member that an object lacks, because the service may leave it out."""
    for path in _members(document):
        members = at(document, path)
        if isinstance(members, dict):
            for called in _called(key, place_of(path)):
                names = (name.rpartition(".") for name in _TABLES)
                yield from ((*path, name) for of, _dot, name in names if of == called and name not in members)


def is_other(key: Key, path: Path_, kind: str) -> bool:
    """Return whether another word or id says that this is another object, and not that less is known of this one."""
    if path == ("result", "id") and key[0] == "POST":
        return kind == "other type"
    if kind == "empty text" and path[-1] in _NAMES:
        return True
    return kind in ("unknown word", "other case") and any(route in key[1] and path[-1] == name for route, name in _OF_OTHERS)


# What the tables of the resources call the objects of a route; each pattern is for a route and the place after it.
_CALLED: t.Mapping[str, str] = {
    r"\S+/logpush/jobs(/\*)? result(\[\])?": "jobs[]",
    r"\S+/rulesets\S* result(\[\])?": "rulesets[]",
    r"\S+/page_shield/policies(/\*)? result(\[\])?": "rules[]",
    r"\S+/logpush/transformers(/\*)? result(\[\])?": "transformers[]",
    r"\S+/alerting/v3/policies(/\*)? result(\[\])?": "policies[]",
    r"\S+/alerting/v3/policies(/\*)? result(\[\])?\.filters\.\w+$": "policies[].filters.*",
    r"\S+/destinations/webhooks result\[\]": "webhooks[]",
    r"\S+/available_alerts result\.[^.]+\[\]": "available_alerts[]",
    r"\S+/(script_monitor|page_shield)/scripts(/\*)? result(\[\])?": "scripts[]",
    r"\S+/page_shield/(scripts|connections) result\[\]": "listing[]",
    r"/graphql pageShieldReportsAdaptiveGroups data\.viewer\.zones\[\]\.pageShieldReportsAdaptiveGroups\[\]": "reports[]",
    r"/graphql logpushHealthAdaptiveGroups data\.viewer\.zones\[\]\.logpushHealthAdaptiveGroups\[\]": "health[]",
}
_NOTHING = ("absent", "null", "empty text")


def tables() -> dict[str, t.Any]:
    """Return what may be absent of all resources, by path."""
    may_be_absent: dict[str, t.Any] = {}
    for file in sorted(Path(next(iter(module_utils.__path__))).glob("*/facts.py")):
        facts = importlib.import_module(f"{module_utils.__name__}.{file.parent.name}.facts")
        may_be_absent |= getattr(facts, "MAY_BE_ABSENT", {})
    return may_be_absent


_TABLES = tables()


def may_be(key: Key, place: str, kind: str, members: t.Iterable[str] = ()) -> bool:
    """Return whether the service documents that a member may be absent, or each member of an object, so that its absence is no loss."""
    if kind == "emptied":
        return all(may_be(key, f"{place}.{name}", "absent") for name in members)
    return kind in _NOTHING and any(name in _TABLES for name in _called(key, place))


def _called(key: Key, place: str) -> t.Iterator[str]:
    """Yield what the tables of the resources call a place in an answer."""
    full = f"{route_of(key).partition(' ')[2]} {place}"
    for pattern, called in _CALLED.items():
        name, matches = re.subn(f"^{pattern}", called, full)
        if matches:
            yield name
