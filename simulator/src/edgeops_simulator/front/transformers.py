# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from edgeops_simulator.delivery import transform
from edgeops_simulator.front.call import Answer, Call
from edgeops_simulator.front.routing import ACCOUNT, Routes
from edgeops_simulator.refusal import Refusal
from edgeops_simulator.schemas import bodies
from edgeops_simulator.schemas.answers import COUNT, TEXT, array, nullable, record, ref
from edgeops_simulator.state import transformers as state
from edgeops_simulator.state.part import Document

_CODE = 1004
_MAX_BYTES = 10_240
_MAX_VERSIONS = 100
routes = Routes(f"{ACCOUNT}/logpush/transformers", codes=(_CODE, _CODE))
_ONE = "/{transformer_id}"
_PREVIEWED = {"anyOf": [nullable({"type": "object"}), array({"type": "object"})]}


def _shown(call: Call, transformer: Document) -> Document:
    members = {name: value for name, value in transformer.items() if name not in ("code", "versions")}
    return {**members, "associated_jobs": _jobs(call, transformer)}


def _jobs(call: Call, transformer: Document) -> list[Document]:
    """Return the jobs of the account and its zones that refer to a transformer."""
    return [
        {"id": job["id"], "name": job.get("name") or "", "object_type": owner.kind, "object_tag": owner.id}
        for owner in call.service.owners_in(call.account)
        for job in owner.jobs.values()
        if job.get("transformer_id") == transformer["id"]
    ]


def _transformer(call: Call) -> Document:
    text = call.ids["transformer_id"]
    transformer: Document | None = (
        call.account.transformers.get(int(text)) if text.isascii() and text.isdigit() and len(text) < 19 else None
    )
    if transformer is None:
        raise Refusal(404, _CODE, f"transformer {text!r} not found")
    return transformer


def _query(call: Call, sql: str) -> transform.Query:
    if len(sql.encode("utf-8", "replace")) > _MAX_BYTES:
        raise Refusal(413, _CODE, f"code is larger than {_MAX_BYTES} bytes")
    return transform.query_of(sql, call.account)


def _check_code(call: Call, sql: str) -> str:
    """Return the dataset of a valid query; without DataFusion, only its size and its dataset are checked."""
    try:
        _query(call, sql).check()
    except transform.BadQuery as problem:
        raise _bad(problem) from None
    except transform.NotInstalled:
        pass
    return transform.dataset_of(sql)


def _bad(problem: transform.BadQuery) -> Refusal:
    return Refusal(400, _CODE, f"invalid SQL: {problem}")


@routes("GET", "", "listTransformers", result=array(ref("Transformer")))
def list_transformers(call: Call) -> Answer:
    return Answer([_shown(call, transformer) for transformer in call.account.transformers.values()])


@routes("POST", "", "createTransformer", body=bodies.NEW_TRANSFORMER, result=ref("Transformer"), status=201)
def create_transformer(call: Call) -> Answer:
    dataset = _check_code(call, call.body["code"])
    return Answer(_shown(call, state.create(call.account.transformers, call.body, dataset)), status=201)


@routes("POST", "/preview", "previewTransformer", body=bodies.PREVIEW, result=_PREVIEWED, also=(501,))
def preview(call: Call) -> Answer:
    """Return what a query makes of one record, without storing anything: the first record or null, or a list of all records."""
    try:
        records = _query(call, call.body["sql"]).run(call.body["input"])
    except transform.NotInstalled as problem:
        raise Refusal(501, _CODE, str(problem)) from None
    except transform.BadQuery as problem:
        raise _bad(problem) from None
    if call.settings.preview_list:
        return Answer(records)
    return Answer(records[0] if records else None)


@routes("GET", _ONE, "getTransformer", result=ref("Transformer"))
def get_transformer(call: Call) -> Answer:
    return Answer(_shown(call, _transformer(call)))


@routes("GET", f"{_ONE}/content", "getTransformerContent", result=record({"content": TEXT}), query={"version_id": COUNT})
def get_content(call: Call) -> Answer:
    transformer = _transformer(call)
    version = call.number("version_id", 0, 0)
    versions = {version["id"]: version["code"] for version in transformer["versions"]}
    if version and version not in versions:
        raise Refusal(404, _CODE, f"version {version} of transformer {transformer['id']} not found")
    return Answer({"content": versions[version] if version else transformer["code"]})


@routes("GET", f"{_ONE}/versions", "listTransformerVersions", result=array(ref("TransformerVersion")), query={"limit": COUNT})
def list_versions(call: Call) -> Answer:
    """List the versions of the query, newest first."""
    versions = reversed(_transformer(call)["versions"])
    listed = [{name: version[name] for name in ("id", "version", "created_at")} for version in versions]
    return Answer(listed[: call.number("limit", _MAX_VERSIONS, 1)])


@routes("PUT", _ONE, "updateTransformer", body=bodies.TRANSFORMER, result=ref("Transformer"))
def put_transformer(call: Call) -> Answer:
    transformer = _transformer(call)
    code = call.body.get("code")
    dataset = _check_code(call, code) if code else transformer["dataset"]
    return Answer(_shown(call, state.update(call.account.transformers, transformer, call.body, dataset)))


@routes("DELETE", _ONE, "deleteTransformer", result=record({"id": COUNT}), also=(409,))
def delete_transformer(call: Call) -> Answer:
    transformer = _transformer(call)
    if _jobs(call, transformer):
        raise Refusal(409, _CODE, f"transformer {transformer['id']} is used by a job")
    del call.account.transformers[transformer["id"]]
    return Answer({"id": transformer["id"]})
