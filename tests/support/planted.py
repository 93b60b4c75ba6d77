# SPDX-License-Identifier: GPL-3.0-or-later

"""Secrets that contain no piece of any other text, and the search for pieces of them."""

import base64
import random
import re
import string
import typing as t
from urllib.parse import quote, quote_plus

# A piece of this length counts as a leak, because half a secret must not be shown either.
PIECE = 8
_LENGTH = 12
_ALPHABET = string.ascii_lowercase + string.digits
# Only these runs of characters can contain a piece.
_RUNS = re.compile(f"[{_ALPHABET}]{{{PIECE},}}")


class Plants:
    """Makes secrets, the same for the same seed, and finds pieces of them in text."""

    def __init__(self, seed: int) -> None:
        self._chance = random.Random(seed)
        self._pieces: dict[str, str] = {}
        self._base64: dict[str, str] = {}

    def plant(self, place: str, joint: str = "") -> str:
        """Return a new secret, with the name of its place for messages; `joint` are characters in it that URLs, JSON or headers encode."""
        halves = ["".join(self._chance.choices(_ALPHABET, k=_LENGTH)) for _half in range(2)]
        for half in halves:
            for start in range(_LENGTH - PIECE + 1):
                self._pieces[half[start : start + PIECE]] = place
        secret = joint.join(halves)
        self._base64[base64.b64encode(secret.encode()).decode().rstrip("=")[:-1]] = place
        return secret

    def encoded(self, place: str, text: str) -> None:
        """Search for the base64 form of a text, too."""
        self._base64[base64.b64encode(text.encode()).decode()] = place

    def found(self, text: str) -> list[str]:
        """Return where the found secrets were planted, with the text around each piece."""
        hits: dict[str, int] = {}
        for run in _RUNS.finditer(text):
            for start in range(run.start(), run.end() - PIECE + 1):
                place = self._pieces.get(text[start : start + PIECE])
                if place is not None:
                    hits.setdefault(place, start)
        hits.update({f"{place} in base64": text.find(form) for form, place in self._base64.items() if form in text})
        return [f"{place}: ...{text[max(0, at - 160) : at + 60]!r}" for place, at in hits.items()]


def destinations(plants: Plants, when: str) -> dict[str, str]:
    """Return a destination of each type, in several spellings, with a secret in each place that can hold one."""
    plant = plants.plant

    def part(place: str, joint: str = "", encode: t.Callable[[str], str] = lambda text: quote(text, safe="")) -> str:
        return encode(plant(f"{when} {place}", joint))

    return {
        "s3": f"s3://bucket/logs?region=eu-west-1&access-key-id=AKIAREADABLE&secret-access-key={part('s3 secret', '/+')}",
        "s3, encoded name": f"s3://bucket/logs?region=eu-west-1&Secret%2DAccess%2DKey={part('s3 key', '/', quote_plus)}",
        "https": f"https://{part('https user')}:{part('https password', '@:')}@logs.example/in"
        f"?header_Authorization=Basic%20{part('https header', '=')}&header_X-Any={part('https other header', ' ', quote_plus)}",
        "sumo": f"sumo://endpoint.sumologic.example/receiver/v1/http/{part('sumo path', '==')}",
        "splunk": f"splunk://splunk.example:8088/services/collector/raw?channel=c1&header_Authorization=Splunk%20{part('splunk')}",
        "datadog": f"datadog://http-intake.datadog.example/v1/input?header_DD-API-KEY={part('datadog', '-')}&service=edge",
        "azure": f"azure://account.blob.example/container/logs?sv=2022-11-02&sig={part('azure', '/+=')}",
        "other": f"r2://bucket/a?account-id=a1&my_Password={part('password', '%')}&accessToken={part('token')}&key={part('key')}",
    }
