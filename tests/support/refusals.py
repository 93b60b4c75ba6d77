# SPDX-License-Identifier: GPL-3.0-or-later

import typing as t

import pytest

from ansible_collections.edgeops.observability.plugins.module_utils._core import Failure


def refusal(call: t.Callable[..., object], *arguments: t.Any, **options: t.Any) -> tuple[str, str]:
    """Call a function that must fail; return the kind and the message of its failure."""
    with pytest.raises(Failure) as caught:
        call(*arguments, **options)
    return caught.value.kind, str(caught.value)


def http_failure(kind: str, status: int, *codes: int) -> Failure:
    """Return the failure for an answer with this status and these error codes."""
    return Failure(kind, f"HTTP {status}", status=status, errors=[{"code": code, "message": "m"} for code in codes])
