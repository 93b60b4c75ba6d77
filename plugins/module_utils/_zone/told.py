# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import collections
import datetime
import typing as t

from .._address import ACCOUNT, ZONE
from .._core import CONTENT_SECURITY_RULES, SCRIPT_MONITOR, Json
from .._notifications.facts import LOST_JOB, MECHANISMS, NEW_SCRIPTS, SCRIPT_ALERTS, WEBHOOKS, ZONES
from .._observed import Unknown, is_unasked
from .._schema import Rules
from .._text import dict_of, format_time, has_text, list_of, parse_time, plain_id
from .record import ZoneRecord, result_of, value_of

# Who is told of what: for each account the alerts about jobs and scripts, with the policies that tell of them, and the hosts that these
# cover. A pure function of the records of a run and its time.


class ToldPolicy(t.TypedDict):
    """A policy of an alert; `reason` is why it tells nobody, or perhaps nobody, None if nothing is known against it."""

    name: str
    mechanisms: t.Annotated[dict[str, list[str]], Rules("Recipients by type.")]
    last_delivery: t.Annotated[str | None, Rules("When a webhook got something last; null where it is not shown.")]
    reason: t.Annotated[str | None, Rules("Why the policy tells nobody, or not of all.")]


class ToldAlert(t.TypedDict):
    """An alert of an account; the hosts of the run that its policies cover, perhaps cover, and do not cover."""

    account_id: str
    alert_type: str
    policies: t.Annotated[list[ToldPolicy], Rules("The policies of the alert.")]
    covered: t.Annotated[list[str], Rules("Hosts of the run of which a recipient is told.")]
    perhaps: t.Annotated[list[str], Rules("Hosts of the run of which a recipient is perhaps told.")]
    uncovered: t.Annotated[list[str], Rules("Hosts of the run of which no recipient is told.")]


# How sure it is that a policy covers a host, from worst to best.
NOT, UNKNOWN, PERHAPS, COVERED = range(4)


class Cover(t.NamedTuple):
    """How sure it is that a recipient is told, and why not."""

    degree: int
    reason: str = ""


class Gap(t.NamedTuple):
    """An alert that tells nobody of a host (`NOT`), perhaps nobody (`PERHAPS`), or of which that is not known (`UNKNOWN`)."""

    host: str
    scope: str
    alert: str
    degree: int
    message: str


class Told(t.NamedTuple):
    """The table, what is missing in it, and of which alerts of which hosts that is known: scope, name and type of alert."""

    alerts: list[ToldAlert]
    gaps: list[Gap]
    known: list[tuple[str, str, str]]


class _Account(t.NamedTuple):
    """What the record of an account says of its policies; `unread` names the listings that could not be read, `alerts` those it may use."""

    record: ZoneRecord
    policies: list[dict[str, Json]]
    webhooks: t.Mapping[str, t.Mapping[str, Json]] | None
    silences: list[dict[str, Json]] | None
    alerts: t.Collection[str] | None
    unread: tuple[str, ...]


def told(records: t.Sequence[ZoneRecord], at: str) -> Told:
    """Return who is told of what in each account of the run whose policies were asked for, at a time."""
    now = parse_time(at) or datetime.datetime.now(datetime.timezone.utc)
    owners: dict[str, ZoneRecord] = {}
    for record in records:
        if record["scope"] == ACCOUNT and record["account_id"] and not is_unasked(record["notifications"]):
            owners.setdefault(owner_of(record), record)
    zones: dict[str, list[ZoneRecord]] = collections.defaultdict(list)
    for record in records:
        if record["scope"] == ZONE:
            zones[owner_of(record)].append(record)
    made = Told([], [], [])
    for account_id in sorted(owners):
        _add_account(made, owners[account_id], zones[account_id], now)
    return made


def owner_of(record: ZoneRecord) -> str:
    """Return the id of the account of a zone or an account, in the spelling that is compared; "" if it is not known."""
    return (record["account_id"] or "").lower()


