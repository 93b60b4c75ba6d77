# SPDX-License-Identifier: GPL-3.0-or-later

"""Whether a check run predicted what the real run then did."""

from __future__ import annotations

import typing as t

from .outcome import Outcome

# Made by the service once, when it creates something: null until then, and the same ever after.
IDENTITY = frozenset(("id", "rule_id", "ref"))
# Moved by the service whenever it likes: the check run shows what is there now.
MOVING = frozenset(("version", "updated_at", "last_updated", "last_complete", "last_error", "error_message"))
# What means the same in several spellings.
SPELLED = frozenset(("filter", "logpull_options", "output_options"))
ASIDE = ("invocation", "warnings", "plan_id", "diff", "changed", "effects")


def check_predicted(predicted: Outcome, real: Outcome, recreated: bool = False) -> None:
    """Same `changed`, same diff, same plan, same members, same values but for those that only the service can know."""
    for name in ("changed", "diff", "plan_id", "effects"):
        assert predicted.result.get(name) == real.result.get(name), (
            f"{predicted.name}: check mode predicted {name} {predicted.result.get(name)!r}, then it was {real.result.get(name)!r}"
        )
    wrong = list(_differences(_proper(predicted), _proper(real), "", recreated))
    assert not wrong, f"{predicted.name}: " + "; ".join(wrong)


def check_settled(real: Outcome, recheck: Outcome, rerun: Outcome, respelled: bool = False) -> None:
    """A second check run and a second real run find everything as the first one left it, word by word unless the service respells it."""
    aside = SPELLED if respelled else frozenset[str]()
    for again in (recheck, rerun):
        assert again.result.get("changed") is False, f"{again.name} changes again: {again.result.get('diff')}"
        assert not again.writes, f"{again.name} wrote {again.writes}"
        wrong = list(_differences(_proper(real), _proper(again), "", moving=aside))
        assert not wrong, f"{again.name}: not what the first real run returned: " + "; ".join(wrong)
    assert _proper(recheck) == _proper(rerun), f"{rerun.name}: not what the second check run returned"
    assert recheck.result.get("plan_id") == rerun.result.get("plan_id"), f"{rerun.name}: plan_id moved without a cause"


def _proper(outcome: Outcome) -> dict[str, t.Any]:
    return {name: value for name, value in outcome.result.items() if name not in ASIDE and not name.startswith("_ansible")}


def _differences(
    predicted: t.Any, real: t.Any, place: str, recreated: bool = False, moving: frozenset[str] = MOVING
) -> t.Iterator[str]:
    name = place.rpartition(".")[2]
    if name in moving and (name in SPELLED or not isinstance(real, (dict, list))):
        return
    if moving and name in IDENTITY and (predicted is None or recreated):
        return
    if isinstance(predicted, dict) and isinstance(real, dict):
        if set(predicted) != set(real):
            yield f"members of {place or 'the result'}: {sorted(predicted)} and {sorted(real)}"
        for member in set(predicted) & set(real):
            yield from _differences(predicted[member], real[member], f"{place}.{member}", recreated, moving)
    elif isinstance(predicted, list) and isinstance(real, list) and len(predicted) == len(real):
        for index, (one, other) in enumerate(zip(predicted, real, strict=True)):
            yield from _differences(one, other, f"{place}[{index}]", recreated, moving)
    elif predicted != real or isinstance(predicted, bool) != isinstance(real, bool):
        yield f"{place}: {predicted!r} predicted, {real!r} found"
