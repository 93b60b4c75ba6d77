# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t

from .._address import SCOPES
from .._core import (
    CHANGE_TRANSFORMER,
    NOT_FOUND,
    Answer,
    Conclusion,
    Effect,
    Failure,
    Json,
    Plan,
    Request,
    bad_answer,
    conflict,
    invalid_option,
    written_otherwise,
)
from .._selection import Nouns
from .._text import dict_of, is_integer, json_type
from .options import DesiredTransformer, normal
from .samples import Record, judge, refusal


class AssociatedJob(t.NamedTuple):
    """A Logpush job that refers to a transformer; `scope` is None if the service names neither a zone nor an account."""

    id: int
    name: str | None
    scope: str | None
    owner: str

    @property
    def label(self) -> str:
        return f"{self.owner}/{self.id}"


class Transformer(t.NamedTuple):
    """A transformer of the service, parsed once. `sql` and `version` are None until they are read, each with a request of its own.

    `jobs` is None if the service does not show which jobs refer to it; that is not the same as no job.
    """

    id: int
    name: str
    description: str
    dataset: str | None
    created_at: str | None
    updated_at: str | None
    jobs: tuple[AssociatedJob, ...] | None
    sql: str | None = None
    version: int | None = None


class TransformerState(t.NamedTuple):
    """The transformer, or None; the records that the service's preview made of each sample; and the ids of all listed transformers."""

    transformer: Transformer | None
    delivered: tuple[tuple[Record, ...], ...] = ()
    known: frozenset[int] = frozenset()


def parse_transformer(sent: Json) -> Transformer:
    """Parse a transformer of the service; raise `bad_response` if a member has an undocumented type."""
    if not isinstance(sent, dict):
        raise bad_answer(f"a transformer is {json_type(sent)}, not an object")
    number, name = sent.get("id"), sent.get("name")
    if not is_integer(number) or number < 1:
        raise bad_answer(f"a transformer has {json_type(number)} as its id, not a number above 0")
    if not isinstance(name, str) or not name:
        raise bad_answer(f"transformer {number} has {json_type(name)} as its name")
    texts: dict[str, str | None] = {}
    for member in ("description", "dataset", "created_at", "updated_at"):
        value = sent.get(member)
        if not isinstance(value, (str, type(None))):
            raise bad_answer(f"transformer {number} has {json_type(value)} as its {member}")
        texts[member] = value
    jobs = sent.get("associated_jobs")
    if not isinstance(jobs, (list, type(None))):
        raise bad_answer(f"transformer {number} has {json_type(jobs)} as its associated_jobs")
    associated = [] if jobs is None else sorted((_parse_job(number, job) for job in jobs), key=lambda job: (job.owner, job.id))
    return Transformer(
        id=number,
        name=name,
        description=texts["description"] or "",
        dataset=texts["dataset"] or None,
        created_at=texts["created_at"],
        updated_at=texts["updated_at"],
        jobs=None if jobs is None else tuple(associated),
    )


def _parse_job(number: int, sent: Json) -> AssociatedJob:
    job = dict_of(sent)
    job_id, name, scope, owner = (job.get(member) for member in ("id", "name", "object_type", "object_tag"))
    if not is_integer(job_id) or not isinstance(name, (str, type(None))) or not isinstance(owner, str) or not owner:
        raise bad_answer(f"a job in associated_jobs of transformer {number} has no valid id, name or object_tag")
    return AssociatedJob(job_id, name or None, scope if scope in SCOPES else None, owner)


NOUNS = Nouns("transformer", "transformers", "transformer_id")


def view(transformer: Transformer) -> dict[str, Json]:
    """Return a transformer as a result."""
    jobs = transformer.jobs and [
        {"id": job.id, "name": job.name, "scope": job.scope, **({f"{job.scope}_id": job.owner} if job.scope else {})}
        for job in transformer.jobs
    ]
    return {
        "id": transformer.id,
        "name": transformer.name,
        "description": transformer.description,
        "dataset": transformer.dataset,
        "sql": None if transformer.sql is None else normal(transformer.sql),
        "version": transformer.version,
        "created_at": transformer.created_at,
        "updated_at": transformer.updated_at,
        "associated_jobs": None if jobs is None else list(jobs),
    }


def plan(desired: DesiredTransformer, state: TransformerState) -> Plan:
    """Return the plan that deletes, creates or updates the transformer, or leaves it unchanged; refuse it if a sample failed."""
    made = _deletion(state.transformer) if not desired.present else _presence(desired, state.transformer)
    results = [judge(sample, delivered) for sample, delivered in zip(desired.samples, state.delivered, strict=False)]
    result = {**made.result, "samples": results}
    return made._replace(result=result, refused=refusal(results, desired.samples) if results else "")


def _deletion(transformer: Transformer | None) -> Plan:
    result: dict[str, Json] = {"transformer": None}
    if transformer is None:
        return Plan(before={}, after={}, result=result, basis={"transformer": None})
    if transformer.jobs is None:
        raise bad_answer(
            f"transformer {transformer.id} has no associated_jobs, so that it is not known whether jobs still use {transformer.name!r}, and"
            " nothing was deleted"
        )
    if transformer.jobs:
        jobs = ", ".join(f"{job.label} ({job.name})" if job.name else job.label for job in transformer.jobs)
        raise conflict(
            f"state: the transformer {transformer.name!r} (id {transformer.id}) is used by the jobs {jobs}, and the service deletes none that is used."
            " Detach it from these jobs first."
        )
    return Plan(
        before=_managed(transformer),
        after={},
        result=result,
        requests=(Request("transformers.delete", ids={"transformer_id": transformer.id}),),
        basis={"id": transformer.id, **_managed(transformer)},
    )


