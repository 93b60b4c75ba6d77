# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t

# The files of a report, sent to where they are kept: an automation controller keeps no files of a job.

_TYPES = {
    ".json": "application/json",
    ".html": "text/html; charset=utf-8",
    ".xml": "application/xml",
    ".md": "text/markdown; charset=utf-8",
    ".prom": "text/plain; charset=utf-8",
}
_TIMEOUT_SECONDS = 60


def send(url: str, headers: t.Mapping[str, str], contents: t.Mapping[str, bytes]) -> list[str]:
    """PUT each file to its name below the URL; return a sentence for each that did not arrive, without headers and without the URL.

    Proxies and the bundle of certificates are those of the environment. A redirect is a failure: it would take the headers along.
    """
    import requests  # noqa: PLC0415  # slow to import, and most reports are not sent

    failures = []
    with requests.Session() as session:
        for name, content in contents.items():
            kind = {"Content-Type": _TYPES[name[name.rindex(".") :]]}
            try:
                answer = session.put(
                    f"{url}/{name}", data=content, headers={**kind, **headers}, timeout=_TIMEOUT_SECONDS, allow_redirects=False
                )
            except (requests.RequestException, ValueError) as error:
                failures.append(f"{name} could not be put to put_url: no answer ({type(error).__name__}).")
                continue
            if not 200 <= answer.status_code < 300:
                failures.append(f"{name} could not be put to put_url: the answer has status {answer.status_code}.")
    return failures
