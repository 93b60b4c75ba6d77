# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from edgeops_simulator.front.call import Answer, Call
from edgeops_simulator.front.routing import ACCOUNT, Routes
from edgeops_simulator.refusal import Refusal
from edgeops_simulator.schemas import bodies
from edgeops_simulator.schemas.answers import COUNT, TEXT, array, record, ref
from edgeops_simulator.state import transformers as state
from edgeops_simulator.state.part import Document

_CODE = 1004
_MAX_BYTES = 10_240
routes = Routes(f"{ACCOUNT}/logpush/transformers", codes=(_CODE, _CODE))
_ONE = "/{transformer_id}"


def _shown(call: Call, transformer: Document) -> Document:
    shown = {name: value for name, value in transformer.items() if name != "code"}
    return {**shown, "associated_jobs": state.jobs_of(call.service, call.account, transformer["id"])}


def _transformer(call: Call) -> Document:
    text = call.ids["transformer_id"]
    found: Document | None = (
        call.account.transformers.get(int(text)) if text.isascii() and text.isdigit() and len(text) < 19 else None
    )
    if found is None:
        raise Refusal(404, _CODE, f"transformer {text!r} not found")
    return found


def _check_size(code: str) -> None:
    if len(code.encode("utf-8", "replace")) > _MAX_BYTES:
        raise Refusal(413, _CODE, f"code is larger than {_MAX_BYTES} bytes")


@routes("GET", "", "listTransformers", result=array(ref("Transformer")))
def list_transformers(call: Call) -> Answer:
    return Answer([_shown(call, transformer) for transformer in call.account.transformers.values()])


@routes("POST", "", "createTransformer", body=bodies.NEW_TRANSFORMER, result=ref("Transformer"), status=201)
def create_transformer(call: Call) -> Answer:
    _check_size(call.body["code"])
    return Answer(_shown(call, state.create(call.account, call.body)), status=201)


@routes("GET", _ONE, "getTransformer", result=ref("Transformer"))
def get_transformer(call: Call) -> Answer:
    return Answer(_shown(call, _transformer(call)))


@routes("GET", f"{_ONE}/content", "getTransformerContent", result=record({"content": TEXT}))
def get_content(call: Call) -> Answer:
    return Answer({"content": _transformer(call)["code"]})


@routes("PUT", _ONE, "updateTransformer", body=bodies.TRANSFORMER, result=ref("Transformer"))
def put_transformer(call: Call) -> Answer:
    transformer = _transformer(call)
    _check_size(call.body.get("code") or "")
    return Answer(_shown(call, state.update(transformer, call.body)))


@routes("DELETE", _ONE, "deleteTransformer", result=record({"id": COUNT}), also=(409,))
def delete_transformer(call: Call) -> Answer:
    transformer = _transformer(call)
    if state.jobs_of(call.service, call.account, transformer["id"]):
        raise Refusal(409, _CODE, f"transformer {transformer['id']} is used by a job")
    del call.account.transformers[transformer["id"]]
    return Answer({"id": transformer["id"]})
