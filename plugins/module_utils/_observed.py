# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import dataclasses
import enum
import typing as t

from ._core import AUTHENTICATION, BAD_RESPONSE, NOT_FOUND, PERMISSION, Failure

# Whatever decides (a plan, a gate, a finding, an event, a sentence) takes an observation: a value, or the reason why it is not known.
# A list that was not read, one that is empty and one that was cut off are three observations.

T = t.TypeVar("T")


class Cause(enum.Enum):
    """Why something is not known."""

    NOT_ASKED = "not asked for"
    NO_RIGHT = "no permission"
    NOT_AVAILABLE = "not available"  # the service or the plan does not have it
    NO_ANSWER = "no answer"
    NOT_READABLE = "not readable"  # an answer, an item or a member that cannot be told
    NOTHING_LISTED = "nothing listed"
    MONITOR_OFF = "monitor off"
    CUT_OFF = "cut off"


@dataclasses.dataclass(frozen=True)
class Known(t.Generic[T]):
    """An observed value."""

    value: T


@dataclasses.dataclass(frozen=True)
class Unknown:
    """The reason why a value is not known; `message` is a clause for people, without a capital and a full stop.

    `kind` is the kind of the failure where a failure is the reason.
    """

    cause: Cause
    message: str
    kind: str | None = None


# mypy refuses `.value` of it before `isinstance(..., Unknown)` has excluded the other case. The linter of ansible-test knows no other form.
Observed = t.Union[Known[T], Unknown]  # noqa: UP007  # see the line above


def is_unasked(part: Observed[t.Any]) -> bool:
    """Return whether nobody asked for a part of a run."""
    return isinstance(part, Unknown) and part.cause is Cause.NOT_ASKED


_CAUSES: t.Mapping[str, Cause] = {
    AUTHENTICATION: Cause.NO_RIGHT,
    PERMISSION: Cause.NO_RIGHT,
    NOT_FOUND: Cause.NOT_AVAILABLE,
    BAD_RESPONSE: Cause.NOT_READABLE,
}


def unknown(failure: Failure) -> Unknown:
    """Return the observation that a failed read leaves."""
    return Unknown(_CAUSES.get(failure.kind, Cause.NO_ANSWER), failure.message, failure.kind)


def observe(read: t.Callable[[], T], *kinds: str) -> Observed[T]:
    """Return what a read returns, or why it failed; raise failures of other kinds than these (default: of none)."""
    try:
        return Known(read())
    except Failure as failure:
        if kinds and failure.kind not in kinds:
            raise
        return unknown(failure)


class Meaning(t.NamedTuple):
    """What it means that a member of an answer is absent, and which source says so."""

    value: object
    source: str
