# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import asyncio
import hashlib
import threading
import time
import typing as t

from .._address import ACCOUNT, PAGES_SIDE_BY_SIDE, PER_PAGE, ListedZone, is_selected, query, read_account, read_zone
from .._api.client import Client
from .._content_rules import read as content_rules
from .._content_rules.rule import show as show_rule
from .._core import AUTHENTICATION, BAD_RESPONSE, RATE_LIMITED, REJECTED, UNAVAILABLE, Failure, Json, defect
from .._custom_fields.read import entry_point
from .._custom_fields.result import names_of
from .._destination_secrets import readable_text
from .._logpush.facts import OLDER_FORM, VOLATILE
from .._logpush.health import DISABLED, STALE, Health, health_of
from .._logpush.job import Job as ServiceJob
from .._logpush.job import require_known, view
from .._logpush.read import listed
from .._observed import Cause, Known, Observed, Unknown, unknown
from .._redact import scrub
from .._scripts import listing as scripts
from .._scripts.read import monitor
from .._scripts.read import scripts as list_scripts
from .._text import dict_of, list_of
from .compare import ContentRules, Seen
from .facts import JOBS, SCRIPTS, SETTINGS, Target, with_hosts
from .options import LOGGER, Settings
from .state import Identity, Job, Rule, Script


class Clock(t.NamedTuple):
    """Time, which tests replace: the pause between polls, the time of day, and a clock for durations."""

    sleep: t.Callable[[float], t.Awaitable[None]] = asyncio.sleep
    now: t.Callable[[], float] = time.time
    monotonic: t.Callable[[], float] = time.monotonic


# Members that are derived from others, or that change although no user changed the job.
_LEFT_OUT = frozenset(("filter_explained", "filter_budget", *OLDER_FORM, *VOLATILE))


def look_at(client: Client, settings: Settings, watch: t.Collection[str], now: float) -> Seen:
    """Return the watched parts of the client's zone or account, with its credentials masked; raise `Failure` if one cannot be read."""
    seen = Seen()
    if {SCRIPTS, SETTINGS} & set(watch):
        state = monitor(client, settings.query.route)
        enabled = state.status["enabled"]
        if SETTINGS in watch:
            ruleset = entry_point(client, confirm=False)
            # What a rule has that is disabled or restricted is not logged, or not always.
            fields = names_of([rule for rule in ruleset.own_rules if rule.effective] if ruleset else [])
            seen = seen._replace(monitor=enabled, fields=scrub(fields, client.secrets), rules=see_rules(client))
        if SCRIPTS in watch and SETTINGS in watch and not enabled:
            # Only the settings tell that it is off.
            seen = seen._replace(scripts=Unknown(Cause.MONITOR_OFF, "the script monitor is disabled"))
        elif SCRIPTS in watch:
            on_route = settings.query.on_route(state.route)
            listing = scrub(list_scripts(client, on_route, _refuse_incomplete), client.secrets)
            seen = seen._replace(scripts=see_scripts(scripts.judged(listing, on_route)))
    if JOBS in watch:
        seen = seen._replace(jobs=see_jobs(listed(client), settings.stale_after, now, client.secrets))
    return seen


def _refuse_incomplete(reason: str) -> t.NoReturn:
    text = "A script that is not listed cannot be told from one that is gone, and is never new; to watch the rest alone, omit scripts from watch."
    raise Failure(REJECTED, f"{reason} {text}")


# Days of which violations count; one that was not reported for so long is new when it comes back.
_DAYS_OF_VIOLATIONS = 1


def see_rules(client: Client) -> Observed[ContentRules]:
    """Return the content security rules of a zone by id, unknown if the plan or the token has none; reports are asked for if there are rules."""
    try:
        views = [show_rule(rule) for rule in content_rules.listed(client)]
    except Failure as failure:
        if not content_rules.is_not_offered(failure):
            raise
        return unknown(public(client, failure))
    content_rules.add_violations(client, {client.address.id: views}, _DAYS_OF_VIOLATIONS)
    rules: dict[str, Rule] = {}
    for rule in scrub(views, client.secrets):
        seen = dict_of(rule.pop("violations"))
        reports = {(str(row["directive"]), str(row["source"])): row for row in map(dict_of, list_of(seen["blocked"]))}
        rules[str(rule["id"])] = Rule(rule, frozenset(reports) if seen["available"] else None, reports)
    return Known(rules)


