# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import json
import typing as t

from .._baseline.entries import Baseline
from .._core import BAD_RESPONSE, PERMISSION, Failure, Json
from .._destination import CHANGED
from .._logpush import job as logpush_job
from .._logpush.changes import meaning
from .._logpush.health import DISABLED, FAILING, HEALTHY, NEVER, STALE, UNKNOWN
from .._observed import Observed, Unknown
from .._policy.parse import read_policy
from .._redact import MASK
from .._text import dict_of
from .facts import Change, Target
from .state import NOTHING, Identity, Job, Known, Rule, Script

Scripts = t.Mapping[Identity, Script]
Jobs = t.Mapping[int, Job]
ContentRules = t.Mapping[str, Rule]
# The events of states of a job's health.
_TROUBLE = {FAILING: "job_failing", DISABLED: "job_disabled", STALE: "job_stale"}


class Rules(t.NamedTuple):
    """What decides beside the states: whether a first look sends no events, the baseline of scripts, and the day of the poll in UTC."""

    silent: bool
    baseline: Baseline
    today: str = ""


class Seen(t.NamedTuple):
    """The result of one look at a zone or account; None for parts that are not watched.

    Rules may be unknown: a plan or a token that never could read them watches none, and one that no longer can hides what changes. Scripts are
    unknown while the monitor is off, which lists none although they are on the pages.
    """

    scripts: Scripts | Unknown | None = None
    jobs: Jobs | None = None
    monitor: bool | None = None
    fields: t.Mapping[str, Json] | None = None
    rules: Observed[ContentRules] | None = None


def compare(known: Known | None, seen: Seen | Failure, target: Target, rules: Rules) -> tuple[Known, list[Change]]:
    """Return the state to store and the changes. A zone or account that could not be read completely is not compared."""
    before = known or NOTHING
    seen = seen if isinstance(seen, Failure) else _complete(before, seen)
    if isinstance(seen, Failure):
        after = {"error": {"kind": seen.kind, "message": str(seen)}}
        changes = [Change(f"{target.scope}_unreadable", target.id, None, after)] if before.readable else []
        return before._replace(readable=False), changes
    changes = [] if before.readable else [Change(f"{target.scope}_readable", target.id, None, None)]
    now = before._replace(readable=True)
    if isinstance(seen.scripts, Unknown):
        # What the monitor sees once it is on is compared with what was known before.
        now = now._replace(scripts=before.scripts or {})
    elif seen.scripts is not None:
        scripts, new_changes = compare_scripts(before.scripts, seen.scripts, rules)
        now, changes = now._replace(scripts=scripts), changes + new_changes
    if seen.jobs is not None:
        jobs, new_changes = compare_jobs(before.jobs, seen.jobs, rules)
        now, changes = now._replace(jobs=jobs), changes + new_changes
    # Settings that were never read before have not changed.
    if seen.monitor is not None:
        if before.monitor not in (None, seen.monitor):
            old, new = {"enabled": before.monitor}, {"enabled": seen.monitor}
            changes.append(Change("monitor_changed", "script_monitor", old, new))
        now = now._replace(monitor=seen.monitor)
    if seen.fields is not None:
        if before.fields not in (None, seen.fields):
            changes.append(Change("fields_changed", "custom_fields", before.fields, seen.fields))
        now = now._replace(fields=seen.fields)
    if seen.rules is not None and not isinstance(seen.rules, Unknown):
        after_rules, new_changes = compare_rules(before.rules, seen.rules.value)
        now, changes = now._replace(rules=after_rules), changes + new_changes
    return now, changes


def _complete(before: Known, seen: Seen) -> Seen | Failure:
    """Return what was seen, or why it is less than what is known."""
    if isinstance(seen.rules, Unknown) and before.rules is not None:
        return Failure(seen.rules.kind or PERMISSION, seen.rules.message)
    scripts = {} if seen.scripts is None or isinstance(seen.scripts, Unknown) else seen.scripts
    if hidden := _hidden_now(before.scripts or {}, scripts):
        text = f"the service does not show the URL or the host of {len(hidden)} of {len(scripts)} scripts any more"
        return Failure(BAD_RESPONSE, f"{text}, so that they cannot be told from scripts that are gone.")
    return seen


