# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

# Texts of the service that may quote an unknown destination: an earlier one, or that of another client.
import re

from ansible_collections.edgeops.observability.plugins.module_utils._destination.mask import public_destination
from ansible_collections.edgeops.observability.plugins.module_utils._plan import Json
from ansible_collections.edgeops.observability.plugins.module_utils._redact import MASK, clean_text

# Only what has been searched for secrets may be cut.
_MAX_TEXT = 2000

# Tried at the beginning of a word only: anywhere else it would take quadratic time for nothing.
_SCHEME = r"(?<![A-Za-z0-9+.-])([A-Za-z][A-Za-z0-9+.-]*)"
_ADDRESS = re.compile(rf"{_SCHEME}:(?:\\?/){{2}}[^\s\"'<>`]+")
# The same percent-encoded, with or without its slashes; what is behind the scheme then hardly is for reading.
_ENCODED = re.compile(rf"{_SCHEME}(?:%3A(?:%2F|/){{2}}|:(?:%2F){{2}})[^\s\"'<>`]+", re.IGNORECASE)


def without_secrets(text: str) -> str:
    """The text with every address in it as far as it may be read."""
    return _ADDRESS.sub(_public, _ENCODED.sub(rf"\1://{MASK}", text))


def _public(found: re.Match[str]) -> str:
    shown = public_destination(found[0].replace("\\/", "/"))
    options = "&".join(f"{name}={value}" for name, value in shown["options"].items())
    return f"{found[1]}://{shown['address']}{'?' if options else ''}{options}"


def readable_failure(result: dict[str, Json]) -> dict[str, Json]:
    """A failed result whose texts of the service have a readable length, and addresses without their secrets."""
    errors = [{**error, "message": readable_text(error["message"])} for error in result["error"]["errors"]]
    return {**result, "msg": readable_text(result["msg"]), "error": {**result["error"], "errors": errors}}


def readable_text(text: str) -> str:
    """Return what a message or a warning may show of a text: one printable line of a readable length, no address with its secrets."""
    return clean_text(without_secrets(text)[:_MAX_TEXT])