def see_scripts(items: t.Iterable[scripts.Script]) -> dict[Identity, Script]:
    """Return the scripts of a listing by identity; duplicates are joined, with the hashes of all, the latest first."""
    by_identity: dict[Identity, Script] = {}
    for seen in scripts.observe(items):
        same = seen.scripts[::-1]
        verdicts = {item["malicious"] for item in same}
        listed = [item.get("hash") for item in same]
        reported = {report for item in same for report in scripts.reports_of(item)}
        # Without a URL, only the identifier distinguishes two scripts of a host.
        identity = (seen.url or seen.latest["script_id"], seen.host or "")
        by_identity[identity] = Script(
            hashes=tuple(dict.fromkeys(value.lower() for value in listed if isinstance(value, str) and value)),
            malicious=True if True in verdicts else False if False in verdicts else None,
            reported=tuple(sorted(reported)),
            details=seen.latest,
        )
    return by_identity


def see_jobs(items: t.Iterable[ServiceJob], stale_after: int, now: float, secrets: t.Collection[str]) -> dict[int, Job]:
    """Return the jobs of a listing by id, with secrets masked; raise `bad_response` if a member of one cannot be told.

    It decides whether the job changed, and a job that changed at the same time would be told by nobody.
    """
    jobs: dict[int, Job] = {}
    for job in (require_known(job, f"jobs[{index}]") for index, job in enumerate(items)):
        members, health = scrub(view(job), secrets), scrub(health_of(job, stale_after, now), secrets)
        destination = f"{job.id} {job.members['destination_conf']}".encode(errors="replace")
        is_off = health["state"] == DISABLED and not members["error_message"]  # by the user, not by the service
        jobs[job.id] = Job(
            members={name: value for name, value in members.items() if name not in _LEFT_OUT},
            destination=hashlib.sha256(destination).hexdigest()[:32],
            health="off" if is_off else health["state"],
            details=_steady(health),
        )
    return jobs


def _steady(health: Health) -> dict[str, Json]:
    """Return a job's health without its age, so that events of one state have one id."""
    told = {name: value for name, value in health.items() if name != "lag_seconds"}
    return {**told, "message": f"The last delivery was at {told['since']}."} if told["state"] == STALE else told


# Failures that do not show whether the credentials may read a name.
_INCONCLUSIVE = (UNAVAILABLE, RATE_LIMITED, BAD_RESPONSE)
# Cloudflare refuses an unknown e-mail address or key with 403 and this code.
_UNKNOWN_KEY = 9103
# Longer pauses are logged.
_LONG_PAUSE_SECONDS = 5


class Stopped(Exception):
    """Raised in waiting threads when the rulebook ends."""


