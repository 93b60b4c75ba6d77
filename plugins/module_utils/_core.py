# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import json
import re
import types
import typing as t

# Cloudflare's own API, whose limits and routes differ from those of other services with the same interface.
CLOUDFLARE_HOST = "api.cloudflare.com"

# What can go wrong, in the words of the public contract; nothing else is ever reported as `error.kind`.
INVALID_OPTION = "invalid_option"
AUTHENTICATION = "authentication"
PERMISSION = "permission"
NOT_FOUND = "not_found"
REJECTED = "rejected"
RATE_LIMITED = "rate_limited"
UNAVAILABLE = "unavailable"
BAD_RESPONSE = "bad_response"
CONFLICT = "conflict"
# A policy that the user set refused.
GATE = "gate"
# A defect of this collection.
INTERNAL = "internal"

KINDS = frozenset(
    (
        INVALID_OPTION,
        AUTHENTICATION,
        PERMISSION,
        NOT_FOUND,
        REJECTED,
        RATE_LIMITED,
        UNAVAILABLE,
        BAD_RESPONSE,
        CONFLICT,
        GATE,
        INTERNAL,
    )
)


@dataclasses.dataclass(eq=False, repr=False)
class Failure(Exception):
    """The one exception that ends a run: a sentence for the user, and members for a playbook.

    `errors` are the error objects of the service's envelope, reduced to `code` (int or None) and `message` (str).
    `unanswered`: a write may have been received although no usable answer came back, so that only another
    look at the service can tell what happened. `accepted`: a write was answered with a status of success, and nothing
    usable behind it. Neither is part of the report.
    """

    kind: str
    message: str
    method: str | None = None
    path: str | None = None
    status: int | None = None
    errors: t.Sequence[t.Mapping[str, t.Any]] = ()
    request_id: str | None = None
    attempts: int = 0
    unanswered: bool = False
    accepted: bool = False

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise ValueError(f"{self.kind!r} is not a kind of failure")
        super().__init__(self.message)

    def __str__(self) -> str:
        return self.message

    def with_note(self, note: str) -> Failure:
        """The same failure with a further sentence; an empty note changes nothing."""
        return dataclasses.replace(self, message=f"{self.message} {note}") if note else self

    def report(self) -> dict[str, t.Any]:
        """The `error` member of a failed result."""
        return {
            "kind": self.kind,
            "method": self.method,
            "path": self.path,
            "status": self.status,
            "errors": [dict(error) for error in self.errors],
            "request_id": self.request_id,
            "attempts": self.attempts,
        }


def invalid_option(place: str, message: str) -> Failure:
    """A value that is refused before any request; `place` names the option and the place in it, as in `filter.where.and[1]`."""
    return Failure(INVALID_OPTION, f"{place}: {message}")


def conflict(message: str) -> Failure:
    """The desired and the current state exclude each other; nothing was written."""
    return Failure(CONFLICT, message)


