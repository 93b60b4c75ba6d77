# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations


class ModuleDocFragment:
    """Attributes of the modules."""

    DOCUMENTATION = r"""
attributes:
  check_mode:
    description: Can run in C(check_mode) and return changed status prediction without modifying the target.
    support: full
    details:
      - Check mode sends only C(GET) requests, and predicts the result, the diff and the plan of the real run. So it detects drift from the desired state.
  diff_mode:
    description: Will return details on what has changed (or possibly needs changing in C(check_mode)), when in diff mode.
    support: full
    details: The diff contains only what the module manages and no secrets, and is the same in check mode and in the real run.
  idempotent:
    description:
      - When run twice in a row outside check mode, with the same arguments, the second invocation indicates no change.
      - This assumes that the system controlled or queried by the module has not changed in a relevant way.
    support: full
  platform:
    description: Target OS or families that can be operated against.
    platforms: posix
    support: full
  action_group:
    description: Use C(group/edgeops.observability.zone) in C(module_defaults) to set the connection options of all modules at once.
    support: full
    membership: [edgeops.observability.zone]
  in_process:
    description: Runs inside the worker process of the controller, which saves packaging the module and starting an interpreter.
    support: full
    details:
      - Only with a local connection, without C(become), C(async) and a task C(environment). The variable C(edgeops_in_process=false) turns it off.
      - Options, results, diffs, failures and the masking of secrets are the same as for an ordinary module.
"""

    INFO = r"""
attributes:
  check_mode:
    details: The module only reads, in check mode or otherwise.
  diff_mode:
    support: N/A
    details: The module changes nothing.
"""

    NOTHING = r"""
attributes:
  check_mode:
    details: The module changes nothing, in check mode or otherwise.
  diff_mode:
    support: N/A
    details: The module changes nothing.
  action_group:
    support: none
    membership: []
    details: The module has no connection options.
"""

    LOCAL = r"""
attributes:
  check_mode:
    details:
      - The module also writes its files in check mode, because they are the product of an audit, which is a check run. No change is sent to a service.
  diff_mode:
    support: N/A
    details: The module changes nothing but its own files.
  action_group:
    support: none
    membership: []
    details: The module has no connection options.
"""
