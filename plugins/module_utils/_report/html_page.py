# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import base64
import hashlib
import sys
import typing as t

from ansible_collections.edgeops.observability.plugins.module_utils._errors import INVALID_OPTION, Failure
from ansible_collections.edgeops.observability.plugins.module_utils._plan import Json
from ansible_collections.edgeops.observability.plugins.module_utils._report.page import page_of
from ansible_collections.edgeops.observability.plugins.module_utils._report.page_template import STYLE, TEMPLATE


def render(report: t.Mapping[str, Json]) -> bytes:
    """The report as one page that loads nothing and runs nothing."""
    digest = base64.b64encode(hashlib.sha256(STYLE.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{digest}'"
    return str(_template().render(page=page_of(report), style=_Trusted(STYLE), policy=_Trusted(policy))).encode()


class _Trusted(str):
    """Our own text, which the template takes as it is."""

    __slots__ = ()

    def __html__(self) -> str:
        return str(self)


def _template() -> t.Any:
    try:
        from jinja2 import Environment, StrictUndefined  # noqa: PLC0415  # only this format needs it
    except ImportError as error:
        raise Failure(
            INVALID_OPTION,
            f"formats: html needs the Python library Jinja2, which {sys.executable} lacks ({error}). Run the task on the"
            " controller, where ansible-core brings it along, or leave html out of formats.",
        ) from None
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=False, keep_trailing_newline=True)
    return environment.from_string(TEMPLATE)
