# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t

from ...module_utils._address import ACCOUNT
from ...module_utils._chain.kinds import PAGES
from ...module_utils._core import invalid_option
from ...modules.page_audit import TASK
from .._host_variables import Host
from .heads import AuditAction
from .records import scope_of_host

# The action of `page_audit`.


class PageAction(AuditAction):
    """Audits pages; those that a variable gives must be of a zone."""

    task = TASK
    kind = PAGES

    def _completed(self, options: t.Mapping[str, t.Any], host: Host) -> tuple[dict[str, t.Any], dict[str, str]]:
        completed = super()._completed(options, host)
        if not self._task.args.get("pages") and completed[0].get("pages") and scope_of_host(host) == ACCOUNT:
            raise invalid_option("edgeops_pages", "the pages of a zone are audited, and this host is an account")
        return completed
