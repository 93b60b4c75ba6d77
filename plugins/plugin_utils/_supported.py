# SPDX-License-Identifier: GPL-3.0-or-later

import sys

from ansible.errors import AnsibleError

from ..module_utils._supported import CORE, unsupported


def check_supported() -> None:
    """Raise an error if the controller cannot run the collection, before a plugin imports anything that an old Python cannot compile."""
    reason = unsupported(CORE, sys.version_info[:2])
    if reason:
        raise AnsibleError(reason)