def compare_rules(known: ContentRules | None, seen: ContentRules) -> tuple[ContentRules, list[Change]]:
    """Return the content security rules to store and the changes; what was never read before has not changed."""
    remembered = {}
    for number, rule in seen.items():
        was = known.get(number) if known else None
        violated = rule.violated
        if violated is None and was is not None and was.violated is not None:
            # What was reported is kept while the service does not show it, or not all of it.
            violated = was.violated | frozenset(rule.details)
        elif violated is None and was is None and known is not None:
            # Of a new rule everything is new, also what the service shows later.
            violated = frozenset(rule.details)
        remembered[number] = rule._replace(violated=violated)
    if known is None:
        return remembered, []
    changes = []
    for number in sorted({**known, **remembered}):
        old, new = known.get(number), remembered.get(number)
        one, other = (None if side is None else dict(side.members) for side in (old, new))
        subject = str((other or one or {}).get("description") or number)
        if _meaning_of_rule(one) != _meaning_of_rule(other):
            changes.append(Change("rule_changed", subject, one, other))
        # Of a rule that the last poll did not have, everything is new.
        reported = old.violated if old else frozenset[str]()
        if new and reported is not None:
            for report in sorted(set(new.violated or ()) - reported):
                after_report = {"rule": subject, "action": new.members.get("action"), **dict_of(new.details.get(report))}
                changes.append(Change("rule_violated", subject, None, after_report))
    return remembered, changes


def _meaning_of_rule(rule: t.Mapping[str, Json] | None) -> Json:
    """Return the members of a rule without the spelling of its policy."""
    policy = None if rule is None else read_policy(str(rule.get("value")))
    return rule if rule is None or policy is None else {**rule, "directives": None, "value": policy.text}


# Members of a listed script that help to react to an event.
_SHOWN_OF_SCRIPT = (
    "script_id",
    "status",
    "js_integrity_score",
    "malicious_reasons",
    "first_seen_at",
    "fetched_at",
    "seen_on_first",
)


def compare_scripts(known: Scripts | None, seen: Scripts, rules: Rules) -> tuple[Scripts, list[Change]]:
    """Return the scripts to store and the changes; a first listing gives no event or one for each script."""
    stored = known or {}
    remembered = {identity: _remembered_script(stored.get(identity), script) for identity, script in seen.items()}
    if known is None and rules.silent:
        return remembered, []
    changes = [
        change
        for identity in sorted(remembered)
        for change in _script_changes(identity, stored.get(identity), remembered[identity], rules)
    ]
    gone = sorted(stored.keys() - remembered.keys())
    changes += [Change("script_gone", subject_of(identity), _show_script(identity, stored[identity]), None) for identity in gone]
    return remembered, changes


def _hidden_now(known: Scripts, seen: Scripts) -> list[Identity]:
    """Return the scripts without a visible URL or host that may be known ones, which a listing no longer shows by URL and host."""
    missing = known.keys() - seen.keys()
    hidden = [identity for identity in seen.keys() - known.keys() if not (identity[1] and _is_url(identity))]
    return [event for event in hidden if any(_may_be(event, other) for other in missing)]


def _is_url(identity: Identity) -> bool:
    """Return whether a script is known by its URL, and not by its identifier."""
    return ":" in identity[0]


def _may_be(hidden: Identity, known: Identity) -> bool:
    return (not _is_url(hidden) or hidden[0] == known[0]) and (not hidden[1] or hidden[1] == known[1])


def subject_of(identity: Identity) -> str:
    """Return the subject of events about a script: URL and host as JSON."""
    return json.dumps(identity, separators=(",", ":"), ensure_ascii=False)


def _remembered_script(before: Script | None, now: Script) -> Script:
    """Return the script to store; it keeps its last hashes and verdict while the service omits them, so that changes are found later."""
    if before is None:
        return now
    return now._replace(
        hashes=now.hashes or before.hashes, malicious=before.malicious if now.malicious is None else now.malicious
    )


