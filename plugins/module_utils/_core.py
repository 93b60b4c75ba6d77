# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import json
import re
import traceback
import types
import typing as t

# Limits and routes of Cloudflare's own API differ from those of other services with the same API.
CLOUDFLARE_HOST = "api.cloudflare.com"

# The HTTP status of a part of an answer; no request asks for a part.
PARTIAL_CONTENT = 206

# The parts of a zone that the collection manages, by the names that results, diffs, approvals and reports give them.
PartName = t.Literal["custom_fields", "jobs", "script_monitor", "content_security_rules"]
PARTS: tuple[PartName, PartName, PartName, PartName] = ("custom_fields", "jobs", "script_monitor", "content_security_rules")
CUSTOM_FIELDS, JOBS, SCRIPT_MONITOR, CONTENT_SECURITY_RULES = PARTS

# The values of `error.kind` in a failed result.
INVALID_OPTION = "invalid_option"
AUTHENTICATION = "authentication"
PERMISSION = "permission"
NOT_FOUND = "not_found"
REJECTED = "rejected"
RATE_LIMITED = "rate_limited"
UNAVAILABLE = "unavailable"
BAD_RESPONSE = "bad_response"
CONFLICT = "conflict"
# A policy of the user refused the result.
GATE = "gate"
# A bug in this collection.
INTERNAL = "internal"

KINDS = frozenset(
    {INVALID_OPTION, AUTHENTICATION, PERMISSION, NOT_FOUND, REJECTED, RATE_LIMITED}
    | {UNAVAILABLE, BAD_RESPONSE, CONFLICT, GATE, INTERNAL}
)
# Those that mean that the plan or the token has no such data, where an answer may lack it.
NOT_AVAILABLE = (AUTHENTICATION, PERMISSION, NOT_FOUND, REJECTED)


@dataclasses.dataclass(eq=False, repr=False)
class Failure(Exception):
    """The exception that ends a run: a message for the user, and structured members for playbooks.

    `errors` are the error objects of the service's envelope, reduced to `code` (int or None) and `message` (str).
    `unanswered`: the last try of a write, or an earlier one, has no response, and the service may have applied it.
    `accepted`: the response to a write has a status of success, or none that can be read, but the rest of it is invalid.
    The result contains neither of the two.
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
        """Return the same failure with a sentence appended; an empty note appends nothing."""
        return dataclasses.replace(self, message=f"{self.message} {note}") if note else self

    def report(self) -> dict[str, t.Any]:
        """Return the `error` member of a failed result."""
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
    """Return the failure for an invalid value; `place` is the path of the option, such as `filter.where.and[1]`."""
    return Failure(INVALID_OPTION, f"{place}: {message}")


# Whether a task creates and updates something, or removes it.
STATE_OPTION: t.Mapping[str, dict[str, t.Any]] = {
    "state": {"type": "str", "choices": ["present", "absent"], "default": "present"}
}

# In the declaration of an option, for this collection only: a null inside its value does not mean omitted.
KEEPS_NULLS = "keeps_nulls"
# The value is an address, of which outputs mask the secrets.
SHOWS_DESTINATION = "shows_destination"
# The service may have its text, braces included; a template in any other option was not evaluated.
HOLDS_DATA = "holds_data"
# A text in place of a dictionary is this member of it.
TEXT_MEMBER = "text_member"


def conflict(message: str) -> Failure:
    """Return the failure for a desired state that the current state excludes; nothing was written."""
    return Failure(CONFLICT, message)


def bad_answer(what: str, answer: str = "The service's answer") -> Failure:
    """Return the failure for an answer with a value that cannot be used; `what` names the value."""
    return Failure(BAD_RESPONSE, f"{answer} cannot be used: {what}.")


def written_otherwise(what: str, members: t.Iterable[str]) -> Failure:
    """Return the failure for a write after which members of an object have other values than were sent, or were there and declared."""
    return Failure(
        BAD_RESPONSE,
        f"The service accepted the write to {what}, but its answer shows other values than the task asked for: {', '.join(members)}."
        " The next run compares again.",
    )


def defect(error: Exception) -> Failure:
    """Return the failure for a caught, unexpected exception, without its text, which may quote a secret."""
    frame = traceback.extract_tb(error.__traceback__)[-1]
    place = f"{frame.filename.rpartition('/')[2]}:{frame.lineno}"
    return Failure(INTERNAL, f"defect in edgeops.observability: {type(error).__name__} at {place}; please report it")


# Any JSON value; narrow it before use.
Json = object


class Request(t.NamedTuple):
    """One write of a plan: an operation by its name, and what to send.

    `id_from_answer` names an id of the path that is the member `id` of the previous answer.
    `changes`: false for a request that only validates.
    `creates` marks a write that makes something and must not be sent twice: if its outcome is unknown, or if `look_again_on` contains the kind
    of its failure, the current state is read and planned again before the run fails.
    `if_it_fails` is appended to the failure message: what the previous requests have already changed.
    `digested` replaces the body in `plan_id` if the body also contains other objects that the service requires unchanged.
    """

    operation: str
    ids: t.Mapping[str, str | int] = types.MappingProxyType({})
    body: t.Mapping[str, Json] | None = None
    id_from_answer: str | None = None
    changes: bool = True
    creates: bool = False
    look_again_on: tuple[str, ...] = ()
    if_it_fails: str = ""
    digested: Json = None


class ReportedEffect(t.TypedDict):
    """The form of an effect in results."""

    name: str
    subject: str | None
    detail: list[str] | None


class Effect(t.NamedTuple):
    """What a plan destroys: one of the names below, the job concerned (None for the zone), and the names that are removed, if any."""

    name: str
    subject: str | None = None
    detail: tuple[str, ...] | None = None


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
ENFORCE_RULE = "enforce_rule"
MUTE_ALERT = "mute_alert"
WEAKEN_RULE = "weaken_rule"
EFFECTS = (
    CHANGE_DESTINATION,
    CHANGE_FILTER,
    CHANGE_TRANSFORMER,
    DELETE_JOB,
    DISABLE_JOB,
    DISABLE_MONITOR,
    DROP_CUSTOM_FIELDS,
    DROP_JOB_FIELDS,
    ENFORCE_RULE,
    MUTE_ALERT,
    RECREATE_JOB,
    REDUCE_SAMPLE_RATE,
    WEAKEN_RULE,
)


def report_effects(effects: t.Iterable[Effect]) -> list[ReportedEffect]:
    ordered = sorted(effects, key=lambda effect: (effect.name, effect.subject or "", effect.detail or ()))
    return [
        {"name": effect.name, "subject": effect.subject, "detail": None if effect.detail is None else list(effect.detail)}
        for effect in ordered
    ]


class Plan(t.NamedTuple):
    """What a run will do, computed once for check mode, diff mode and the real run.

    `before` and `after` contain only what the module manages, without secrets; they are equal if and only if nothing changes.
    `result` is the predicted result of the module.
    `basis` is the managed current state with secrets and without volatile members; `plan_id` is computed from it and the requests.
    `effects` name what the plan destroys; the rails of a delivery decide by them.
    `refused` is the message of a failure of the kind `refused_as`: the plan is complete, but must not be applied.
    """

    before: Json
    after: Json
    result: t.Mapping[str, Json]
    requests: tuple[Request, ...] = ()
    basis: Json = None
    warnings: tuple[str, ...] = ()
    effects: tuple[Effect, ...] = ()
    refused: str = ""
    refused_as: str = GATE

    @property
    def changed(self) -> bool:
        """Return whether applying the plan changes the service."""
        return any(request.changes for request in self.requests)

    @property
    def creates(self) -> bool:
        """Return whether a request of the plan must not be sent twice."""
        return any(request.creates for request in self.requests)


class Answer(t.NamedTuple):
    """The service's answer to one request: `result` and `result_info` of the envelope, and how often the request was sent."""

    result: Json
    result_info: dict[str, Json] | None = None
    attempts: int = 1


