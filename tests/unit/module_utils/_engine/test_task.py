# SPDX-License-Identifier: GPL-3.0-or-later

import pytest

from ansible_collections.edgeops.observability.plugins.module_utils._address import ACCOUNT_ID, ZONE_ADDRESSES
from ansible_collections.edgeops.observability.plugins.module_utils._api.connection import CONNECTION_OPTIONS
from ansible_collections.edgeops.observability.plugins.module_utils._core import KEEPS_NULLS
from ansible_collections.edgeops.observability.plugins.module_utils._engine.masking import HIDDEN_VALUE, secrets_of
from ansible_collections.edgeops.observability.plugins.module_utils._engine.task import (
    InfoTask,
    LocalTask,
    Spec,
    StateTask,
    presentable,
)

OPTIONS = {
    "name": {"type": "str"},
    "token": {"type": "str", "no_log": True},
    "target": {"type": "dict", "options": {"host": {"type": "str"}, "key": {"type": "str", "no_log": True}}},
    "jobs": {"type": "list", "elements": "dict", "options": {"conf": {"type": "str", "no_log": True}, "id": {"type": "int"}}},
    "hidden": {"type": "dict", "no_log": True, "options": {"inner": {"type": "str"}}},
    "free": {"type": "dict"},
}


@pytest.mark.parametrize(
    ("arguments", "secrets"),
    [
        ({"name": "a", "token": "s-1"}, ["s-1"]),
        ({"target": {"host": "h", "key": "s-2"}}, ["s-2"]),
        ({"jobs": [{"conf": "s-3", "id": 4}, {"conf": "s-5"}]}, ["s-3", "s-5"]),
        ({"jobs": ({"conf": 17},)}, ["17"]),
        # The whole value of a secret option is secret, even an invalid one.
        ({"hidden": {"inner": "s-6", "other": ["s-7", {"deep": "s-8"}]}}, ["s-6", "s-7", "s-8"]),
        ({"token": {"a": "s-9"}}, ["s-9"]),
        # Not secret: text instead of a dictionary, unknown options, and values that are not text.
        ({"target": "s", "unknown": {"token": "s"}, "free": {"token": "s"}}, []),
        ({"token": None, "hidden": {"inner": "", "other": True, "more": [False]}}, []),
    ],
)
def test_secrets_of_arguments_are_found_at_any_depth(arguments, secrets):
    assert list(secrets_of(OPTIONS, arguments)) == secrets


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({"name": "a", "rubbish": "may be a token"}, {"name": "a", "rubbish": "********"}),
        (
            {"target": {"host": "h", "kye": "s"}, "free": {"any": 1}},
            {"target": {"host": "h", "kye": "********"}, "free": {"any": 1}},
        ),
        ({"jobs": ({"id": 1, "x": "s"}, None)}, {"jobs": [{"id": 1, "x": "********"}, None]}),
        # The text may be JSON with secrets.
        ({"target": '{"key": "s"}', "jobs": ["s"]}, {"target": "********", "jobs": ["********"]}),
        ({"target": None}, {"target": None}),
        ({"target": {"host": "https://u:p@api.example/x?a=b@c"}}, {"target": {"host": "https://********@api.example/x?a=b@c"}}),
        # Of a URL not the user information alone: what is left would not be recognised as the secret.
        ({"token": "https://u:s@api.example/secret-path"}, {"token": HIDDEN_VALUE}),
        ({"token": ""}, {"token": ""}),
        ({"hidden": {"inner": "s", "more": [False, "s"]}}, {"hidden": {"inner": HIDDEN_VALUE, "more": [False, HIDDEN_VALUE]}}),
    ],
)
def test_unknown_and_unparsed_arguments_are_masked(arguments, expected):
    assert presentable(arguments, OPTIONS) == expected


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://api.example/v4", "https://api.example/v4"),
        ("https://user:s@api.example/v4", "https://********@api.example/v4"),
        ("https://user:s@ss\n@api.example", "https://********@api.example"),
        ("https://files.example/audits?sig=s\ns#s?s", "https://files.example/audits?********"),
        (" HTTP://user:s@files.example/#s", " HTTP://********@files.example/#********"),
        ("s3://logs/http?region=auto", "s3://logs/http?region=auto"),
        (None, None),
    ],
)
def test_address_is_shown_without_secrets(url, expected):
    assert presentable({"base_url": url}, {"base_url": {"type": "str"}}) == {"base_url": expected}


@pytest.mark.parametrize(
    ("kind", "own", "shared"),
    [
        (StateTask, {}, {*CONNECTION_OPTIONS, *ZONE_ADDRESSES, "expected_plan_id"}),
        (StateTask, {"approvable": False}, {*CONNECTION_OPTIONS, *ZONE_ADDRESSES}),
        (InfoTask, {"addresses": (ACCOUNT_ID,)}, {*CONNECTION_OPTIONS, ACCOUNT_ID}),
        (LocalTask, {}, set()),
    ],
)
def test_task_has_its_own_and_shared_options(kind, own, shared):
    spec = Spec({"names": {"type": "list", "elements": "str", KEEPS_NULLS: True}}, required_by={"names": ["zone_id"]})
    task = type("Own", (kind,), {"name": "own", "spec": spec, **own})
    arguments = task.arguments()
    options = arguments.pop("argument_spec")
    assert options.keys() == {"names", *shared}
    assert options["names"] == {"type": "list", "elements": "str"}
    assert all(options[name] == {"type": "str"} for name in shared - CONNECTION_OPTIONS.keys())
    assert all(options[name] == CONNECTION_OPTIONS[name] for name in shared & CONNECTION_OPTIONS.keys())
    rules = dict.fromkeys(("mutually_exclusive", "required_together", "required_one_of", "required_if"), ())
    assert arguments == {**rules, "required_by": {"names": ["zone_id"]}}


@pytest.mark.parametrize(("kind", "method"), [(StateTask, "read"), (InfoTask, "report"), (LocalTask, "report")])
def test_forgotten_method_is_an_error(kind, method):
    methods = {"desire": lambda own, params: params}
    with pytest.raises(TypeError, match=method):
        type("Forgetful", (kind,), methods)()


def test_forgotten_plan_is_an_error():
    methods = {"name": "forgetful", "desire": lambda own, params: params, "read": lambda own, client, desired: desired}
    task = type("Forgetful", (StateTask,), methods)()
    with pytest.raises(NotImplementedError, match="Forgetful must define plan, or parts and compose"):
        task.compose({}, {})