class Service:
    """Reads zones and accounts; all share connections and the request budget."""

    def __init__(self, settings: Settings, clock: Clock, stop: threading.Event) -> None:
        self._settings = settings
        self._clock = clock
        self._stop = stop
        # Long waits are logged by `_sleep`, once for each poll.
        self._client = Client(settings.connection, sleep=self._sleep, now=clock.now, announce=lambda text: None)
        # By the keys of targets; None if a name cannot be read.
        self._names: dict[str, str | None] = {}
        self._counted = 0
        # What of the options selected no zone in the last listing.
        self._missing = frozenset[str]()
        # At most one line for each poll.
        self._told_of_pause = False

    def learn(self, names: t.Mapping[str, str]) -> None:
        """Add names that were found before, by the keys of the state file."""
        self._names.update(names)

    def list_targets(self, *, at_start: bool = False) -> tuple[Target, ...]:
        """Return what is watched; at the start, raise `Failure` if the service rejects the credentials."""
        discovered: list[Target] = []
        if self._settings.discover is not None:
            discovered = self._discover(self._settings.discover)
        elif at_start:
            self._find_name(self._settings.targets[0], at_start=True)
        return with_hosts([*map(self._with_name, self._settings.targets), *discovered])

    def look(self, target: Target) -> Seen | Failure:
        """Return the watched parts of a zone or account, or why they cannot be read."""
        if target.key not in self._names:
            self._find_name(target)
        client = self._client.at(target.address)
        watch = (JOBS,) if target.scope == ACCOUNT else self._settings.watch
        try:
            return look_at(client, self._settings, watch, self._clock.now())
        except Stopped:
            raise
        except Failure as failure:
            return public(client, failure)
        except Exception as error:  # a defect that one zone meets must not end the watch over the others
            return defect(error)

    def named(self, target: Target) -> Target:
        """Return the target with its name, if that was found after the targets were listed."""
        named = self._with_name(target)
        return target if target.name or not named.name else with_hosts([named])[0]

    def take_count(self) -> int:
        """Return the number of requests since the last call."""
        counted, self._counted = self._counted, self._client.tries
        return self._counted - counted

    def take_warnings(self) -> list[str]:
        """Return the warnings of the client since the last call."""
        self._told_of_pause = False
        said, self._client.warnings[:] = list(dict.fromkeys(self._client.warnings)), []
        return said

    def close(self) -> None:
        self._client.close()

    def _discover(self, filters: t.Mapping[str, t.Any]) -> list[Target]:
        """Return the zones, and if requested the accounts, that the credentials can read and that match the filters."""
        client, chosen = self._client.at(None), filters["account_ids"]
        try:
            listed = client.items("zones.list", query=query(filters), per_page=PER_PAGE, parallel=PAGES_SIDE_BY_SIDE)
            zones = [zone for zone in map(read_zone, listed) if is_selected(zone, filters)]
            accounts: dict[str, str | None] = {}
            if filters["accounts"]:
                of_token = client.items("accounts.list", per_page=PER_PAGE, parallel=PAGES_SIDE_BY_SIDE)
                named = {one["id"]: one["name"] for one in map(read_account, of_token)}
                # One that is named by its id and not listed is watched, too: whether it can be read is then an event.
                accounts = {number: named.get(number) for number in chosen or named}
        except Failure as failure:
            raise public(client, failure) from None
        self._warn_of_missing(filters, zones)
        targets = [
            *(Target(zone["id"], zone["name"]) for zone in zones),
            *(Target(number, name, scope=ACCOUNT) for number, name in accounts.items()),
        ]
        targets = [target._replace(name=scrub(target.name, client.secrets)) for target in targets]
        self._names.update({target.key: target.name for target in targets if target.name})
        return targets

    def _warn_of_missing(self, filters: t.Mapping[str, t.Any], zones: t.Sequence[ListedZone]) -> None:
        """Log which names and accounts of the options select no zone, each once until one does."""
        names = {zone["name"].lower() for zone in zones}
        owners = {zone["account"]["id"] for zone in zones if zone["account"]}
        missing = [f"discover.names: no zone is named {name!r}" for name in filters["names"] if name.lower() not in names]
        if not filters["accounts"]:
            missing += [
                f"discover.account_ids: no zone belongs to {number}" for number in filters["account_ids"] if number not in owners
            ]
        for text in missing:
            if text not in self._missing:
                LOGGER.warning("%s that the credentials can read, or the other filters exclude it.", text)
        self._missing = frozenset(missing)

    def _with_name(self, target: Target) -> Target:
        return target._replace(name=target.name or self._names.get(target.key))

    def _find_name(self, target: Target, *, at_start: bool = False) -> None:
        client = self._client.at(target.address)
        try:
            name = scrub(dict_of(client.call(f"{target.scope}s.get").result).get("name"), client.secrets)
        except Failure as failure:
            if at_start and (_are_unknown(failure) or self._is_refused_everywhere(failure)):
                raise public(client, failure) from None
            if failure.kind in _INCONCLUSIVE:
                return  # read again at the next look; until then the id is used as the name
            name = None
        self._names[target.key] = name if isinstance(name, str) and name else None

    def _is_refused_everywhere(self, failure: Failure) -> bool:
        """Return whether a user's key can read no zone at all; a key, unlike a token, is not limited to some zones."""
        if failure.kind != AUTHENTICATION or not self._settings.connection.email:
            return False
        try:
            self._client.at(None).call("zones.list")
        except Failure as second:
            return second.kind == AUTHENTICATION
        return False

    def _sleep(self, seconds: float) -> None:
        if seconds > _LONG_PAUSE_SECONDS and not self._told_of_pause:
            self._told_of_pause = True
            LOGGER.warning(
                "Waiting %d seconds before the next request, because of request_budget or a limit of the service.", seconds
            )
        if self._stop.wait(seconds):
            raise Stopped


def public(client: Client, failure: Failure) -> Failure:
    """Return the failure with a readable message that contains no secret."""
    located = client.locate(failure)
    kind = AUTHENTICATION if _are_unknown(located) else located.kind
    return Failure(kind, readable_text(scrub(str(located), client.secrets)), status=located.status)


def _are_unknown(failure: Failure) -> bool:
    """Return whether the service does not know the credentials; 403 may mean that they are for other zones."""
    is_unknown_key = any(error.get("code") == _UNKNOWN_KEY for error in failure.errors)
    return is_unknown_key or (failure.kind == AUTHENTICATION and failure.status != 403)
