# SPDX-License-Identifier: GPL-3.0-or-later

import json
import types

import pytest
from ansible.module_utils.common import parameters
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.edgeops.observability.plugins.module_utils._engine import masking, module
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
SECRETS = st.text('b1.-"\n', min_size=1, max_size=3) | st.sampled_from(["7", "1e"])


@pytest.mark.skipif(not hasattr(parameters, "remove_values"), reason="this ansible-core masks no results")
@given(st.dictionaries(st.text("ab1"), VALUES, max_size=3), st.sets(SECRETS, max_size=2))
def test_masks_like_ansible_core(result, secrets):
    """Each member is masked separately; as JSON, the result equals masking the whole result."""
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
        {"all": "hidden-1", "part": ["a hidden-1 b hidden-1-2"], "number": 1234, "name": {"hidden-1": 1}},
        {"hidden-1", "hidden-1-2", "23"},
    )
    assert masked == {"all": HIDDEN_VALUE, "part": ["a ******** b ********"], "number": HIDDEN_VALUE, "name": {"hidden-1": 1}}


@pytest.mark.parametrize("by_core", [True, False])
def test_module_masks_if_ansible_core_does_not(monkeypatch, by_core):
    monkeypatch.setattr(module, "MODULES_MASK_RESULTS", by_core)
    own = types.SimpleNamespace(no_log_values={"hidden-1", "hidden-2"})
    result = {"found": ["hidden-1", {"a": "x hidden-2"}], "changed": True}
    expected = result if by_core else {"found": [HIDDEN_VALUE, {"a": "x ********"}], "changed": True}
    assert module._Module.masked(own, result) == expected


def test_only_long_secrets_are_registered(monkeypatch):
    """Only secrets that are long enough not to match other text are registered."""
    registered: list[str] = []
    monkeypatch.setattr(masking, "register_secrets", registered.extend)

    masking.register({"abc", "abcd", "hidden-1"})
    assert sorted(registered) == ["abcd", "hidden-1"]
