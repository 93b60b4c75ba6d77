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
    """A query, which reads only; errors come with HTTP 200 unless the settings want the status that is documented."""
    from edgeops_simulator.analytics import query  # noqa: PLC0415 - takes longer to import than the rest to start

    found, status = query.answer(call.service, call.body)
    return Answer(found, status if call.settings.graphql_error_status else 200, bare=True)
