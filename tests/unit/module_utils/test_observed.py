# SPDX-License-Identifier: GPL-3.0-or-later

import pytest

from ansible_collections.edgeops.observability.plugins.module_utils._core import (
    BAD_RESPONSE,
    NOT_FOUND,
    PERMISSION,
    UNAVAILABLE,
    Failure,
)
from ansible_collections.edgeops.observability.plugins.module_utils._observed import Cause, Known, Unknown, observe


def failing(kind: str):
    def read() -> list[int]:
        raise Failure(kind, "it failed")

    return read


def test_an_empty_list_is_known() -> None:
    assert observe(list) == Known([])


@pytest.mark.parametrize(
    ("kind", "cause"),
    [
        (PERMISSION, Cause.NO_RIGHT),
        (NOT_FOUND, Cause.NOT_AVAILABLE),
        (BAD_RESPONSE, Cause.NOT_READABLE),
        (UNAVAILABLE, Cause.NO_ANSWER),
    ],
)
def test_a_failed_read_is_unknown_with_its_reason(kind: str, cause: Cause) -> None:
    assert observe(failing(kind)) == Unknown(cause, "it failed", kind)


def test_a_failure_of_another_kind_is_raised() -> None:
    with pytest.raises(Failure):
        observe(failing(UNAVAILABLE), PERMISSION)