def _add_account(made: Told, record: ZoneRecord, zones: t.Sequence[ZoneRecord], now: datetime.datetime) -> None:
    account = _account_of(record)
    with_jobs = [owner for owner in (record, *zones) if value_of(owner["jobs"])]
    monitored = [zone for zone in zones if has_scripts(zone)]
    hidden = [zone for zone in zones if has_scripts(zone) is None]
    if account is None:
        part = record["notifications"]
        reason = part.message if isinstance(part, Unknown) else "the result has no list of policies"
        unread = f"the notification policies of its account could not be read: {reason}"
        made.gaps.extend(Gap(zone["zone"], ZONE, NEW_SCRIPTS, UNKNOWN, unread) for zone in (*monitored, *hidden))
        # Where the read failed, the record of the account says so itself.
        made.gaps.extend([] if isinstance(part, Unknown) else [Gap(record["zone"], ACCOUNT, LOST_JOB, UNKNOWN, unread)])
        return
    # An account without a job in the run may have some in other zones.
    made.known.extend([*([(ACCOUNT, record["zone"], LOST_JOB)] if with_jobs else []), *_known(zones)])
    if account.policies or monitored:
        unsure = [(name, "could not be read") for name in account.unread if name != "available_alerts" or monitored]
        unsure += [("silences", text) for text in _strange_silences(account, now)]
        made.gaps.extend(
            Gap(
                record["zone"],
                ACCOUNT,
                name,
                UNKNOWN,
                f"{name.replace('_', ' ')} {text}, so it is not known for sure who is told",
            )
            for name, text in unsure
        )
    if with_jobs:
        made.gaps.extend(
            _gap(record, LOST_JOB, _best(account, (LOST_JOB,), record, now), "a Logpush job that the service disables")
        )
    for zone in (*monitored, *hidden):
        cover = _best(account, SCRIPT_ALERTS, zone, now)
        if cover.degree == NOT and not _uses_scripts(account):
            if account.alerts is not None:
                continue  # the account may not use such alerts
            cover = Cover(UNKNOWN, "the alerts that the account may use could not be read")
        if cover.degree == NOT and zone in hidden:
            cover = Cover(UNKNOWN, "nobody is, and whether its script monitor is on could not be read")
        made.gaps.extend(_gap(zone, NEW_SCRIPTS, cover, "new or changed scripts"))
    made.alerts.extend(_table(account, with_jobs, monitored, now))


def _known(zones: t.Iterable[ZoneRecord]) -> t.Iterator[tuple[str, str, str]]:
    """Yield the alerts about scripts of zones of which this run knows whether their monitor is on."""
    for zone in zones:
        is_read = isinstance(dict_of(result_of(zone).get(SCRIPT_MONITOR)).get(SCRIPT_MONITOR), dict)
        if has_scripts(zone) is not None and (is_read or value_of(zone["scripts"]) is not None):
            yield ZONE, zone["zone"], NEW_SCRIPTS


def _uses_scripts(account: _Account) -> bool:
    """Return whether the account may use alerts about scripts, as far as it is known."""
    return bool(account.alerts and set(SCRIPT_ALERTS).intersection(account.alerts)) or any(
        policy.get("alert_type") in SCRIPT_ALERTS for policy in account.policies
    )


def _gap(host: ZoneRecord, alert: str, cover: Cover, words: str) -> t.Iterator[Gap]:
    if cover.degree == COVERED:
        return
    starts = {
        NOT: f"nobody is notified of {words}",
        UNKNOWN: f"it is not known whether anybody is notified of {words}",
        PERHAPS: f"perhaps nobody is notified of {words}",
    }
    yield Gap(
        host["zone"], host["scope"], alert, cover.degree, starts[cover.degree] + (f": {cover.reason}" if cover.reason else "")
    )


