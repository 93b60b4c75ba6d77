# SPDX-License-Identifier: GPL-3.0-or-later

"""What tests of queries need: the engine that runs them in the simulator, which the environment of most tests lacks because it is large."""

import pytest

from edgeops_simulator.delivery.transform import is_installed

needs_engine = pytest.mark.skipif(not is_installed(), reason="needs Apache DataFusion, which the session `transformers` has")
