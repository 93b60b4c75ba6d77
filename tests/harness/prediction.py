# SPDX-License-Identifier: GPL-3.0-or-later

"""Compare a check run with the real run that it predicts, and check that further runs change nothing."""

import dataclasses
import re
import typing as t

from .outcome import Entry, Outcome, Report

# Set by the service once, when it creates an object: null in the prediction, and never changed later.
IDENTITY = frozenset(("id", "rule_id", "ref", "dataset", "created_at", "created", "type", "compared"))
# May be changed by the service at any time: the check run returns the current value.
MOVING = frozenset(("version", "updated_at", "last_updated", "last_complete", "last_error", "error_message", "modified"))
MOVING |= {"last_success", "last_failure"}
# Values with several spellings of one meaning.
SPELLED = frozenset(("filter", "logpull_options", "output_options", "fields", "timestamp_format", "option_flags"))
# Violations are read only before a plan that enforces more; their window ends at the time of the run.
ASKED = re.compile(r"\.violations(\.|$)")
CLOCK = re.compile(r"\.violations\.(.*\.)?(since|until)$")
ASIDE = ("invocation", "warnings", "plan_id", "diff", "changed", "effects")


@dataclasses.dataclass(frozen=True)
class Converged:
    """The four runs of one desired state: check, real, check, real."""

    report: Report
    predicted: Outcome
    applied: Outcome
    rechecked: Outcome
    reapplied: Outcome

    @property
    def result(self) -> dict[str, t.Any]:
        """Return the result of the first real run."""
        return self.applied.result

    @property
    def diff(self) -> dict[str, t.Any]:
        """Return the diff of the first real run, which equals that of the first check run."""
        return t.cast("dict[str, t.Any]", self.applied.result["diff"])

    @property
    def writes(self) -> list[Entry]:
        """Return the write requests of the first real run."""
        return self.applied.writes

    def check(self) -> None:
        """The first real run changes exactly what the check run predicted, and later runs change nothing."""
        name = self.applied.name
        assert self.result["changed"] is True, f"{name}: changed is {self.result['changed']}"
        assert self.writes, f"{name}: nothing was written"
        check_predicted(self.predicted, self.applied)
        check_settled(self.applied, self.rechecked, self.reapplied)
        assert self.result["plan_id"] != self.reapplied.result["plan_id"], f"{name}: an applied plan still matches"


def check_predicted(predicted: Outcome, real: Outcome) -> None:
    """`changed`, `diff`, `plan_id` and the members are equal, and so are values except those that only the service can know."""
    for name in ("changed", "diff", "plan_id", "effects"):
        assert predicted.result.get(name) == real.result.get(name), (
            f"{predicted.name}: check mode predicted {name} {predicted.result.get(name)!r}, then it was {real.result.get(name)!r}"
        )
    wrong = list(_differences(_proper(predicted), _proper(real), "", MOVING))
    assert not wrong, f"{predicted.name}: " + "; ".join(wrong)


def check_settled(real: Outcome, recheck: Outcome, rerun: Outcome, respelled: bool = False) -> None:
    """Later runs change nothing and return the result of the first real run; `respelled`: the service may rewrite some values."""
    aside = SPELLED if respelled else frozenset[str]()
    for again in (recheck, rerun):
        assert again.result.get("changed") is False, f"{again.name} changes again: {again.result.get('diff')}"
        assert not again.writes, f"{again.name} wrote {again.writes}"
        wrong = list(_differences(_proper(real), _proper(again), "", aside))
        assert not wrong, f"{again.name}: not what the first real run returned: " + "; ".join(wrong)
    assert _proper(recheck) == _proper(rerun), f"{rerun.name}: not what the second check run returned"
    assert recheck.result.get("plan_id") == rerun.result.get("plan_id"), f"{rerun.name}: plan_id moved without a cause"


def _proper(outcome: Outcome) -> dict[str, t.Any]:
    return {name: value for name, value in outcome.result.items() if name not in ASIDE and not name.startswith("_ansible")}


def _differences(predicted: t.Any, real: t.Any, place: str, moving: frozenset[str]) -> t.Iterator[str]:
    name = place.rpartition(".")[2]
    if CLOCK.search(place) or (moving is not MOVING and ASKED.search(place)):
        return
    if name in moving and (name in SPELLED or not isinstance(real, (dict, list))):
        return
    if moving and name in IDENTITY and predicted is None:
        return
    if isinstance(predicted, dict) and isinstance(real, dict):
        if set(predicted) != set(real):
            yield f"members of {place or 'the result'}: {sorted(predicted)} and {sorted(real)}"
        for member in set(predicted) & set(real):
            yield from _differences(predicted[member], real[member], f"{place}.{member}", moving)
    elif isinstance(predicted, list) and isinstance(real, list) and len(predicted) == len(real):
        for index, (one, other) in enumerate(zip(predicted, real, strict=True)):
            yield from _differences(one, other, f"{place}[{index}]", moving)
    elif predicted != real or isinstance(predicted, bool) != isinstance(real, bool):
        yield f"{place}: {predicted!r} predicted, {real!r} found"