def _managed(transformer: Transformer) -> dict[str, Json]:
    return {"name": transformer.name, "description": transformer.description, "sql": normal(transformer.sql or "")}


def _requested(desired: DesiredTransformer) -> dict[str, Json]:
    """Return the members of a desired transformer whose options are not omitted."""
    members = {"description": desired.description, "sql": None if desired.sql is None else normal(desired.sql)}
    return {name: value for name, value in members.items() if value is not None}


def _presence(desired: DesiredTransformer, transformer: Transformer | None) -> Plan:
    if transformer is None:
        return _creation(desired)
    present = _managed(transformer)
    after = {"name": desired.name or transformer.name, **_requested(desired)}
    before = {name: present[name] for name in after}
    changes_sql = before.get("sql") != after.get("sql")
    # A PUT without a description clears it, and each one with a query makes a version.
    body: dict[str, Json] = {"name": after["name"], "description": after.get("description", transformer.description)}
    if changes_sql:
        body["code"] = desired.sql
    # None: any job may refer to it.
    labels = None if transformer.jobs is None else tuple(sorted(job.label for job in transformer.jobs))
    operation = "transformers.replace" if changes_sql else "transformers.update"
    request = Request(operation, ids={"transformer_id": transformer.id}, body=body, creates=changes_sql, digested=_digested(body))
    return Plan(
        before=before,
        after=after,
        result={"transformer": {**view(transformer), **after}},
        requests=() if before == after else (request,),
        # Whom a new query concerns is a part of what is approved.
        basis={"id": transformer.id, **before, **({"jobs": None if labels is None else list(labels)} if changes_sql else {})},
        effects=(Effect(CHANGE_TRANSFORMER, transformer.name, labels),) if changes_sql and labels != () else (),
    )


def _digested(body: t.Mapping[str, Json]) -> dict[str, Json]:
    """Return a body as it is approved: blanks at the ends of lines of a query do not matter."""
    return {name: normal(str(value)) if name == "code" else value for name, value in body.items()}


def _creation(desired: DesiredTransformer) -> Plan:
    if desired.transformer_id is not None:
        raise Failure(
            NOT_FOUND,
            f"transformer_id: there is no transformer {desired.transformer_id} in this account; without transformer_id, name creates one.",
        )
    if desired.sql is None:
        raise invalid_option("sql", f"is required to create the transformer {desired.name!r}, which does not exist yet")
    after = {"name": desired.name, **_requested(desired)}
    made = Transformer(0, desired.name or "", desired.description or "", None, None, None, (), desired.sql)
    body: dict[str, Json] = {"name": desired.name, "code": desired.sql}
    if desired.description:
        body["description"] = desired.description
    return Plan(
        before={},
        after=after,
        result={"transformer": {**view(made), "id": None}},
        requests=(Request("transformers.create", body=body, creates=True, digested=_digested(body)),),
        basis={"transformer": None},
    )


def conclude(desired: DesiredTransformer, state: TransformerState, plan: Plan, answers: t.Sequence[Answer]) -> Conclusion:
    """Return what the service shows after the write; raise `bad_response` if that differs from the plan.

    The last answers are the query and its versions, read again.
    """
    request = plan.requests[0]
    if request.body is None:
        return Conclusion(plan.result)
    written, content, versions = answers
    transformer = parse_transformer(written.result)._replace(
        sql=parse_content(content.result), version=parse_version(versions.result)
    )
    if transformer.jobs is None:
        # No job can refer to a new one.
        transformer = transformer._replace(jobs=state.transformer.jobs if state.transformer else ())
    expected, id_of_path = dict_of(plan.after), request.ids.get("transformer_id")
    if id_of_path is not None and transformer.id != id_of_path:
        raise bad_answer(f"transformer {id_of_path} was written, but the answer contains transformer {transformer.id}")
    managed = _managed(transformer)
    if wrong := [name for name in expected if expected[name] != managed[name]]:
        raise written_otherwise(f"transformer {transformer.id}", wrong)
    return Conclusion({**plan.result, "transformer": view(transformer)})


def parse_content(sent: Json) -> str:
    """Return the query in an answer."""
    sql = dict_of(sent).get("content")
    if not isinstance(sql, str) or not sql.strip():
        raise bad_answer(
            f"the query of a transformer is {'empty' if isinstance(sql, str) else f'{json_type(sql)}, not a string'}"
        )
    return sql


def parse_version(sent: Json) -> int | None:
    """Return the newest of the listed versions, None if the service lists none."""
    if sent is None:
        return None
    numbers = [dict_of(version).get("version") for version in sent] if isinstance(sent, list) else [None]
    known = [number for number in numbers if is_integer(number)]
    if len(known) < len(numbers):
        raise bad_answer("a version of a transformer has no number")
    return max(known, default=None)
