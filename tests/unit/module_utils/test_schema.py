# SPDX-License-Identifier: GPL-3.0-or-later

import copy
import functools
import json
import operator
import typing as t

import jsonschema
import pytest
from support.samples.fleet import audit, finding, full, job, outcome, unmanaged

from ansible_collections.edgeops.observability.plugins.module_utils._core import Failure
from ansible_collections.edgeops.observability.plugins.module_utils._events.facts import Event
from ansible_collections.edgeops.observability.plugins.module_utils._events.state import StoredZone
from ansible_collections.edgeops.observability.plugins.module_utils._schema import (
    Rules,
    checked,
    completed,
    problems,
    schema_of,
)
from ansible_collections.edgeops.observability.plugins.module_utils._zone.record import CheckedRecord
from ansible_collections.edgeops.observability.plugins.plugin_utils._adopt.files import AdoptedZone
from ansible_collections.edgeops.observability.plugins.plugin_utils._report.earlier import REPORT

Path = tuple[t.Any, ...]
NOTHING = object()


def reported() -> dict[str, t.Any]:
    made = full()
    made["zones"] = [next(row for row in made["zones"] if row["inventory"]), next(row for row in made["zones"] if row["error"])]
    made["zones"][0] |= {"evidence": None, "delivery": [{}], "proposals": [{}]}
    return made


AUDITED = {
    **unmanaged("a", scripts=audit(finding(), scripts=[{}], proposals=[{}], inventory=[{}])),
    "account_id": None,
    "scope": "zone",
    "account_name": None,
    "declared": True,
    "error": None,
    "delivery": [{}],
    **dict.fromkeys(("cost", "notifications", "fields", "boundary", "pages")),
    "jobs": [job()],
    "coverage": {"unselected": [{}], "unconfigured": [{}], "sentences": ["text"]},
    "result": {name: outcome({"x": 1}) for name in ("custom_fields", "jobs", "script_monitor")},
}
ADOPTED_ZONE = {
    "zone": "a",
    "zone_id": "1",
    "account_id": None,
    "vault": ["name"],
    "notes": ["text"],
    "variables": {"log_delivery_jobs": [{}]},
    "vault_destinations": [{"destination_conf": "x"}],
    "left_out": [{"what": "x", "why": "y"}],
}
KNOWN_ZONE = {
    "name": "a",
    "readable": True,
    "monitor": None,
    "fields": None,
    "scripts": [["url", "host", ["hash"], None, ["reason"]]],
    "jobs": [[1, {}, "digest", "healthy"]],
}
SAMPLES = {
    "report": (REPORT, reported(), {"is", "should_be", "script_url", "host", "entry"}),
    "record": (
        schema_of(CheckedRecord),
        AUDITED,
        {0, "changed", "x", *job(), *finding(), "seq", "head", "state", "since", "lag_seconds", "message"} - {"health"},
    ),
    "adopted zone": (schema_of(AdoptedZone), ADOPTED_ZONE, set()),
    "known zone": (schema_of(StoredZone), KNOWN_ZONE, set()),
    "event": (schema_of(Event), {"edgeops": {"id": "x", "kind": "y"}, "meta": {}}, set()),
}


def places(value: t.Any, *path: t.Any) -> t.Iterator[Path]:
    """Yield the path of each value inside a value, for lists only of the first five items."""
    yield path
    members = value.items() if isinstance(value, dict) else enumerate(value[:5]) if isinstance(value, list) else ()
    for name, member in members:
        yield from places(member, *path, name)


def different_places(value: t.Any) -> t.Collection[Path]:
    """Return the paths of values, of those of one type in different items of a list one: a schema has one rule for all of them."""

    def shape(path: Path) -> t.Hashable:
        names = tuple("[]" if isinstance(name, int) else name for name in path)
        return names, type(functools.reduce(operator.getitem, path, value))

    return {shape(path): path for path in places(value)}.values()


