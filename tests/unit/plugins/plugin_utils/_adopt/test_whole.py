# SPDX-License-Identifier: GPL-3.0-or-later

"""Adoption of random zones: the files can be loaded, contain no secrets or templates, and the module for a whole zone writes nothing."""

import json
import typing as t

import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from support import ansible_yaml

from ansible_collections.edgeops.observability.plugins.module_utils._custom_fields.state import read_ruleset
from ansible_collections.edgeops.observability.plugins.module_utils._logpush.job import parse_job
from ansible_collections.edgeops.observability.plugins.module_utils._logpush.jobs import JobListing
from ansible_collections.edgeops.observability.plugins.module_utils._scripts.monitor import MonitorState
from ansible_collections.edgeops.observability.plugins.module_utils._zone.task import TASK, ZoneState
from ansible_collections.edgeops.observability.plugins.module_utils._zone.variables import express_zone
from ansible_collections.edgeops.observability.plugins.plugin_utils._adopt.files import texts_of
from ansible_collections.edgeops.observability.plugins.plugin_utils._arguments import validated

Document = dict[str, t.Any]
CANARY = "planted-secret-71c4"
# Texts that YAML or a template would convert.
WORDS = "1 01 1.0 1e3 0x1f 0o7 1_000 12:30:45 2026-11-21 yes No on null ~ = << .inf - { &a *a !a omit $ANSIBLE_VAULT;1.1"
SPACED = ["", "- a", "a: b", "a #b", "# c", " lead", "trail ", "two\nlines\n\n", "tab\t", "'\"", "[1, 2]", "a" * 200, "x " * 90]
UNPRINTABLE = ["\u2028x", "\x85", "\ufeffb", "\x1b[31m", "\x00", "\ud800", "😀"]
TEMPLATES = ["{{ 7 * 7 }}", "{% x %}", "{# x #}", "#jinja2:variable_start_string:'[['\n[[ 7 * 7 ]]"]
TEXTS = st.sampled_from([*WORDS.split(), *SPACED, *UNPRINTABLE, *TEMPLATES])
DESTINATIONS = st.sampled_from(
    [
        *(None, "", "gs://logs/x", "gs://logs/{{7}}", "s3://b?secret-access-key=****", f"garbage {CANARY}", f"sumo://h/{CANARY}"),
        *(f"s3://l/{{DATE}}?region=x&secret-access-key={CANARY}", f"https://user:{CANARY}@h/in", f"https://l/x#{CANARY}"),
        *(f"https://h/?u=https://a:{CANARY}@b/&header_A={CANARY}&header_a=2{CANARY}", f"https://l/{{{{x}}}}?sig={CANARY}"),
    ]
)
SCALARS = TEXTS | st.sampled_from([1, 1.0, True, False, 0, 1e300, -0.0, 10**25])
CONDITIONS = st.one_of(
    st.tuples(st.sampled_from(["eq", "!eq"]), SCALARS),
    st.tuples(st.sampled_from(["lt", "geq"]), st.sampled_from([1, 1.5, "1.50", "1e3", 30.0])),
    st.tuples(st.sampled_from(["contains", "!startsWith"]), TEXTS),
    st.tuples(st.just("in"), st.lists(TEXTS | st.sampled_from([1, 2.0]), min_size=1, max_size=3)),
).map(lambda both: {"key": "ClientIP", "operator": both[0], "value": both[1]})
TREES = st.recursive(
    CONDITIONS, lambda inner: st.lists(inner, min_size=1, max_size=3).map(lambda items: {"or": items}), max_leaves=4
)
FIELDS = st.lists(st.sampled_from(["ClientIP", "RayID", "RequestHeaders", "ResponseHeaders", "Cookies"]), max_size=5)
LOGPULL = st.one_of(
    st.tuples(
        st.sampled_from(["fields={}", "timestamps=rfc3339&fields={}", "fields={}&sample=0.1", "fields=a&fields={}"]), FIELDS
    ).map(lambda both: both[0].format(",".join(both[1]))),
    st.tuples(TEXTS, TEXTS).map("=".join),
    TEXTS,
)
OUTPUT = st.fixed_dictionaries(
    {},
    optional={
        "field_names": FIELDS,
        "timestamp_format": st.sampled_from(["rfc3339", "unix", "unixnano", "of tomorrow"]),
        "output_type": st.sampled_from(["csv", "ndjson", "of tomorrow"]),
        "sample_rate": st.sampled_from([1, 0.5, 1.0, 0]),
        **dict.fromkeys(("record_template", "batch_prefix", "record_suffix", "field_delimiter", "unknown"), TEXTS),
    },
)
JOBS = st.fixed_dictionaries(
    {"destination_conf": DESTINATIONS},
    optional={
        "name": st.sampled_from(["logs", None]) | TEXTS,
        "dataset": st.sampled_from(["http_requests", "dns_logs", "", None, "of tomorrow"]),
        "enabled": st.sampled_from([True, False, None]),
        "logpull_options": LOGPULL,
        "output_options": OUTPUT,
        "filter": TREES.map(lambda tree: json.dumps({"where": tree})) | TREES.map(json.dumps) | TEXTS,
        "kind": st.sampled_from(["", "edge", None, "of tomorrow"]),
        "frequency": st.sampled_from(["high", "low", None, "", "of tomorrow"]),
        "max_upload_bytes": st.sampled_from([0, None, 5_000_000, 7]),
        "max_upload_records": st.sampled_from([0, None, 100_000, 5_000]),
    },
)
NAMES = st.lists(st.sampled_from(["x-a", "X-C", "set-cookie", "range", "Session"]) | TEXTS.filter(bool), max_size=3, unique=True)
RULES = st.fixed_dictionaries(
    {},
    optional=dict.fromkeys(
        ("request_fields", "transformed_request_fields", "response_fields", "cookie_fields"),
        NAMES.map(lambda names: [{"name": name} for name in names]),
    ),
).map(lambda lists: {"action": "log_custom_field", "expression": "true", "action_parameters": lists})
ZONES = st.tuples(st.lists(JOBS, max_size=3), st.lists(RULES, max_size=2), st.booleans())


