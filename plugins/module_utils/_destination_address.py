# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t
from urllib.parse import quote_plus, unquote, unquote_plus

from ._destination import STARS, Destination, Option, Part, PublicDestination, public_destination
from ._destination_schemes import DECIDING, INSECURE, REGION
from ._redact import MASK

# Where a destination delivers, as far as it may be shown: scheme, address, and the readable options that decide.

ROLE = "sts-assume-role-arn"
_OFF = ("", "0", "false")


def address_text(destination: Destination) -> str:
    """Return where a destination delivers, in one text without secrets; what is masked of it cannot be compared."""
    public = public_destination(destination)
    options = "&".join(f"{quote_plus(name, safe='')}={value}" for name, value in _shown(destination))
    return f"{public['scheme']}://{public['address']}{'?' if options else ''}{options}"


def _shown(destination: Destination) -> list[tuple[str, str]]:
    return [(option.name, option.shown) for option in _deciding(destination)]


def _named(destination: Destination) -> list[Option]:
    options = destination.options if destination.sound else ()
    return [option for option in options if option.lower_name in DECIDING and option.value is not None]


def _deciding(destination: Destination) -> list[Option]:
    """Return the options that decide where records go; none of an address that cannot be parsed with confidence.

    A switch that is off is the same as none.
    """
    return [
        option for option in _named(destination) if option.lower_name not in INSECURE or str(option.value).lower() not in _OFF
    ]


def clear_secret(address: Destination) -> str:
    """Return which part of an address that a user gives is one that outputs mask, and is not masked in it; "" if there is none."""
    if address.user not in (None, MASK):
        return "the user information"
    if any(part.text != part.shown for part in address.parts):
        return "a part of the path"
    is_clear = any(unquote_plus(str(option.value)) != unquote_plus(option.shown) for option in _named(address))
    return "the value of an option" if is_clear else ""


def foreign_option(address: Destination) -> bool:
    """Return whether an address has other options than those that decide where records go."""
    return len(_named(address)) != len(address.options)


def leads_to(address: Destination, present: Destination) -> bool:
    """Return whether a destination delivers to an address; what either of them masks is not compared, `region` only if it is given."""
    if not present.sound or address.scheme != present.scheme:
        return False
    if (address.user is None) != (present.user is None) or unquote(address.authority) != unquote(present.authority):
        return False
    parts = list(zip(address.parts, present.parts, strict=False))
    if len(parts) != max(len(address.parts), len(present.parts)) or not all(_same_part(*pair) for pair in parts):
        return False
    ours, theirs = _settings(_deciding(address)), _settings(_deciding(present))
    if not any(option.name.lower() == REGION for option in ours):
        theirs = [option for option in theirs if option.name.lower() != REGION]
    pairs = list(zip(ours, theirs, strict=False))
    return len(ours) == len(theirs) and all(_same_option(*pair) for pair in pairs)


def _settings(options: t.Iterable[Option]) -> list[Option]:
    return sorted(options, key=lambda option: option.name)


def _same_part(mine: Part, its: Part) -> bool:
    return unquote(mine.text) == unquote(its.shown)


def _same_option(mine: Option, its: Option) -> bool:
    if mine.name != its.name or its.value is None or mine.value is None:
        return False
    # Asterisks of the service in place of a readable value are unknown, and equal to no value.
    return unquote_plus(mine.value) == unquote_plus(its.shown)


def has_hidden_account(destination: Destination) -> bool:
    """Return whether a secret part alone decides whose account receives the records."""
    return destination.facts.hidden_account and not any(option.name.lower() == ROLE for option in destination.options)


def is_seen(address: Destination, present: Destination) -> bool:
    """Return whether all that decides where records go is shown, by an address and by the destination that leads to it."""
    texts = (address.user or "", *(part.text for part in address.parts), *(option.value or "" for option in _deciding(address)))
    masked = any(MASK in text for text in texts)
    masked = masked or any(STARS.fullmatch(option.value or "") for option in _deciding(present))
    return not masked and not has_hidden_account(present)


def public_address(address: Destination, present: Destination | None) -> PublicDestination:
    """Return an address as outputs show a destination, with the options of a present one that it does not decide about."""
    declared = public_destination(address)
    if present is None:
        return declared
    public = public_destination(present)
    decided = {option.name for option in _deciding(present) if REGION in declared["options"] or option.name.lower() != REGION}
    options = {name: value for name, value in public["options"].items() if name not in decided}
    made: PublicDestination = {**declared, "options": {**options, **declared["options"]}}
    # Two destinations that differ must not look equal.
    return {**made, "address": f"{made['address']} (changed)"} if made == public else made
