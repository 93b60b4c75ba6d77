# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from edgeops_simulator.front.call import Answer, Call
from edgeops_simulator.front.routing import Routes
from edgeops_simulator.schemas import bodies
from edgeops_simulator.schemas.answers import GRAPHQL

PATH = "/graphql"
routes = Routes(PATH)


@routes("POST", "", "queryGraphql", body=bodies.GRAPHQL, result=GRAPHQL, bare=True)
def post_query(call: Call) -> Answer:
    """Answer a query; errors have HTTP 200 unless the settings select the documented status."""
    from edgeops_simulator.analytics import query  # noqa: PLC0415 - slow to import, which would delay the start

    result, status = query.answer(call.service, call.body)
    return Answer(result, status if call.settings.graphql_error_status else 200, bare=True)