class Conclusion(t.NamedTuple):
    """The result of a task, and warnings for the user.

    `refused` is the message of a failure of the kind `refused_as`: the task is complete, but a policy of the user refuses its result, which is
    returned with the failure.
    """

    result: t.Mapping[str, Json]
    warnings: tuple[str, ...] = ()
    refused: str = ""
    refused_as: str = GATE


def plan_id(address: t.Mapping[str, str], plan: Plan) -> str:
    """Return a digest (`sha256:` and 64 hexadecimal digits) of the managed current state and the planned writes.

    Equal inputs give equal digests on every machine and in every mode, so that exactly the plan of a check run can be approved.
    """
    requests = []
    for request in plan.requests:
        content: dict[str, Json] = {**request._asdict(), "ids": dict(request.ids)}
        # An approval is of neither the texts of messages nor the other objects in a body, which `digested` leaves out.
        for name in ("changes", "digested", "if_it_fails"):
            del content[name]
        digested = request.digested
        requests.append(content if digested is None else {**content, "body": digested})
    text = json.dumps({**address, "basis": plan.basis, "requests": requests}, sort_keys=True, separators=(",", ":"))
    return "sha256:" + hashlib.sha256(text.encode()).hexdigest()


# The path of an option at the start of a message, as in `filter.where.and[0].operator: ...`.
_PATH = re.compile(r"[a-z][a-z0-9_]*(?:\[\d+\]|\.[^\s:]+)*(?=[:,] )")


def moved(place: str, text: str) -> str:
    """Return a message about an option of an item with the full path of the option."""
    return f"{place}.{text}" if _PATH.match(text) else text


@contextlib.contextmanager
def within(place: str) -> t.Iterator[None]:
    """Prefix the messages of failures with the place of an item, as in `jobs[1].filter: ...`."""
    try:
        yield
    except Failure as failure:
        message = moved(place, failure.message)
        raise dataclasses.replace(failure, message=message if message != failure.message else f"{place}: {message}") from failure
