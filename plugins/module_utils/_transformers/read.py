# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import dataclasses
import typing as t

from .._api.client import Client, side_by_side
from .._api.response import lacks_route
from .._api.rivals import Created, Listed, Words, look_again
from .._core import INVALID_OPTION, PERMISSION, REJECTED, Answer, Conclusion, Failure, Json, Plan
from .._selection import select
from .._text import dict_of
from .options import DesiredTransformer, TransformerQuery
from .plan import NOUNS, Transformer, TransformerState, parse_content, parse_transformer, parse_version, view
from .samples import Record, Sample, delivered_records

_PARALLEL = 4
_REFUSED_QUERY = 400


def read(client: Client, desired: DesiredTransformer) -> TransformerState:
    """Return the transformer with its query and version, and what the service's preview makes of the samples."""
    everyone = listed(client)
    transformer = select(everyone, NOUNS, desired.name, desired.transformer_id)
    known = frozenset(transformer.id for transformer in everyone)
    if transformer is not None:
        transformer = _with_query(client, transformer)
    sql = desired.sql or (transformer.sql if transformer else None)
    if not desired.present or sql is None:
        return TransformerState(transformer, known=known)
    return TransformerState(transformer, tuple(_preview(client, sample, sql) for sample in desired.samples), known)


def listed(client: Client) -> list[Transformer]:
    """Return all transformers of the account, without their queries."""
    return [parse_transformer(item) for item in client.items("transformers.list", keys=("id",))]


def _with_query(client: Client, transformer: Transformer) -> Transformer:
    content, versions = _details(client, transformer.id)
    return transformer._replace(sql=parse_content(content.result), version=parse_version(versions.result))


def _details(client: Client, transformer_id: int) -> tuple[Answer, Answer]:
    """Return the answers with the query of a transformer and with its versions; None for versions that the service does not list."""
    ids = {"transformer_id": transformer_id}
    content = client.call("transformers.content", ids=ids)
    try:
        return content, client.call("transformers.versions", ids=ids)
    except Failure as failure:
        if failure.kind != PERMISSION and not lacks_route(failure):
            raise
        return content, Answer(None)


def _preview(client: Client, sample: Sample, sql: str) -> tuple[Record, ...]:
    """Return the records that the query makes of the record of a sample; a preview that cannot run is a failure."""
    try:
        answer = client.call("transformers.preview", body={"input": sample.input, "sql": sql}).result
    except Failure as failure:
        if failure.status != _REFUSED_QUERY or failure.kind != REJECTED or lacks_route(failure):
            raise failure.with_note(
                f"The sample {sample.name!r} could not be run, and a test that cannot run has not passed."
            ) from failure
        texts = "; ".join(error["message"] for error in failure.errors if error["message"]) or "no reason given"
        message = f"sql: the service refuses the query for the sample {sample.name!r}: {texts}"
        raise dataclasses.replace(failure, kind=INVALID_OPTION, message=message) from failure
    return delivered_records(answer, sample, sql)


def reread(client: Client, plan: Plan, answers: t.Sequence[Answer]) -> t.Sequence[Answer]:
    """Return the answer to a write, and those with the query and its versions, which only further requests show."""
    if plan.requests[0].body is None:
        return answers
    return (*answers, *_details(client, parse_transformer(answers[0].result).id))


_WORDS = Words(*NOUNS, "logpush_transformer_info")


def verify(client: Client, created: t.Iterable[tuple[TransformerState, Json]]) -> None:
    """List the transformers again after a creation, which another run may have made at the same time."""
    made = [_created(state, dict_of(result)) for state, result in created]
    look_again(
        client, _WORDS, lambda: [Listed(transformer.id, transformer.name, transformer.id) for transformer in listed(client)], made
    )


def _created(state: TransformerState, made: t.Mapping[str, Json]) -> Created:
    number, name = t.cast("int", made["id"]), str(made["name"])
    return Created(number, name, name, f"name {name!r}", lambda other: other not in state.known, number)


def report(client: Client, query: TransformerQuery) -> Conclusion:
    """Return the transformers that match a query, sorted by id."""
    matches = [
        transformer
        for transformer in listed(client)
        if query.name in (None, transformer.name) and query.transformer_id in (None, transformer.id)
    ]
    details = side_by_side(lambda transformer: _with_query(client, transformer), matches, _PARALLEL)
    return Conclusion(
        {"transformers": [view(transformer) for transformer in sorted(details, key=lambda transformer: transformer.id)]}
    )
