# SPDX-License-Identifier: GPL-3.0-or-later

import json

import pytest
from ansible.module_utils.common import parameters
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.edgeops.observability.plugins.module_utils._engine import masking
from ansible_collections.edgeops.observability.plugins.module_utils._engine.masking import HIDDEN_VALUE, mask_result

# Includes values that JSON does not have: tuples, keys that are not text, infinity, and unpaired surrogates.
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-30, 30) | st.floats(allow_nan=False, width=16) | st.text('ab1.-e"\n\ud800'),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.tuples(inner, inner)
        | st.dictionaries(st.text("ab", max_size=2) | st.integers(0, 9) | st.none(), inner, max_size=3)
    ),
)
# Versions of ansible-core mask the text of null and booleans differently; no real secret is part of that.
SECRETS = st.text('b1.-"\n', min_size=4, max_size=6)


@pytest.mark.skipif(not hasattr(parameters, "remove_values"), reason="this ansible-core masks no results")
@given(st.dictionaries(st.text("ab1"), VALUES, max_size=3), st.sets(SECRETS, max_size=2))
def test_masks_like_ansible_core(result, secrets):
    """Each member is masked separately; as JSON, the result equals masking the whole result. Short secrets are masked otherwise, see below."""
    expected = parameters.remove_values(result, secrets)
    expected.update({name: value for name, value in result.items() if value is None or isinstance(value, bool)})
    assert json.dumps(mask_result(result, secrets)) == json.dumps(expected)


@pytest.mark.parametrize("secrets", [{"absent"}, set()])
def test_result_is_plain_json(secrets):
    """Results contain no tuples and only text as keys, in process and as ordinary modules."""
    masked = mask_result({"found": {1: (2, (3,)), "a": {None: 2}}}, secrets)
    assert repr(masked) == repr({"found": {"1": [2, [3]], "a": {"null": 2}}})


def test_masks_are_those_of_ansible_core():
    masked = mask_result(
        {"all": "hidden-1", "part": ["a hidden-1 b hidden-1-2"], "number": 123456, "name": {"hidden-1": 1}},
        {"hidden-1", "hidden-1-2", "2345"},
    )
    assert masked == {"all": HIDDEN_VALUE, "part": ["a ******** b ********"], "number": HIDDEN_VALUE, "name": {"hidden-1": 1}}


@pytest.mark.parametrize(
    ("secret", "result", "expected"),
    [
        ("c", {"msg": "rejected: c, or 'c'"}, {"msg": "rejected: ********, or '********'"}),
        ("s", {"error": {"kind": "bad_response", "attempts": 1}}, {"error": {"kind": "bad_response", "attempts": 1}}),
        ("1", {"found": [10, 1, "10"], "path": "/1/x"}, {"found": [10, HIDDEN_VALUE, "10"], "path": "/********/x"}),
        ("rejected", {"error": {"kind": "rejected"}, "msg": "rejected"}, {"error": {"kind": "rejected"}, "msg": HIDDEN_VALUE}),
    ],
)
def test_words_of_ours_stay(secret, result, expected):
    """A short secret is masked as a whole word only, and the kind of a failure never."""
    assert mask_result(result, {secret}) == expected


def test_only_long_secrets_are_registered(monkeypatch):
    """Only secrets that are long enough not to match other text are registered."""
    registered: list[str] = []
    monkeypatch.setattr(masking, "register_secrets", registered.extend)

    masking.register({"abc", "abcd", "hidden-1"})
    assert sorted(registered) == ["abcd", "hidden-1"]
