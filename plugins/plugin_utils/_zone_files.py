# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

# Whether all zones of each inventory file that the plugin was given could be listed. Ansible only warns of a file of which they could not, and runs
# with the hosts that it has. The processes of tasks are forks of the one that reads inventories, so that they know of these, too.
LISTED: dict[str, bool] = {}
