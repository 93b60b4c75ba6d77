# SPDX-License-Identifier: GPL-3.0-or-later

import pytest
from support.refusals import refusal as kind_and_message
from support.samples.custom_fields import params

from ansible_collections.edgeops.observability.plugins.module_utils._core import INVALID_OPTION
from ansible_collections.edgeops.observability.plugins.module_utils._custom_fields.facts import FIELD_KINDS
from ansible_collections.edgeops.observability.plugins.module_utils._custom_fields.options import desire, normal_name


def desired(**options):
    return desire(params(**options))


def refusal(**options):
    kind, message = kind_and_message(desired, **options)
    assert kind == INVALID_OPTION
    return message


def test_names_are_normalized():
    """Header names are trimmed and in lower case, cookie names unchanged, duplicates ignored; an omitted list differs from an empty one."""
    fields = desired(request_fields=[" X-B ", "x-a", "X-A\n", "x-b"], cookie_fields=["Tier", "tier", "Tier"], response_fields=[])
    assert fields.names == {"request_fields": ("x-a", "x-b"), "cookie_fields": ("Tier", "tier"), "response_fields": ()}


@pytest.mark.parametrize("name", ["", "  ", "x y", "x:y", "x/y", "naïve", "\u212aey", "x=y", "x\ty", "(x)", "x,y", '"x"'])
@pytest.mark.parametrize("kind", [*FIELD_KINDS[:4], "preserve_duplicates"])
def test_invalid_header_name_is_refused(kind, name):
    message = refusal(**{kind: ["x-fine", "x-good", name]})
    assert message.startswith(f"{kind}[2]: ")
    assert repr(name) in message


@pytest.mark.parametrize("name", ["!#$%&'*+-.^_`|~", "x-1", "0"])
def test_all_token_characters_are_accepted(name):
    assert normal_name("request_fields[0]", "request_fields", name) == name


@pytest.mark.parametrize("name", ["", " ", "a b", " a", "a\t", "a\n", "a\u00a0b", "a=b", "a;b", "a,b", "a\x00"])
def test_invalid_cookie_name_is_refused(name):
    assert refusal(cookie_fields=["fine", name]).startswith("cookie_fields[1]: ")


def test_limit_is_inclusive_and_zero_disables_it():
    names = [f"x-{number}" for number in range(40)]
    assert len(desired(request_fields=names).names["request_fields"]) == 40
    assert desired(request_fields=[*names, "x-more"], field_limit=0)


def test_cloudflare_limits_each_type():
    """Cloudflare's own API allows 100 fields of each type, without a total limit; the option takes precedence."""
    public = {"base_url": "https://API.cloudflare.com/client/v4"}
    names = [f"x-{number}" for number in range(101)]
    assert desired(**public, request_fields=names[1:], cookie_fields=names[1:])
    sentence = "field_limit: 101 request_fields are 1 more than the limit of 100 of each type"
    assert refusal(**public, request_fields=names) == sentence
    assert refusal(**public, request_fields=names[1:], field_limit=40).startswith("field_limit: 100 custom fields")


def test_flag_for_unlisted_name_is_refused():
    message = refusal(response_fields=["x-a"], raw_response_fields=["x-b"], preserve_duplicates=["x-c", "x-b"])
    assert message.startswith("preserve_duplicates: 'x-c' ")
    assert desired(response_fields=["x-a"], preserve_duplicates=["x-c"]).preserve_duplicates == ("x-c",)
    assert desired(purge=False, response_fields=[], raw_response_fields=[], preserve_duplicates=["x-c"])


def test_absent_checks_names_only():
    fields = desired(state="absent", request_fields=["X-A"], transformed_request_fields=["x-a"], field_limit=1)
    assert not fields.present
    assert fields.names == {"request_fields": ("x-a",), "transformed_request_fields": ("x-a",)}
    assert refusal(state="absent", request_fields=["x y"]).startswith("request_fields[0]: ")
    assert desired(state="absent", preserve_duplicates=["x-a"], response_fields=["x-a"])


CLASH = "(raw) and in transformed_request_fields (transformed) at once; the service logs a header one way or the other"
SENTENCES = [
    (
        {"cookie_fields": ["a b"]},
        "cookie_fields[0]: 'a b' is not a cookie name: it is empty or has white space, '=', ';' or ','",
    ),
    (
        {"request_fields": ["a b"]},
        "request_fields[0]: 'a b' is not a header name: only letters, digits and !#$%&'*+-.^_`|~ may be in it",
    ),
    (
        {"request_fields": ["x-both", "x-raw"], "transformed_request_fields": ["X-Both"]},
        "transformed_request_fields: 'x-both' would be in request_fields " + CLASH,
    ),
    (
        {"request_fields": [f"x-{number}" for number in range(41)], "cookie_fields": ["a", "b"]},
        "field_limit: 43 custom fields (request_fields 41, cookie_fields 2) are 3 more than the limit of 40",
    ),
    ({"field_limit": -1}, "field_limit: -1 is below 0; 0 turns the check off"),
    (
        {kind: [] for kind in FIELD_KINDS},
        f"{', '.join(FIELD_KINDS)}: no custom field would be left in any list; to remove them all, use state: absent",
    ),
    (
        {"state": "absent", "preserve_duplicates": ["x-a"]},
        "preserve_duplicates: state: absent removes names from the other lists; name them there",
    ),
]


@pytest.mark.parametrize(("options", "sentence"), SENTENCES)
def test_impossible_options_are_refused(options, sentence):
    assert refusal(**options) == sentence
