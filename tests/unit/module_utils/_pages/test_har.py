# SPDX-License-Identifier: GPL-3.0-or-later

import pytest
from support.refusals import refusal

from ansible_collections.edgeops.observability.plugins.module_utils._pages.har import parse_har


@pytest.mark.parametrize("content", [b"{", b'{"log": {"entries": [], "entries": []}}', b"[" * 100_000])
def test_file_that_is_no_recording_is_refused(content: bytes) -> None:
    message = "pages[0].har: the file is not a recording: it is not JSON, or has two members of one name"
    assert refusal(parse_har, "pages[0].har", content) == ("invalid_option", message)
