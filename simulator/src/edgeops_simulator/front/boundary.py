# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from edgeops_simulator.front.call import Answer, Call
from edgeops_simulator.front.routing import ACCOUNT, Routes
from edgeops_simulator.schemas import bodies
from edgeops_simulator.schemas.answers import FLAG, TEXTS, nullable, record

routes = Routes(f"{ACCOUNT}/logs/control/cmb")
_BOUNDARY = record({"regions": TEXTS, "allow_out_of_region_access": FLAG})


def _shown(call: Call) -> Answer:
    return Answer({"regions": [], "allow_out_of_region_access": False, **call.account.boundary})


@routes("GET", "/config", "getMetadataBoundary", result=_BOUNDARY)
def get_boundary(call: Call) -> Answer:
    return _shown(call)


@routes("POST", "/config", "setMetadataBoundary", body=bodies.BOUNDARY, result=_BOUNDARY)
def set_boundary(call: Call) -> Answer:
    call.account.boundary.clear()
    call.account.boundary.update({name: value for name, value in call.body.items() if value is not None})
    return _shown(call)


@routes("DELETE", "/config", "deleteMetadataBoundary", result=nullable({"type": "object"}))
def delete_boundary(call: Call) -> Answer:
    call.account.boundary.clear()
    return Answer(None)
