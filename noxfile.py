# SPDX-License-Identifier: GPL-3.0-or-later

"""The targets of the Makefile under the name that users of nox look for: `nox -s check`. Each has its own environments."""

import nox

nox.options.sessions = ["check"]


def _offer(target: str, description: str) -> None:
    def run(session: nox.Session) -> None:
        session.run("make", target, external=True)

    run.__doc__ = description
    nox.session(run, name=target, python=False)


_offer("check", "Lint, types, units, lists and promises: less than a minute.")
_offer("test", "Every gate, on the oldest and the newest ansible-core.")
_offer("test-all", "Every gate, on every supported ansible-core.")
_offer("docs", "Build the documentation site.")
_offer("release-check", "Whether version, changelog and package could be published.")