def _account_of(record: ZoneRecord) -> _Account | None:
    """Return what was read of the notifications of an account; None if its policies were not."""
    result = value_of(record["notifications"]) or {}
    policies = result.get("notification_policies")
    if not isinstance(policies, list):
        return None
    listings = {name: result.get(name) for name in ("webhooks", "silences")}
    offered = result.get("available_alerts")
    # An account without any alert is not known to exist.
    alerts = set(offered) if isinstance(offered, dict) and offered else None
    unread = [name for name, listing in listings.items() if not isinstance(listing, list)] + (
        [] if alerts else ["available_alerts"]
    )
    hooks, silences = listings["webhooks"], listings["silences"]
    return _Account(
        record,
        [dict_of(policy) for policy in policies],
        {plain_id(dict_of(hook).get("id")): dict_of(hook) for hook in hooks} if isinstance(hooks, list) else None,
        [dict_of(silence) for silence in silences] if isinstance(silences, list) else None,
        alerts,
        tuple(unread),
    )


def has_scripts(zone: ZoneRecord) -> bool | None:
    """Return whether the script monitor of a zone is on; None if the run asked, and it could not be read. What it did not ask is off.

    An audit of the scripts looks at the monitor first, also where nothing else of the run does. Of a prediction counts what it starts from.
    """
    managed = dict_of(result_of(zone).get(SCRIPT_MONITOR))
    part = managed.get(SCRIPT_MONITOR)
    if part is None and (audit := value_of(zone["scripts"])) is not None and audit.get("findings") is not None:
        return not any(finding.get("kind") == "monitor_off" for finding in audit["findings"] or ())
    if part is None:
        return None if any(name in (SCRIPT_MONITOR, "scripts") for name, _reason in zone["unreadable"]) else False
    enabled = {**dict_of(part), **_before(managed)}.get("enabled")
    return enabled if isinstance(enabled, bool) else None


def is_told_of(zone: ZoneRecord) -> bool:
    """Return whether a zone has something that alerts are about: jobs, or scripts, as far as it is known."""
    jobs = value_of(zone["jobs"])
    return bool(jobs) or has_scripts(zone) is not False


def _table(
    account: _Account, with_jobs: t.Sequence[ZoneRecord], monitored: t.Sequence[ZoneRecord], now: datetime.datetime
) -> t.Iterator[ToldAlert]:
    named = {str(policy.get("alert_type")) for policy in account.policies}
    for alert in (LOST_JOB, *SCRIPT_ALERTS):
        hosts = with_jobs if alert == LOST_JOB else monitored
        if alert not in named and not (hosts and (alert == LOST_JOB or alert in (account.alerts or ()))):
            continue
        degrees = {host["zone"]: _best(account, (alert,), host, now).degree for host in hosts}
        by_degree = {
            degree: sorted(host for host, its in degrees.items() if its in degree)
            for degree in ((COVERED,), (PERHAPS, UNKNOWN), (NOT,))
        }
        covered, perhaps, uncovered = by_degree.values()
        yield {
            "account_id": str(account.record["account_id"]),
            "alert_type": alert,
            "policies": [_shown(account, policy, now) for policy in account.policies if policy.get("alert_type") == alert],
            "covered": covered,
            "perhaps": perhaps,
            "uncovered": uncovered,
        }


def _shown(account: _Account, policy: t.Mapping[str, Json], now: datetime.datetime) -> ToldPolicy:
    recipients = _mechanisms(policy)
    hooks = [dict_of((account.webhooks or {}).get(plain_id(number))) for number in recipients[WEBHOOKS]]
    names = [str(hook.get("name") or number) for hook, number in zip(hooks, recipients[WEBHOOKS], strict=True)]
    deliveries = [time for hook in hooks if (time := parse_time(hook.get("last_success")))]
    cover = _sends(account, policy, now)
    reason = cover.reason or _filters_text(policy)
    return {
        "name": str(policy.get("name")),
        "mechanisms": {**recipients, WEBHOOKS: names},
        "last_delivery": format_time(max(deliveries)) if deliveries else None,
        "reason": reason or None,
    }


def _filters_text(policy: t.Mapping[str, Json]) -> str:
    """Return what restricts a policy, for people."""
    filters = {name: values for name, values in dict_of(policy.get("filters")).items() if values}
    return f"only for its filters: {', '.join(sorted(filters))}" if filters else ""