def altered(value: t.Any, path: Path, other: t.Any) -> t.Any:
    """Return the value with another one at this path, or with none."""
    if not path:
        return other
    made = copy.deepcopy(value)
    around = made
    for name in path[:-1]:
        around = around[name]
    if other is NOTHING:
        del around[path[-1]]
    else:
        around[path[-1]] = other
    return made


@pytest.mark.parametrize(("schema", "sample", "untyped"), SAMPLES.values(), ids=SAMPLES)
def test_every_member_has_its_type(schema: dict[str, t.Any], sample: t.Any, untyped: set[str]) -> None:
    """No schema allows fractional numbers, so 1.5 is a problem wherever a type is required."""
    assert not list(problems(schema, sample))
    accepted = {path[-1] for path in places(sample) if not any(problems(schema, altered(sample, path, 1.5)))}
    assert accepted == untyped


@pytest.mark.parametrize(("schema", "sample"), [row[:2] for row in SAMPLES.values()], ids=SAMPLES)
def test_problems_agree_with_jsonschema(schema: dict[str, t.Any], sample: t.Any) -> None:
    validator = jsonschema.Draft202012Validator(json.loads(json.dumps(schema)), format_checker=jsonschema.FormatChecker())
    differing = []
    for path in different_places(sample):
        for value in (NOTHING, 5, -1, "x", "", None, [], {}, True, ["x", "x"]):
            if value is NOTHING and not path:
                continue
            document = altered(sample, path, value)
            if any(problems(schema, document)) is validator.is_valid(document):
                differing.append((path, value))
    assert not differing


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ([], "zones[0]: must be a dictionary, not a list"),
        ({}, "zones[0].zone: is missing"),
        ({**AUDITED, "zone": None}, "zones[0].zone: must be a string, not null"),
        ({**AUDITED, "zone": ""}, "zones[0].zone: '' is not valid"),
        ({**AUDITED, "results": 1}, "zones[0].results: is unknown (did you mean 'result'?)"),
        ({**AUDITED, "jobs": [{"health": 1}]}, "zones[0].jobs[0].health: must be a dictionary, not 1"),
    ],
)
def test_messages_have_a_place(value: t.Any, message: str) -> None:
    with pytest.raises(Failure) as failure:
        checked(CheckedRecord, value, "zones[0]", is_closed=True)
    assert failure.value.message == message


class _Part(t.TypedDict):
    sizes: dict[str, int]
    names: t.Annotated[list[str], Rules(default=[])]


class _Optional(t.TypedDict, total=False):
    note: str | None


class _Whole(_Optional):
    parts: list[_Part] | None
    pair: tuple[str, t.Annotated[int, Rules("A number.", minimum=1)]]
    kind: t.Annotated[str, Rules(default="plain")]


def test_types_are_schemas() -> None:
    assert schema_of(_Whole) == {
        "type": "object",
        "properties": {
            "note": {"type": ["string", "null"]},
            "parts": {
                "type": ["array", "null"],
                "items": {
                    "type": "object",
                    "properties": {
                        "sizes": {"type": "object", "additionalProperties": {"type": "integer"}},
                        "names": {"type": "array", "items": {"type": "string"}, "default": []},
                    },
                    "required": ["sizes"],
                },
            },
            "pair": {
                "type": "array",
                "prefixItems": [{"type": "string"}, {"type": "integer", "description": "A number.", "minimum": 1}],
                "items": False,
                "minItems": 2,
            },
            "kind": {"type": "string", "default": "plain"},
        },
        "required": ["parts", "pair"],
    }


def test_missing_members_get_their_defaults_and_unknown_ones_are_dropped() -> None:
    whole = completed(_Whole, {"parts": [{"sizes": {"a": 1}, "later": 1}], "pair": ["x", 1], "later": 2})
    assert whole == {"parts": [{"sizes": {"a": 1}, "names": []}], "pair": ["x", 1], "kind": "plain"}
    assert completed(_Part, {"sizes": {}})["names"] is not completed(_Part, {"sizes": {}})["names"]


def test_values_of_a_dictionary_are_checked() -> None:
    assert list(problems(schema_of(_Part), {"sizes": {"a": "x"}})) == ["sizes.a: must be an integer, not 'x'"]
