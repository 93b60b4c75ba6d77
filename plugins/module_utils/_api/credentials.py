# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t

from ansible_collections.edgeops.observability.plugins.module_utils._api.connection import Connection
from ansible_collections.edgeops.observability.plugins.module_utils._api.http.libraries import AuthBase
from ansible_collections.edgeops.observability.plugins.module_utils._errors import invalid_option

if t.TYPE_CHECKING:
    from requests import PreparedRequest


class Credentials(AuthBase):
    """Sets the headers that authenticate. Being given as `auth`, it also keeps requests from looking into netrc files."""

    def __init__(self, connection: Connection) -> None:
        if connection.token:
            self._headers = {"Authorization": f"Bearer {_header_value('api_token', connection.token)}"}
        elif connection.email and connection.key:
            self._headers = {
                "X-Auth-Email": _header_value("api_email", connection.email),
                "X-Auth-Key": _header_value("api_key", connection.key),
            }
        else:
            raise invalid_option("api_token", "give api_token, or api_email together with api_key")

    def __call__(self, request: PreparedRequest) -> PreparedRequest:
        request.headers.update(self._headers)
        return request


def _header_value(option: str, value: str) -> str:
    # Refused here because the library's own complaint would quote the value.
    if not all("!" <= character <= "~" for character in value):
        raise invalid_option(option, "holds white space or characters that an HTTP header cannot carry")
    return value
