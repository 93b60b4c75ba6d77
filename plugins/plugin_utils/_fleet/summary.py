# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t

from ...module_utils._address import without_ids
from ...module_utils._core import Conclusion, Json
from ...module_utils._difference import Difference
from ...module_utils._engine.task import Params, Spec
from ...module_utils._text import dict_of, line, list_of
from .._diff import fold
from .._play.hosts import Play, PlayTask, patterns_of
from .._play.results import MAX_LINE, Zone
from .._report.findings import differences
from .._report.lines import difference_text
from .._variables.table import RESULT
from .._words import MIN_FOLDED, count_hosts, hosts_such_as
from .plan import diff_of
from .rails import NOTHING_WRITTEN

# How a delivery ended: the state of each zone.

CHANGED, UNCHANGED, FAILED, NOT_REACHED = STATES = ("changed", "unchanged", "failed", "not_reached")
_WORDS = {NOT_REACHED: "not reached"}


class End(t.NamedTuple):
    """How a delivery to a zone ended; `reason` is why it fails."""

    state: str
    reason: str = ""
    zone: Zone | None = None


class Names(t.NamedTuple):
    """A play, and the names of the variables in which the tasks of its delivery were registered."""

    play: Play
    plan: str
    result: str


class DeliverySummary(PlayTask[Names]):
    name = "delivery_summary"
    spec = Spec(options={"plan": {"type": "str", "required": True}, "registered": {"type": "str", "default": RESULT}})

    def desire(self, params: Params, play: Play) -> Names:
        return Names(play, params["plan"], params["registered"] or RESULT)

    def report(self, desired: Names) -> Conclusion:
        play = desired.play
        ends = {name: _end(name, play, desired) for name in play.hosts}
        names: dict[str, Json] = {
            f"{state}_zones": [name for name, end in ends.items() if end.state == state] for state in STATES
        }
        failed_hosts: dict[str, Json] = {name: without_ids(end.reason) for name, end in ends.items() if end.reason}
        plans = [dict_of(play.variables.of(name).get(desired.plan)) for name in play.hosts]
        refusal = next((str(plan["msg"]) for plan in plans if plan.get("refused") and "msg" in plan), "")
        # With a plan, the diff was shown before anything was written.
        is_shown = any(plan.get("plan_ids") for plan in plans)
        written = [end.zone for end in ends.values() if end.zone] if play.diff and not is_shown else []
        return Conclusion(
            {
                "lines": [*diff_of(written), *_lines(play, ends), *_closing(refusal)],
                **names,
                "failed_hosts": failed_hosts,
                "hosts": patterns_of(failed_hosts, play.hosts),
            }
        )


def _end(name: str, play: Play, names: Names) -> End:
    """Return how the delivery to a zone ended. What the plan was to write is a prediction until the zone is reached, so not `changed`."""
    plan = dict_of(play.variables.of(name).get(names.plan))
    refused = dict_of(plan.get("refused"))
    zone = play.zone(name, names.result)
    is_predicted, is_changed = name in dict_of(plan.get("plan_ids")), name in list_of(plan.get("changed_zones"))
    if name in refused:
        return End(FAILED, line(str(refused[name]), MAX_LINE))
    if zone is None and is_predicted and (not is_changed or (play.check_mode and not refused)):
        return End(CHANGED if is_changed else UNCHANGED)  # its task was skipped, because nothing is written
    if zone is not None and zone.error:
        return End(NOT_REACHED, "the zone could not be reached") if zone.is_unreached else End(FAILED, zone.error)
    if zone is not None and zone.differs and refused:
        return End(NOT_REACHED)  # by the fault of other zones
    if zone is None or (zone.differs and not zone.changed and not play.check_mode):
        return End(NOT_REACHED, "the zone was not reached, because the run stopped before")
    return End(CHANGED if zone.differs else UNCHANGED, zone=zone)


def _lines(play: Play, ends: t.Mapping[str, End]) -> t.Iterator[str]:
    check_mode = play.check_mode
    states = [end.state for end in ends.values()]
    verb = "would be changed" if check_mode else "changed"
    words = {**_WORDS, CHANGED: verb}
    counts = ", ".join(f"{states.count(state)} {words.get(state, state)}" for state in STATES)
    yield f"{count_hosts(map(play.scope, ends))}: {counts}"
    pairs = [(name, part) for name, end in ends.items() for part in _parts(end)]
    for names, (state, difference, text) in fold(pairs, key=_key, least=MIN_FOLDED):
        who = hosts_such_as(names, map(play.scope, names))
        many = len(names) > 1
        if state == NOT_REACHED:
            yield f"{who} {'were' if many else 'was'} not reached"
        else:
            reason = without_ids(text) if many else text
            what = reason if difference is None else difference_text(difference, applied=not check_mode)
            yield line(f"{who} {words.get(state, state)}{': ' if what else ''}{what}", MAX_LINE)


class _Part(t.NamedTuple):
    """What a line says of a zone: its state with a difference, or with a text."""

    state: str
    difference: Difference | None
    text: str


def _parts(end: End) -> list[_Part]:
    if end.state == FAILED:
        return [_Part(FAILED, None, end.reason)]
    if end.state == NOT_REACHED:
        return [_Part(NOT_REACHED, None, "")]
    if end.state == CHANGED and end.zone is not None:
        result = end.zone.result
        return [_Part(CHANGED, difference, "") for difference in differences(result, result.get("listed_jobs") or ())]
    return [_Part(CHANGED, None, "")] if end.state == CHANGED else []


def _key(part: _Part) -> Json:
    return [part.state, part.difference and list(part.difference), without_ids(part.text)]


def _closing(refusal: str) -> t.Iterator[str]:
    """Yield why nothing was written, if the rails refused the plan."""
    if refusal:
        reason, _nothing, consent = refusal.partition(NOTHING_WRITTEN)
        yield line(f"{NOTHING_WRITTEN} {reason.rstrip()}", MAX_LINE - len(consent)) + line(consent)
