# SPDX-License-Identifier: GPL-3.0-or-later

"""An independent account of what a log delivery job has to become; it shares no code with the collection."""

from __future__ import annotations

import dataclasses
import json
import re
import typing as t
from urllib.parse import parse_qsl

Json = t.Any
Document = t.Mapping[str, Json]

DEFAULTS: Document = {
    "enabled": False,
    "frequency": "high",
    "max_upload_records": 100_000,
    "max_upload_interval_seconds": 30,
    "name": None,
}
PLAIN = ("enabled", "frequency", "max_upload_records", "max_upload_interval_seconds")
OLDER = ("fields", "timestamp_format", "option_flags", "logpull_options")
SECRET = re.compile(r"secret|token|password|sig|key$", re.IGNORECASE)


class Refused(Exception):
    """The desired state has to be refused; the argument is the kind of the failure."""


def meaning(text: str | None) -> dict[str, Json]:
    """The members of an option string, without what is off or the default."""
    found: dict[str, Json] = dict(parse_qsl(text or "", keep_blank_values=True))
    if "fields" in found:
        found["fields"] = frozenset(name for name in found["fields"].split(",") if name)
    off = ("", "false", "0", "unixnano", frozenset())
    return {name: value for name, value in found.items() if value not in off}


NEWER = {"field_names": frozenset(), "sample_rate": 1, "timestamp_format": "unixnano", "CVE-2021-44228": False}
_WIRE = {"cve_2021_44228": "CVE-2021-44228"}


def newer_meaning(options: Json) -> Json:
    """All members of the newer form of the options, or None where the job has the older one."""
    if not options:
        return None
    filled = {**NEWER, **{name: options[name] for name in NEWER if options.get(name)}}
    return {**filled, "field_names": frozenset(filled["field_names"])}


def newer_from_older(text: str | None) -> Document:
    """The older form of the options in the newer one."""
    found = meaning(text)
    return {
        "field_names": found.get("fields", frozenset()),
        "sample_rate": float(found.get("sample", 1)),
        "timestamp_format": found.get("timestamps", "unixnano"),
        "CVE-2021-44228": found.get("CVE-2021-44228") == "true",
    }


def filter_meaning(text: Json) -> Json:
    """A filter in one form for all its spellings: outer `where` and lone branches gone, siblings in order and once each."""
    if not text:
        return None
    return _normal(json.loads(text) if isinstance(text, str) else text)


def _normal(tree: Json) -> Json:
    if "where" in tree:
        return _normal(tree["where"])
    for branch in ("and", "or"):
        if branch in tree:
            parts = {json.dumps(_normal(part), sort_keys=True) for part in tree[branch]}
            return json.loads(next(iter(parts))) if len(parts) == 1 else {branch: sorted(parts)}
    return tree


def destination(text: str, masked: bool) -> Json:
    """A destination as far as it can be compared."""
    place, _mark, query = text.partition("?")
    options = dict(option.partition("=")[::2] for option in query.split("&") if option)
    return place, {name: "*" if masked and SECRET.search(name) else value for name, value in options.items()}


def plain(job: Document, name: str) -> Json:
    return job[name] or DEFAULTS[name]


@dataclasses.dataclass(frozen=True)
class DesiredJob:
    """The options of a task, and whether the service masks secrets in destinations."""

    options: Document
    masked: bool

    @property
    def present(self) -> bool:
        return self.options.get("state", "present") == "present"

    @property
    def older(self) -> bool:
        return any(self.options.get(name) is not None for name in OLDER)

    def target(self, state: Document) -> Document | None:
        """The job that is meant; raises `Refused`."""
        if self.options.get("job_id") is not None:
            found = [job for job in state["jobs"] if job["id"] == self.options["job_id"]]
            if self.present and not found:
                raise Refused("not_found")
        else:
            expected = (self.options["name"], self.options.get("dataset", "http_requests"))
            found = [job for job in state["jobs"] if (job["name"], job["dataset"]) == expected]
        if len(found) > 1:
            raise Refused("conflict")
        return found[0] if found else None

    def check(self, job: Document | None) -> None:
        """Raises `Refused` where the desired state is impossible."""
        if self.present and job is None and self.options.get("destination_conf") is None:
            raise Refused("invalid_option")
        if self.present and job is not None and job["output_options"] and self.older:
            raise Refused("conflict")

    def expected(self, before: Document | None) -> dict[str, Json]:
        """The meaning of each member that the task manages, afterwards."""
        expected: dict[str, Json] = {
            name: self.options[name] or DEFAULTS[name] for name in PLAIN if self.options.get(name) is not None
        }
        if self.options.get("name") is not None:
            expected["name"] = self.options["name"]
        if self.older:
            expected["logpull_options"] = self._options(meaning(before["logpull_options"] if before else ""))
        if self.options.get("output_options") is not None:
            expected["output_options"] = self._newer(before)
        if self.options.get("filter") is not None:
            expected["filter"] = filter_meaning(self.options["filter"])
        return expected

    def _newer(self, before: Document | None) -> Json:
        """The newer form: what is there, or what the older form says, with what the task names."""
        named = {_WIRE.get(name, name): value for name, value in self.options["output_options"].items()}
        if "field_names" in named:
            named["field_names"] = frozenset(named["field_names"])
        if before is None:
            return {**NEWER, **named} if named else None
        if before["output_options"]:
            return {**newer_meaning(before["output_options"]), **named}
        older = newer_from_older(before["logpull_options"])
        needless = {**NEWER, **named} == NEWER and {**older, **named} == older
        return None if needless else {**older, **named}

    def _options(self, there: dict[str, Json]) -> dict[str, Json]:
        if self.options.get("logpull_options") is not None:
            named = dict(parse_qsl(self.options["logpull_options"], keep_blank_values=True))
            return {
                **{name: value for name, value in there.items() if name not in named},
                **meaning(self.options["logpull_options"]),
            }
        expected = dict(there)
        if self.options.get("fields") is not None:
            expected["fields"] = frozenset(self.options["fields"])
        if self.options.get("timestamp_format") is not None:
            expected["timestamps"] = self.options["timestamp_format"]
        for name, value in (self.options.get("option_flags") or {}).items():
            expected[name] = "true" if value else ""
        return {name: value for name, value in expected.items() if value not in ("", frozenset(), "unixnano")}

    def same_destination(self, stored: str) -> bool:
        expected = self.options.get("destination_conf")
        return expected is None or destination(expected, self.masked) == destination(stored, self.masked)


def managed(job: Document) -> dict[str, Json]:
    """The meaning of every member of a stored job that a task can manage."""
    return {
        **{name: plain(job, name) for name in (*PLAIN, "name")},
        "logpull_options": meaning(job["logpull_options"]),
        "output_options": newer_meaning(job["output_options"]),
        "filter": filter_meaning(job["filter"]),
    }