def _best(account: _Account, alerts: t.Collection[str], host: ZoneRecord, now: datetime.datetime) -> Cover:
    """Return how sure it is that a policy for one of these alerts tells a recipient of a host, and what is against the best of them."""
    covers = [
        (_covers(account, policy, host, now), str(policy.get("name")))
        for policy in account.policies
        if policy.get("alert_type") in alerts
    ]
    best = max((cover.degree for cover, _name in covers), default=NOT)
    reasons = [f"policy {name!r}: {cover.reason}" for cover, name in covers if cover.degree == best and cover.reason]
    return Cover(
        best,
        "; ".join(reasons[:_MAX_REASONS]) + (f" and {len(reasons) - _MAX_REASONS} more" if len(reasons) > _MAX_REASONS else ""),
    )


_MAX_REASONS = 3


def _covers(account: _Account, policy: t.Mapping[str, Json], host: ZoneRecord, now: datetime.datetime) -> Cover:
    """Return whether a policy tells a recipient of a host: the worse of whether it sends at all, and whether its filters take the host in."""
    return min(_sends(account, policy, now), _takes_in(policy, host), key=lambda cover: cover.degree)


def _sends(account: _Account, policy: t.Mapping[str, Json], now: datetime.datetime) -> Cover:
    if policy.get("enabled") is not True:
        return Cover(NOT, "it is disabled")
    return min(_is_loud(account, policy, now), _reaches(account, policy, now), key=lambda cover: cover.degree)


def _is_loud(account: _Account, policy: t.Mapping[str, Json], now: datetime.datetime) -> Cover:
    """Return whether no silence of a policy is in force."""
    if account.silences is None:
        return Cover(UNKNOWN, "whether it is silenced could not be read")
    spans = [_span(silence) for silence in account.silences if plain_id(silence.get("policy_id")) == plain_id(policy.get("id"))]
    for span in spans:
        if span and span[0] <= now < span[1]:
            return Cover(NOT, f"it is silenced until {format_time(span[1])}")
    return Cover(UNKNOWN, "when it is silenced cannot be told") if None in spans else Cover(COVERED)


def _span(silence: t.Mapping[str, Json]) -> tuple[datetime.datetime, datetime.datetime] | None:
    """Return from when to when a silence is in force; None if that cannot be told. The zero time of the service is no end."""
    start, end = parse_time(silence.get("start_time")), parse_time(silence.get("end_time"))
    return None if start is None or end is None or end <= start else (start, end)


def _strange_silences(account: _Account, now: datetime.datetime) -> t.Iterator[str]:
    """Yield that silences are in force, or may be, of policies that are not listed: of deleted ones, or of listed ones in another spelling."""
    known = {plain_id(policy.get("id")) for policy in account.policies}
    others = [silence for silence in account.silences or () if plain_id(silence.get("policy_id")) not in known]
    spans = [(_span(silence), str(silence.get("policy_id"))) for silence in others]
    named = sorted({number for span, number in spans if span is None or span[0] <= now < span[1]})
    if named:
        yield f"in force are of policies that are not listed ({', '.join(repr(number[:40]) for number in named[:3])})"


def _mechanisms(policy: t.Mapping[str, Json]) -> dict[str, list[str]]:
    mechanisms = dict_of(policy.get("mechanisms"))
    return {name: [target for target in list_of(mechanisms.get(name)) if has_text(target)] for name in MECHANISMS}


def _reaches(account: _Account, policy: t.Mapping[str, Json], now: datetime.datetime) -> Cover:
    """Return whether a recipient gets what a policy sends; only of webhooks is it known that a delivery failed."""
    recipients = _mechanisms(policy)
    if any(values for name, values in recipients.items() if name != WEBHOOKS):
        return Cover(COVERED)
    if not recipients[WEBHOOKS]:
        return Cover(NOT, "it has no recipient")
    if account.webhooks is None:
        return Cover(UNKNOWN, "whether its webhooks work could not be read")
    return max(
        (_works(account.webhooks.get(plain_id(number)), number, now) for number in recipients[WEBHOOKS]),
        key=lambda cover: cover.degree,
    )


