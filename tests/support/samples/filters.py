# SPDX-License-Identifier: GPL-3.0-or-later

"""Filter expressions as data."""

import typing as t

Expression = dict[str, t.Any]


def of(operator: str, value: t.Any, key: str = "a") -> Expression:
    """Return one condition."""
    return {"key": key, "operator": operator, "value": value}


def both(*children: Expression) -> Expression:
    return {"and": list(children)}


def either(*children: Expression) -> Expression:
    return {"or": list(children)}