def loaded(text: str) -> t.Any:
    # libyaml, which Ansible prefers, refuses more than PyYAML.
    list(yaml.parse(text, getattr(yaml, "CSafeLoader", ansible_yaml.Loader)))
    return ansible_yaml.load(text) or {}


def texts(value: t.Any) -> t.Iterator[str]:
    inner = [*value, *value.values()] if isinstance(value, dict) else value if isinstance(value, list) else []
    for member in inner:
        yield from texts(member)
    if isinstance(value, str):
        yield value


@settings(max_examples=80)
@given(st.lists(ZONES, min_size=1, max_size=3))
def test_adopted_files_change_nothing(drawn: list[tuple[list[Document], list[Document], bool]]) -> None:
    states, zones = {}, []
    for number, (jobs, rules, enabled) in enumerate(drawn, 1):
        name, zone_id = f"zone{number}.example", f"{number:032x}"
        there = [{"id": index, **job} for index, job in enumerate(jobs, 1)]
        ruleset = read_ruleset({"id": "rs", "rules": [{"id": f"r{index}", **rule} for index, rule in enumerate(rules)]})
        monitor = {"enabled": enabled, "updated_at": None}
        zones.append({**express_zone(name, ruleset, [parse_job(job) for job in there], monitor), "zone_id": zone_id})
        states[name] = ZoneState(ruleset, JobListing(tuple(map(parse_job, there))), MonitorState("script_monitor", monitor))
    files = texts_of(json.loads(json.dumps(zones)), "all", True, "2026-11-21")
    assert CANARY not in repr(files)
    common = loaded(files["group_vars/all/adopted.yml"])
    loaded(files["vault-example.txt"])
    for name, state in states.items():
        variables = {**common, **loaded(files[f"host_vars/{name}/adopted.yml"])}
        assert all(
            isinstance(text, ansible_yaml.Unsafe)
            for text in texts(variables)
            if any(mark in text for mark in ("{{", "{%", "{#", "#jinja2:"))
        )
        given_ = {key.removeprefix("log_delivery_"): value for key, value in variables.items()}
        checked = validated(TASK.arguments(), {"zone_id": "1", **given_}, TASK.name)
        assert checked.error is None, checked.error
        desired = TASK.desire(checked.params)
        assert not TASK.compose(desired, state).whole.requests