def _script_changes(identity: Identity, before: Script | None, now: Script, rules: Rules) -> t.Iterator[Change]:
    details = {name: now.details[name] for name in _SHOWN_OF_SCRIPT if name in now.details}
    after = {**_show_script(identity, now), **details}
    was = None if before is None else _show_script(identity, before)

    def change(kind: str) -> Change:
        return Change(kind, subject_of(identity), was, after)

    if before is None and not rules.baseline.authorises(identity[0], identity[1] or None, rules.today):
        yield change("script_new")
    if before is not None and before.hashes and set(now.hashes) - set(before.hashes):
        yield change("script_changed")
    if now.malicious and not (before and before.malicious):
        yield change("script_malicious")
    if set(now.reported) - set(before.reported if before else ()):
        yield change("script_reported")


def _show_script(identity: Identity, script: Script) -> dict[str, Json]:
    url, host = identity
    return {
        "script_url": url,
        "host": host,
        "hash": script.hashes[0] if script.hashes else None,
        "hashes": list(script.hashes),
        "malicious": script.malicious,
        "reported": list(script.reported),
    }


def compare_jobs(known: Jobs | None, seen: Jobs, rules: Rules) -> tuple[Jobs, list[Change]]:
    """Return the jobs to store and the changes; a first listing gives no event or one for each job."""
    stored = known or {}
    remembered = {number: _remembered_job(stored.get(number), job) for number, job in seen.items()}
    if known is None and rules.silent:
        return remembered, []
    names, old_names = _job_labels(remembered), _job_labels(stored)
    changes = [
        change for number in sorted(remembered) for change in _job_changes(names[number], stored.get(number), remembered[number])
    ]
    gone = sorted(stored.keys() - remembered.keys())
    changes += [Change("job_deleted", old_names[number], _show_job(stored[number]), None) for number in gone]
    return remembered, changes


def _job_labels(jobs: Jobs) -> dict[int, str]:
    identities = [
        logpush_job.Identity(str(job.members.get("name") or ""), str(job.members.get("dataset")), number)
        for number, job in jobs.items()
    ]
    return dict(zip(jobs, logpush_job.labels(identities), strict=True))


def _remembered_job(before: Job | None, now: Job) -> Job:
    """Return the job to store; it keeps its last health while the service shows none, and its trouble until it delivers.

    Without a last delivery a job looks as if it had never delivered, which ends no trouble.
    """
    is_kept = before and (now.health == UNKNOWN or (now.health == NEVER and before.health in _TROUBLE))
    return now._replace(health=before.health) if before and is_kept else now


def _job_changes(subject: str, before: Job | None, now: Job) -> t.Iterator[Change]:
    after = {**now.members, "health": dict(now.details)}
    was = None if before is None else _show_job(before)
    if before is None:
        yield Change("job_created", subject, None, after, now.destination)
    elif _is_changed(before, now):
        secret = before.destination != now.destination and before.members.get("destination") == now.members.get("destination")
        marks = ({"destination_secret": MASK}, {"destination_secret": CHANGED}) if secret else ({}, {})
        yield Change("job_changed", subject, {**(was or {}), **marks[0]}, {**after, **marks[1]}, now.destination)
    if now.health in _TROUBLE and (before is None or before.health != now.health):
        yield Change(_TROUBLE[now.health], subject, was, after, now.destination)
    elif now.health == HEALTHY and before is not None and before.health in _TROUBLE:
        yield Change("job_recovered", subject, was, after, now.destination)


def _is_changed(before: Job, now: Job) -> bool:
    """Return whether a user changed the job; if the service disabled it, that is another event."""
    is_disabled = now.health == DISABLED and before.members.get("enabled") and not now.members.get("enabled")
    left_out = {"enabled"} if is_disabled else set()
    return before.destination != now.destination or any(
        meaning(name, before.members.get(name)) != meaning(name, now.members.get(name))
        for name in {*before.members, *now.members} - left_out
    )


def _show_job(job: Job) -> dict[str, Json]:
    return {**job.members, "health": {"state": job.health}}
