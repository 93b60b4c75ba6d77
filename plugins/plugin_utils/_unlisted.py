# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

# The inventory files whose zones could not be listed, or not all of them. Ansible only warns of them, and runs with the hosts of other files. The
# processes of tasks are forks of the one that reads inventories, so that they know of these, too.
FILES: set[str] = set()
