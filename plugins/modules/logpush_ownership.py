#!/usr/bin/python
# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

DOCUMENTATION = r"""
module: logpush_ownership
short_description: Prove the ownership of a log delivery (Logpush) destination
version_added: 1.0.0
author:
  - edgeops.observability contributors (@edgeops)
description:
  - Without O(ownership_challenge) the module requests a challenge from Cloudflare. The service writes a file with a token to the destination, and the
    module returns its name. Each run writes another file, and reports a change.
  - With O(ownership_challenge) the module validates this token, which changes nothing.
  - Read the token from the file and set it as O(edgeops.observability.logpush_job#module:ownership_challenge) of M(edgeops.observability.logpush_job).
    It is valid for the zone and the exact text of O(destination_conf), and expires after 7 days.
extends_documentation_fragment:
  - edgeops.observability.connection
  - edgeops.observability.connection.address
  - edgeops.observability.attributes
attributes:
  check_mode:
    details:
      - Nothing is sent, and the members of the result are V(null).
  idempotent:
    support: partial
    details:
      - Validating a token changes nothing. Each request of a challenge writes another file.
options:
  destination_conf:
    description:
      - The destination of the job, as V(SCHEME://ADDRESS?OPTIONS), up to 4096 characters. It may contain credentials and is masked.
      - Requesting a proof that Cloudflare does not require is a warning, see O(edgeops.observability.logpush_job#module:ownership_challenge).
    type: str
    required: true
  ownership_challenge:
    description: The token to validate, up to 4096 characters. It is masked.
    type: str
notes:
  - A destination or a token that is not valid fails with the kind V(rejected), also if Cloudflare returns HTTP status 200.
  - A request without a response is not repeated, and fails with the kind V(unavailable).
  - With Cloudflare, this needs an API token with the permission Logs Write.
seealso:
  - module: edgeops.observability.logpush_job
"""

EXAMPLES = r"""
- name: Request a challenge
  edgeops.observability.logpush_ownership:
    zone_id: 023e105f4ecef8ad9ca31a8372d0c353
    destination_conf: s3://example-bucket/http/{DATE}?region=us-west-2
  register: challenge

- name: Show where the file with the token lies
  ansible.builtin.debug:
    msg: "{{ challenge.ownership.message | default(challenge.ownership.filename, true) }}"

- name: Validate the token
  edgeops.observability.logpush_ownership:
    zone_id: 023e105f4ecef8ad9ca31a8372d0c353
    destination_conf: s3://example-bucket/http/{DATE}?region=us-west-2
    ownership_challenge: "{{ ownership_token }}"
  when: ownership_token is defined
"""

RETURN = r"""
zone_id:
  description: The id of the zone, also if O(zone_name) names it.
  returned: if the task is about a zone
  type: str
  sample: 023e105f4ecef8ad9ca31a8372d0c353
account_id:
  description: The id of the account.
  returned: if the task is about an account
  type: str
  sample: 9a7806061c88ada191ed06f989cc3dac
ownership:
  description: The response of the service. In check mode all members are V(null), because nothing is sent.
  returned: success
  type: dict
  contains:
    filename:
      description: Name of the file with the token at the destination, as the service returns it. It may contain C({DATE}), see RV(ownership.message).
      type: str
      returned: if O(ownership_challenge) is omitted
      sample: http/{DATE}/ownership-challenge-4ba0b3f1.txt
    valid:
      description: Whether the challenge could be written, or the token is valid. V(false) is a failure.
      type: bool
      sample: true
    message:
      description: >-
        The message of the service, and if RV(ownership.filename) contains C({DATE}), under which date the file lies, which is the day of the request in UTC.
      type: str
      returned: if O(ownership_challenge) is omitted
      sample: "The file lies under the date of the request in UTC, in place of {DATE}: http/20260302/ownership-challenge-4ba0b3f1.txt"
error:
  description: Why the task failed, as data for a playbook.
  returned: failure
  type: dict
  sample: {kind: rejected, method: POST, path: /zones/023e105f4ecef8ad9ca31a8372d0c353/logpush/ownership, status: 400,
    errors: [{code: 1002, message: error validating destination}], request_id: 8a1f0c6d5e4b3a21-FRA, attempts: 1}
"""

from ansible_collections.edgeops.observability.plugins.module_utils._supported import check_supported

check_supported()

import datetime
import typing as t

from ansible_collections.edgeops.observability.plugins.module_utils._address import ALL_ADDRESSES
from ansible_collections.edgeops.observability.plugins.module_utils._api.client import Client
from ansible_collections.edgeops.observability.plugins.module_utils._core import Answer, Conclusion, Plan
from ansible_collections.edgeops.observability.plugins.module_utils._engine.module import run_module
from ansible_collections.edgeops.observability.plugins.module_utils._engine.task import Spec, StateTask
from ansible_collections.edgeops.observability.plugins.module_utils._logpush.ownership import (
    Proof,
    conclude,
    desire,
    plan,
    secrets,
)


class LogpushOwnership(StateTask[Proof, str]):
    name = "logpush_ownership"
    spec = Spec(
        options={
            "destination_conf": {"type": "str", "required": True, "no_log": True},
            "ownership_challenge": {"type": "str", "no_log": True},
        },
    )
    addresses = ALL_ADDRESSES
    approvable = False

    desire = staticmethod(desire)
    plan = staticmethod(plan)
    secrets = staticmethod(secrets)

    def read(self, client: Client, desired: Proof) -> str:
        """Return the date, under which a challenge is written; the service offers no way to read one."""
        return f"{datetime.datetime.now(datetime.timezone.utc):%Y%m%d}"

    def conclude(self, desired: Proof, state: str, plan: Plan, answers: t.Sequence[Answer]) -> Conclusion:
        return conclude(desired, answers[0], state)


TASK = LogpushOwnership()


def main() -> None:
    run_module(TASK)


if __name__ == "__main__":
    main()
