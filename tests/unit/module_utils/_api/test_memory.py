# SPDX-License-Identifier: GPL-3.0-or-later

"""What an answer of at most 16 MiB may cost: measured in a process of its own, whatever shape the answer has."""

import subprocess
import sys

import pytest

MIB = 1024 * 1024
CHILD = """
import resource, sys
from ansible_collections.edgeops.observability.plugins.module_utils._api.response import Unusable, decode, open_envelope
from ansible_collections.edgeops.observability.plugins.module_utils._api.session import MAX_BODY_BYTES
begin, item, end = {begin!r}, {item!r}, {end!r}
body = begin + item * ((MAX_BODY_BYTES - len(begin) - len(end)) // len(item)) + end
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
try:
    open_envelope(decode(body), (list,))
    print("taken", end=" ")
except Unusable as bad:
    print("refused", end=" ")
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""


@pytest.mark.parametrize(
    ("item", "outcome"),
    [
        (b"[],", "refused"),
        (b"[[]],", "refused"),
        (b'{"a":0},', "refused"),
        (b'"ab",', "taken"),
        (b"1.5,", "taken"),
        ('"\N{PILE OF POO}a",'.encode(), "taken"),
        (b'{"abc":"' + b"x" * 200 + b'","d":[1.5]},', "taken"),
    ],
)
def test_no_answer_takes_more_than_300_mb(item, outcome):
    code = CHILD.format(begin=b'{"success":true,"result":[', item=item, end=b"0]}")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    found, kib = done.stdout.split()
    assert found == outcome and int(kib) / 1024 * MIB < 300_000_000
