# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from edgeops_simulator.cli import main

if __name__ == "__main__":
    raise SystemExit(main())
