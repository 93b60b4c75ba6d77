# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations


class ModuleDocFragment:
    """The options of modules that use the script monitor, and of those that judge its scripts."""

    DOCUMENTATION = r"""
options:
  route:
    description:
      - The route of the script monitor in the API. Results have the same names for both routes.
      - Cloudflare renamed V(script_monitor) to V(page_shield) in 2022, and its API no longer has the old routes.
      - V(auto) tries V(page_shield) first if the host of O(base_url) is C(api.cloudflare.com), and V(script_monitor) first otherwise. The
        other one is tried once if the first does not exist (status 405, or 404 with code 7000 or 7003 or without a code).
    type: str
    choices: [auto, script_monitor, page_shield]
    default: auto
"""

    VERDICT = r"""
options:
  malicious_threshold:
    description:
      - The score that separates malicious scripts from others. A score that equals it is not malicious.
      - If omitted, it depends on the route that answered - V(50) for V(script_monitor), and V(10) for V(page_shield).
    type: int
  malicious_when:
    description:
      - On which side of O(malicious_threshold) a score means malicious. If omitted, it depends on the route that answered - V(above) for
        V(script_monitor), and V(below) for V(page_shield), where 1 is malicious and 99 is clean.
    type: str
    choices: [above, below]
"""
