# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t

from ...module_utils._address import ACCOUNT
from ...module_utils._core import invalid_option
from ...module_utils._pages.tree import missing_parser
from ...modules.page_audit import TASK
from .._host_variables import Host
from .._in_process import InProcessAction
from .records import scope_of_host

# The pages of the hosts of a play.

VARIABLE = "edgeops_pages"


class PageAction(InProcessAction):
    """Audits pages; those that a variable gives must be of a zone."""

    task = TASK

    def _completed(self, options: t.Mapping[str, t.Any], host: Host) -> tuple[dict[str, t.Any], dict[str, str]]:
        completed = super()._completed(options, host)
        if not self._task.args.get("pages") and completed[0].get("pages") and scope_of_host(host) == ACCOUNT:
            raise invalid_option(VARIABLE, "the pages of a zone are audited, and this host is an account")
        return completed


def refuse_without_parser(hosts: t.Iterable[Host]) -> None:
    """Raise `invalid_option` if a host has pages, and the library that reads them is missing."""
    missing = missing_parser(VARIABLE)
    if missing and any(host.option(VARIABLE) for host in hosts):
        raise missing
