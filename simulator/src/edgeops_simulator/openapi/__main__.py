# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import json
import sys

from edgeops_simulator.openapi import description

if __name__ == "__main__":
    json.dump(description("http://127.0.0.1/client/v4"), sys.stdout, indent=2)
    sys.stdout.write("\n")