# The clocks of the service and of this machine may differ by so much.
_MAX_AHEAD = datetime.timedelta(minutes=5)


def _works(webhook: t.Mapping[str, Json] | None, number: str, now: datetime.datetime) -> Cover:
    if webhook is None:
        return Cover(UNKNOWN, f"its webhook {number} is not listed")
    name, failed, delivered = webhook.get("name"), webhook.get("last_failure"), webhook.get("last_success")
    failure, success = parse_time(failed), parse_time(delivered)
    if (failed is not None and failure is None) or (delivered is not None and success is None):
        return Cover(UNKNOWN, f"when its webhook {name!r} failed last cannot be told")
    if success is not None and success > now + _MAX_AHEAD:
        return Cover(
            UNKNOWN, f"the last delivery to its webhook {name!r} is dated {format_time(success)}, which is in the future"
        )
    if failure is not None and (success is None or success < failure):
        return Cover(NOT, f"the last delivery to its webhook {name!r} failed ({format_time(failure)})")
    return Cover(COVERED)


def _takes_in(policy: t.Mapping[str, Json], host: ZoneRecord) -> Cover:
    """Return whether the filters of a policy take a host in."""
    if not isinstance(policy.get("filters"), (dict, type(None))):
        return Cover(PERHAPS, "what its filters restrict cannot be told")
    filters = {name: values for name, values in dict_of(policy.get("filters")).items() if values}
    is_about_scripts = policy.get("alert_type") in SCRIPT_ALERTS
    unclear = sorted(name for name in filters if name != ZONES or not is_about_scripts)
    if ZONES in filters and is_about_scripts:
        scope = set(map(plain_id, list_of(filters[ZONES])))
        if plain_id(host["zone_id"] or "") not in scope:
            return Cover(NOT, "its filter zones does not name this zone")
        cover = _has_rule(host)
        if cover.degree == NOT or not unclear:
            return cover
    return Cover(PERHAPS, f"what its filter {', '.join(unclear)} restricts is not known") if unclear else Cover(COVERED)


def _before(part: t.Mapping[str, Json]) -> dict[str, Json]:
    """Return what a part of a zone is before the changes that a task made or predicts; empty where nothing was compared."""
    return dict_of(dict_of(part.get("diff")).get("before"))


def _rules_of(part: t.Mapping[str, Json]) -> list[dict[str, Json]]:
    """Return the content security rules that a zone has, and not those that a task predicts."""
    managed = dict_of(dict_of(part.get("diff")).get("after"))
    listed = [*map(dict_of, list_of(part.get(CONTENT_SECURITY_RULES))), *map(dict_of, list_of(part.get("unlisted_rules")))]
    predicted = {str(rule.get("description")): rule for rule in listed}
    compared = [{**predicted.get(label, {}), **dict_of(rule)} for label, rule in _before(part).items() if rule]
    return [*compared, *(rule for rule in listed if str(rule.get("description")) not in managed)]


def _has_rule(host: ZoneRecord) -> Cover:
    """Return whether a content security rule of a zone logs or enforces: an alert that is scoped to zones watches what rules allow."""
    part = result_of(host).get(CONTENT_SECURITY_RULES)
    if not isinstance(part, dict) or not isinstance(part.get(CONTENT_SECURITY_RULES), list):
        return Cover(PERHAPS, "a scoped alert needs a content security rule of the zone, and rules were not read")
    rules = _rules_of(part)
    if any(rule.get("enabled") is True and rule.get("action") in ("log", "allow") for rule in rules):
        return Cover(COVERED)
    if any(rule and not isinstance(rule.get("enabled"), bool) for rule in rules):
        return Cover(
            PERHAPS, "a scoped alert needs a content security rule of the zone, and whether one is enabled cannot be told"
        )
    return Cover(NOT, "a scoped alert needs a content security rule of the zone, and none is enabled")
