# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from importlib.util import find_spec


class ModuleDocFragment:
    """Which options of the connection are secret, for plugins of an ansible-core that knows secret options, from 2.22 on."""

    _DECLARED = r"""
options:
  api_token:
    secret: true
  api_key:
    secret: true
"""
    # Older versions of validate-modules refuse the key.
    DOCUMENTATION: str = _DECLARED if find_spec("ansible.module_utils.secrets") else "options: {}"
