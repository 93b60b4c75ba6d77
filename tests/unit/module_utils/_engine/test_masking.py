# SPDX-License-Identifier: GPL-3.0-or-later

import json
import types

import pytest
from ansible.module_utils.common import parameters
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.edgeops.observability.plugins.module_utils._engine import masking, module
from ansible_collections.edgeops.observability.plugins.module_utils._engine.masking import HIDDEN_VALUE, mask_result

# Also what JSON lacks: tuples, other names than text, numbers without end, and half a character.
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-30, 30) | st.floats(allow_nan=False, width=16) | st.text('ab1.-e"\n\ud800'),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.tuples(inner, inner)
        | st.dictionaries(st.text("ab", max_size=2) | st.integers(0, 9) | st.none(), inner, max_size=3)
    ),
)
# Cores differ in whether they mask the Python text of null and booleans, of which no real secret is a part.
SECRETS = st.text('b1.-"\n', min_size=1, max_size=3) | st.sampled_from(["7", "1e"])


@pytest.mark.skipif(not hasattr(parameters, "remove_values"), reason="this ansible-core masks no results")
@given(st.dictionaries(st.text("ab1"), VALUES, max_size=3), st.sets(SECRETS, max_size=2))
def test_masks_as_a_module_does(result, secrets):
    """Each member is masked by itself, with the result that masking the whole has as JSON."""
    expected = parameters.remove_values(result, secrets)
    expected.update({name: value for name, value in result.items() if value is None or isinstance(value, bool)})
    assert json.dumps(mask_result(result, secrets)) == json.dumps(expected)


@pytest.mark.parametrize("secrets", [{"absent"}, set()])
def test_a_result_is_what_json_can_say(secrets):
    """A task sees no tuple, and no name that is not text, whichever way the module went."""
    masked = mask_result({"found": {1: (2, (3,)), "a": {None: 2}}}, secrets)
    assert repr(masked) == repr({"found": {"1": [2, [3]], "a": {"null": 2}}})


def test_words_of_ansible_core():
    masked = mask_result(
        {"all": "hidden-1", "part": ["a hidden-1 b hidden-1-2"], "number": 1234, "name": {"hidden-1": 1}},
        {"hidden-1", "hidden-1-2", "23"},
    )
    assert masked == {"all": HIDDEN_VALUE, "part": ["a ******** b ********"], "number": HIDDEN_VALUE, "name": {"hidden-1": 1}}


@pytest.mark.parametrize("by_core", [True, False])
def test_a_module_masks_what_ansible_core_does_not(monkeypatch, by_core):
    monkeypatch.setattr(module, "MODULES_MASK_RESULTS", by_core)
    own = types.SimpleNamespace(no_log_values={"hidden-1", "hidden-2"})
    result = {"found": ["hidden-1", {"a": "x hidden-2"}], "changed": True}
    expected = result if by_core else {"found": [HIDDEN_VALUE, {"a": "x ********"}], "changed": True}
    assert module._Module.masked(own, result) == expected


def test_what_is_registered(monkeypatch):
    """What is long enough to mask nothing else."""
    registered: list[str] = []
    monkeypatch.setattr(masking, "register_secrets", registered.extend)

    masking.register({"abc", "abcd", "hidden-1"})
    assert sorted(registered) == ["abcd", "hidden-1"]