def defect(error: Exception) -> Failure:
    """Return the failure for an exception that nobody foresaw; its text is left out because it may quote a secret."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    file = trace.tb_frame.f_code.co_filename.rpartition("/")[2] if trace else "an unknown file"
    place = f"{file}:{trace.tb_lineno}" if trace else file
    return Failure(INTERNAL, f"defect in edgeops.observability: {type(error).__name__} at {place}; please report it")


Json = t.Any


class Request(t.NamedTuple):
    """One write that a plan wants: a named operation, never a path.

    `id_from_answer` names an id of the path that only the answer to the request before holds (its member `id`).
    `creates` marks a POST that must not be repeated blindly: where its outcome is unknown, or where `look_again_on`
    names the kind of its failure, the service is read and planned once more before anything is said.
    `if_it_fails` is a sentence for the failure message: what the requests before this one have already done.
    `digested` stands for the body in `plan_id` where the body also carries other objects, which the service wants back unchanged.
    """

    operation: str
    ids: t.Mapping[str, str | int] = types.MappingProxyType({})
    body: Json = None
    id_from_answer: str | None = None
    creates: bool = False
    look_again_on: tuple[str, ...] = ()
    if_it_fails: str = ""
    digested: Json = None


class Effect(t.NamedTuple):
    """What a plan destroys: one of the names below, the job that it happens to (None for the zone), and what goes, if names go."""

    name: str
    subject: str | None = None
    detail: tuple[str, ...] | None = None

    def report(self) -> dict[str, Json]:
        """Return the effect as results show it."""
        return {"name": self.name, "subject": self.subject, "detail": None if self.detail is None else list(self.detail)}


# Every effect that a planner may name; `edgeops_allow` and the documentation use these names.
DISABLE_MONITOR = "disable_monitor"
DROP_CUSTOM_FIELDS = "drop_custom_fields"
DROP_JOB_FIELDS = "drop_job_fields"
DELETE_JOB = "delete_job"
DISABLE_JOB = "disable_job"
RECREATE_JOB = "recreate_job"
CHANGE_FILTER = "change_filter"
REDUCE_SAMPLE_RATE = "reduce_sample_rate"
CHANGE_DESTINATION = "change_destination"
CHANGE_TRANSFORMER = "change_transformer"
EFFECTS = (
    CHANGE_DESTINATION,
    CHANGE_FILTER,
    CHANGE_TRANSFORMER,
    DELETE_JOB,
    DISABLE_JOB,
    DISABLE_MONITOR,
    DROP_CUSTOM_FIELDS,
    DROP_JOB_FIELDS,
    RECREATE_JOB,
    REDUCE_SAMPLE_RATE,
)


def in_order(effects: t.Iterable[Effect]) -> list[Effect]:
    """Return effects sorted by name, then subject."""
    return sorted(effects, key=lambda effect: (effect.name, effect.subject or "", effect.detail or ()))


class Plan(t.NamedTuple):
    """What a run will do, computed once for check mode, diff mode and the real run.

    `before` and `after` hold only what the module manages and are free of secrets; they are equal exactly when nothing changes.
    `result` is the result as predicted, keyed as the module documents it.
    `basis` is the managed state that was read, secrets included and volatile members left out: with the requests it makes `plan_id`.
    `effects` name what the plan destroys, for the rails of a delivery, which never read the words of a diff.
    """

    before: Json
    after: Json
    result: t.Mapping[str, Json]
    requests: tuple[Request, ...] = ()
    basis: Json = None
    warnings: tuple[str, ...] = ()
    effects: tuple[Effect, ...] = ()

    @property
    def changed(self) -> bool:
        """Return whether applying the plan changes the service."""
        return bool(self.requests)

    @property
    def creates(self) -> bool:
        """Whether the plan holds a request that must not be sent twice."""
        return any(request.creates for request in self.requests)


class Answer(t.NamedTuple):
    """What the service answered to one request: `result` and `result_info` of the envelope, and how it came about."""

    result: Json
    result_info: dict[str, Json] | None
    status: int
    attempts: int
    request_id: str | None


class Conclusion(t.NamedTuple):
    """What the answers of the service mean: the result, and warnings for the user.

    `refused` is a sentence for a task that did all of its work and fails all the same, because a policy of the user refuses
    what it found: the failure is a `gate`, and keeps the result.
    """

    result: t.Mapping[str, Json]
    warnings: tuple[str, ...] = ()
    refused: str = ""


def plan_id(address: t.Mapping[str, str], plan: Plan) -> str:
    """Return a digest (`sha256:` and 64 hexadecimal digits) of the managed state that was read and of the writes that would follow.

    Equal inputs give equal digests on every machine and in every mode, so a check run can be approved and applied exactly.
    """
    content = {
        **address,
        "basis": plan.basis,
        "requests": [_content(request) for request in plan.requests],
    }
    text = json.dumps(content, sort_keys=True, separators=(",", ":"))
    return "sha256:" + hashlib.sha256(text.encode()).hexdigest()


def _content(request: Request) -> dict[str, Json]:
    """What of a request is approved: neither other objects that its body carries along nor words for a failure."""
    content: dict[str, Json] = {**request._asdict(), "ids": dict(request.ids)}
    del content["if_it_fails"]
    digested = content.pop("digested")
    return content if digested is None else {**content, "body": digested}


class Step(t.NamedTuple):
    """One of several plans of a task: the single task that it is of, where its options are, and what it was made from."""

    part: str
    place: str
    label: str
    desired: t.Any
    state: t.Any
    plan: Plan


class Outcome(t.NamedTuple):
    """What the answers to a step mean, whether this run wrote anything for it, and whether it surely created something."""

    step: Step
    conclusion: Conclusion
    written: bool
    created: bool = False


class Approval(t.NamedTuple):
    """The plan id that an option expects, None for no plan at all, and the present one; `compared` is whether the option is set."""

    option: str
    expected: str | None
    found: str | None
    compared: bool


class Composition(t.NamedTuple):
    """Several plans as one.

    `whole` is what check mode, diff and approval see. `steps` are the plans with requests, in the order of their writes;
    `conclude` makes their outcomes, also of some or none of them, into one.
    `approvals` are those of plans that are approved on their own.
    """

    whole: Plan
    steps: tuple[Step, ...]
    conclude: t.Callable[[t.Sequence[Outcome]], Conclusion]
    approvals: t.Mapping[str, Approval] = types.MappingProxyType({})

    @classmethod
    def of(cls, step: Step) -> Composition:
        """Return the composition of one plan."""

        def conclude(done: t.Sequence[Outcome]) -> Conclusion:
            return done[0].conclusion if done else Conclusion(step.plan.result)

        return cls(step.plan, (step,) if step.plan.requests else (), conclude)


# The path of an option at the start of a message, as in `filter.where.and[0].operator: ...`.
_PATH = re.compile(r"[a-z][a-z0-9_]*(?:\[\d+\]|\.[^\s:]+)*(?=[:,] )")


def moved(place: str, text: str) -> str:
    """Return a message about an option of one item as a message about that item's place among all options."""
    return f"{place}.{text}" if _PATH.match(text) else text


@contextlib.contextmanager
def within(place: str) -> t.Iterator[None]:
    """Give failures the place of the item that they are about, as in `jobs[1].filter: ...`."""
    try:
        yield
    except Failure as failure:
        message = moved(place, failure.message)
        raise dataclasses.replace(failure, message=message if message != failure.message else f"{place}: {message}") from failure
