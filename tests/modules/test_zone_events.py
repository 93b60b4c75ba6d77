# SPDX-License-Identifier: GPL-3.0-or-later

import datetime
import functools
import json
import threading
import typing as t
from pathlib import Path

import pytest
from support.rulebook import Heard, listen

from ansible_collections.edgeops.observability.plugins.module_utils._api.connection import CONNECTION_OPTIONS
from ansible_collections.edgeops.observability.plugins.module_utils._core import Failure
from ansible_collections.edgeops.observability.plugins.module_utils._events import observe, options, source

NAME = "shop.example"
SCRIPT = {"script_id": "1" * 32, "script_url": "https://cdn.example/a.js#x", "host": NAME, "status": "active", "hash": "a" * 64}
OTHER = {**SCRIPT, "script_id": "2" * 32, "script_url": "https://cdn.example/b.js", "status": "infrequent"}
JOB = {"name": "logs", "destination_conf": "s3://bucket/logs?region=r&secret-access-key=planted-secret-1", "enabled": True}

AUTHORISED = {"name": "one", "owner": "payments", "justification": "checkout", "authorised_by": "j.doe"}


def ago(seconds: float) -> str:
    moment = datetime.datetime.now(datetime.timezone.utc) - datetime.timedelta(seconds=seconds)
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


@pytest.fixture
def arguments(simulator: t.Any, zone: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, t.Any]:
    # Each test has its own request budget.
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "budget"))
    simulator.seed(zones=[{"id": zone, "name": NAME, "status": "active"}], script_monitor={zone: {"enabled": True}})
    return {
        "base_url": simulator.base_url,
        "api_token": simulator.token,
        "zones": [zone],
        "state_file": str(tmp_path / "state.json"),
        "retries": 0,
    }


def seeder(simulator: t.Any, zone: str, **members: t.Any) -> t.Callable[[], None]:
    seeds = {name: {zone: value} for name, value in members.items()}
    return functools.partial(simulator.seed, **seeds)


def fields(name: str, **members: t.Any) -> list[dict[str, t.Any]]:
    parameters = {"request_fields": [{"name": name}]}
    rule = {"action": "log_custom_field", "expression": "true", "action_parameters": parameters, **members}
    return [{"phase": "http_log_custom_fields", "rules": [rule]}]


def single_event(received: Heard, poll: int) -> dict[str, t.Any]:
    (event,) = received.polls[poll]
    return t.cast("dict[str, t.Any]", event)


def test_empty_text_means_omitted(
    simulator: t.Any, zone: str, arguments: dict[str, t.Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The connection is then that of the environment."""
    for name, value in simulator.environment().items():
        monkeypatch.setenv(name, value)
    simulator.clear_journal()
    assert listen({**arguments, **dict.fromkeys(CONNECTION_OPTIONS, ""), "interval": "", "watch": ""}).kinds == [[]]
    assert {entry["zone"] for entry in simulator.journal() if entry["zone"]} == {zone}


def test_events_of_each_watched_kind(simulator: t.Any, zone: str, arguments: dict[str, t.Any]) -> None:
    good = {**JOB, "id": 1, "last_complete": ago(60)}
    bad = {**good, "last_error": ago(30), "error_message": "planted-secret-1 was refused"}
    moved = {**bad, "error_message": "denied", "destination_conf": JOB["destination_conf"].replace("secret-1", "secret-2")}
    malicious = {**SCRIPT, "hash": "b" * 64, "js_integrity_score": 90}
    seeder(simulator, zone, scripts=[SCRIPT], jobs=[good])()
    received = listen(
        arguments,
        seeder(simulator, zone, scripts=[SCRIPT, OTHER], jobs=[bad]),
        seeder(simulator, zone, scripts=[malicious], jobs=[moved]),
        seeder(simulator, zone, jobs=[], script_monitor={"enabled": False}, rulesets=fields("x-team")),
        lambda: None,
    )
    assert received.kinds == [
        [],
        ["job_failing", "script_new"],
        ["job_changed", "script_changed", "script_gone", "script_malicious"],
        ["fields_changed", "job_deleted", "monitor_changed"],
        [],
    ]
    assert received.pauses == [300] * 5
    events = {event["edgeops"]["kind"]: event for poll in received.polls for event in poll}
    assert {event["meta"]["hosts"] for event in events.values()} == {NAME}
    members = {kind: event["edgeops"] for kind, event in events.items()}
    changed = members["script_changed"]
    assert changed["zone"] == {"id": zone, "name": NAME}
    assert changed["subject"] == json.dumps(["https://cdn.example/a.js", NAME], separators=(",", ":"))
    assert (changed["before"]["hash"], changed["after"]["hash"]) == ("a" * 64, "b" * 64)
    assert changed["after"]["script_url"] == "https://cdn.example/a.js"
    assert members["script_malicious"]["after"]["malicious_reasons"] == ["js_integrity_score 90 is above 50"]
    assert members["script_gone"]["after"] is None
    assert (members["job_failing"]["subject"], members["job_failing"]["after"]["health"]["state"]) == ("logs", "failing")
    assert members["job_changed"]["after"]["destination_secret"] == "******** (changed)"
    assert members["monitor_changed"]["after"] == {"enabled": False}
    assert members["fields_changed"]["after"]["request_fields"] == ["x-team"]
    state = Path(arguments["state_file"]).read_text(encoding="utf-8")
    assert "planted-secret" not in json.dumps(received.polls) + state
    assert simulator.token not in json.dumps(received.polls) + state


@pytest.mark.parametrize("members", [{"enabled": False}, {"expression": '(http.host eq "a.example")'}])
def test_rule_of_custom_fields_that_no_longer_applies(
    simulator: t.Any, zone: str, arguments: dict[str, t.Any], members: dict[str, t.Any]
) -> None:
    """Nothing is logged by a rule that is disabled, and not everything by one that is restricted."""
    seeder(simulator, zone, rulesets=fields("x-team"))()
    received = listen({**arguments, "watch": ["settings"]}, seeder(simulator, zone, rulesets=fields("x-team", **members)))
    event = single_event(received, 1)["edgeops"]
    assert event["kind"] == "fields_changed"
    assert (event["before"]["request_fields"], event["after"]["request_fields"]) == (["x-team"], [])


@pytest.mark.parametrize(
    ("watch", "kinds"),
    [
        (["scripts", "settings"], [[], ["monitor_changed"], ["monitor_changed", "script_changed"]]),
        # Whoever watches no settings is not told that the monitor is off.
        (["scripts"], [[], ["script_gone"], []]),
    ],
)
def test_scripts_are_known_while_the_monitor_is_off(
    simulator: t.Any, zone: str, arguments: dict[str, t.Any], watch: list[str], kinds: list[list[str]]
) -> None:
    """A monitor that is off sees no script: none is gone, and what changed meanwhile is told when it is on again."""
    entry = {**AUTHORISED, "url": "https://cdn.example/a.js", "authorised_on": datetime.date(2026, 10, 1)}
    seeder(simulator, zone, scripts=[SCRIPT])()
    off = seeder(simulator, zone, scripts=[], script_monitor={"enabled": False})
    on = seeder(simulator, zone, scripts=[{**SCRIPT, "hash": "b" * 64}], script_monitor={"enabled": True})
    assert listen({**arguments, "watch": watch, "script_baseline": [entry]}, off, on).kinds == kinds
    # A zone whose monitor was off at first has no known script, so that each is new.
    off()
    fresh = {**arguments, "watch": watch, "state_file": f"{arguments['state_file']}.new"}
    assert "script_new" in listen(fresh, on).kinds[1]


def test_events_of_content_security_rules(simulator: t.Any, zone: str, arguments: dict[str, t.Any]) -> None:
    """Changed rules are events of `settings`; each report of browsers is sent once, but not if it is older than the start."""
    rule = {"id": "r1", "description": "checkout", "action": "log", "expression": "true", "value": "script-src 'self'"}
    seen = {"policy_id": "r1", "url": "https://cdn.example/{{7}}.js", "host": NAME, "count": 3, "datetime": ago(600)}
    old = {**seen, "url": "https://old.example/x.js"}
    allowed = {**seen, "url": f"https://{NAME}/own.js"}
    seeder(simulator, zone, policies=[rule], violations=[old])()
    received = listen(
        {**arguments, "watch": ["settings"]},
        seeder(simulator, zone, violations=[old, seen, allowed]),
        lambda: simulator.settings(graphql_disabled=["*"]),
        lambda: simulator.settings(graphql_disabled=[]),
        seeder(
            simulator,
            zone,
            policies=[{**rule, "action": "allow"}, {**rule, "id": "r2", "description": "blog"}],
            violations=[old, seen, allowed, {**seen, "policy_id": "r2"}],
        ),
    )
    assert received.kinds == [
        [],
        ["rule_violated", "rule_violated"],
        [],
        [],
        ["rule_changed", "rule_changed", "rule_violated"],
    ]
    # Browsers decide, whatever the policy allows on paper.
    own, violated = sorted((event["edgeops"] for event in received.polls[1]), key=lambda event: "cdn" in event["after"]["source"])
    assert own["after"]["source"] == f"https://{NAME}/own.js"
    assert (
        violated["subject"] == "checkout" and violated["after"]["source"] == "https://cdn.example/%257B%257B7%257D%257D.js"
    ) or (violated["after"]["source"] == "https://cdn.example/%7B%7B7%7D%7D.js")
    assert (violated["after"]["directive"], violated["after"]["action"], violated["after"]["count"]) == ("script-src", "log", 3)
    created, changed, reported = sorted(
        (event["edgeops"] for event in received.polls[4]), key=lambda event: (event["kind"], event["subject"])
    )
    assert (reported["kind"], reported["subject"]) == ("rule_violated", "blog")
    assert (changed["before"]["action"], changed["after"]["action"]) == ("log", "allow")
    assert (created["subject"], created["before"], created["after"]["id"]) == ("blog", None, "r2")


def test_rules_that_can_no_longer_be_read_make_a_zone_unreadable(
    simulator: t.Any, zone: str, arguments: dict[str, t.Any]
) -> None:
    """Nothing of the zone is compared meanwhile, and nothing is lost: what changed is sent once the rules can be read again."""
    rule = {"id": "r1", "description": "checkout", "action": "log", "expression": "true", "value": "script-src 'self'"}
    changed = seeder(simulator, zone, policies=[{**rule, "action": "allow"}], script_monitor={"enabled": False})
    seeder(simulator, zone, policies=[rule])()

    def refuse() -> None:
        changed()
        simulator.settings(unknown_routes=["*/policies"])

    received = listen(
        {**arguments, "watch": ["settings"]}, refuse, lambda: None, lambda: simulator.settings(unknown_routes=[]), lambda: None
    )
    assert received.kinds == [[], ["zone_unreadable"], [], ["monitor_changed", "rule_changed", "zone_readable"], []]
    error = single_event(received, 1)["edgeops"]["after"]["error"]
    assert error["kind"] == "not_found" and "/page_shield/policies" in error["message"]


def test_rules_that_never_could_be_read_are_not_watched(simulator: t.Any, zone: str, arguments: dict[str, t.Any]) -> None:
    simulator.settings(unknown_routes=["*/policies"])
    off = seeder(simulator, zone, script_monitor={"enabled": False})
    received = listen({**arguments, "watch": ["settings"]}, off, lambda: simulator.settings(unknown_routes=[]))
    assert received.kinds == [[], ["monitor_changed"], []]


def test_baseline_decides_which_scripts_are_new(simulator: t.Any, zone: str, arguments: dict[str, t.Any]) -> None:
    entry = {**AUTHORISED, "url": "https://cdn.example/a.js", "authorised_on": datetime.date(2026, 10, 1)}
    watching = {**arguments, "watch": ["scripts"], "script_baseline": [entry]}
    received = listen(watching, seeder(simulator, zone, scripts=[SCRIPT, OTHER]))
    assert single_event(received, 1)["edgeops"]["after"]["script_url"] == OTHER["script_url"]


def test_entry_authorises_by_the_clock_of_each_poll(simulator: t.Any, zone: str, arguments: dict[str, t.Any]) -> None:
    """What appears after the day of review is new."""
    now = [datetime.datetime(2026, 11, 20, 23, 0, tzinfo=datetime.timezone.utc).timestamp()]
    entry = {**AUTHORISED, "url": "https://cdn.example/**", "review_by": "2026-11-20"}

    def next_day() -> None:
        now[0] += 7200
        simulator.seed(scripts={zone: [SCRIPT, OTHER]})

    received = listen(
        {**arguments, "watch": ["scripts"], "script_baseline": [entry]},
        seeder(simulator, zone, scripts=[SCRIPT]),
        next_day,
        now=lambda: now[0],
    )
    assert received.kinds == [[], [], ["script_new"]]


def test_listing_that_may_be_incomplete_is_not_compared(simulator: t.Any, zone: str, arguments: dict[str, t.Any]) -> None:
    """A service that leaves out copies of a script hides new ones, and lists one that it hid before as the only one."""
    simulator.seed(scripts={zone: [SCRIPT, OTHER]})
    fault = {"kind": "status", "status": 400, "code": 1999, "path": "*/page_shield/scripts"}
    received = listen(
        {**arguments, "watch": ["scripts"], "route": "page_shield"},
        lambda: (simulator.faults(fault), simulator.seed(scripts={zone: [SCRIPT]})),
        lambda: None,
    )
    assert received.kinds == [[], ["zone_unreadable"], ["script_gone", "zone_readable"]]
    (event,) = received.polls[1]
    assert "The list may be incomplete" in event["edgeops"]["after"]["error"]["message"]


def test_later_401_is_one_event_per_zone(simulator: t.Any, zone: str, arguments: dict[str, t.Any]) -> None:
    """Credentials that become invalid are one event for each zone."""
    other = f"{zone[:-4]}beef"
    simulator.seed(zones=[{"id": other, "name": "blog.example"}])
    refuse = {"kind": "status", "status": 401, "code": 10000, "path": "*", "count": None}
    received = listen({**arguments, "zones": [zone, other]}, lambda: simulator.faults(refuse), lambda: None)
    assert received.kinds == [[], ["zone_unreadable"] * 2, []]
    assert {event["meta"]["hosts"] for event in received.polls[1]} == {NAME, "blog.example"}
    simulator.clear_faults()


@pytest.mark.parametrize(
    ("credentials", "refusal", "message"),
    [
        ({"api_token": "wrong"}, None, "."),
        ({"api_token": None, "api_email": "a@b.c", "api_key": "0" * 37}, None, "."),
        # Cloudflare answers 403 with its own error code for every zone.
        ({}, {"status": 403, "code": 9103, "message": "Unknown X-Auth-Key or X-Auth-Email"}, "Unknown X-Auth-Key"),
    ],
)
def test_wrong_credentials_end_the_source(
    simulator: t.Any, arguments: dict[str, t.Any], credentials: dict[str, t.Any], refusal: dict[str, t.Any] | None, message: str
) -> None:
    """The source fails at the start, before its first poll."""
    if refusal:
        simulator.faults({"kind": "status", "path": "*", "count": None, **refusal})
    for chosen in ({}, {"zones": None, "discover": {}}):
        with pytest.raises(Failure, match=message) as refused:
            listen({**arguments, **credentials, **chosen})
        assert refused.value.kind == "authentication"
        assert not any(secret in str(refused.value) for secret in ("wrong", "0" * 37))
    assert not [entry for entry in simulator.journal() if "script_monitor" in entry["path"]]


def test_token_in_an_answer_is_masked(simulator: t.Any, zone: str, arguments: dict[str, t.Any]) -> None:
    token = simulator.token
    script = {**SCRIPT, "script_url": f"https://cdn.example/{token}.js", "malicious_url_categories": [token]}
    broken = {"name": token, "error_message": f"refused {token}", "last_error": ago(9)}
    job = {**JOB, **broken, "destination_conf": f"s3://{token}/x?region=r"}
    received = listen(
        arguments,
        seeder(simulator, zone, scripts=[script], jobs=[job], rulesets=fields(f"x-{token.lower()}")),
    )
    assert {"script_new", "job_created", "job_failing", "fields_changed"} <= set(received.kinds[1])
    assert token not in json.dumps(received.polls) + Path(arguments["state_file"]).read_text(encoding="ascii")


def test_a_wait_for_the_budget_is_logged(
    simulator: t.Any, zone: str, arguments: dict[str, t.Any], caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = options.settings({**arguments, "request_budget": "none"})
    stop = threading.Event()
    monkeypatch.setattr(stop, "wait", lambda seconds: False)
    service = observe.Service(settings, observe.Clock(), stop)
    for _poll in range(2):
        for seconds in (5, 42.2, 43):
            service._sleep(seconds)
        service.take_warnings()
    assert [record.message.partition(" seconds")[0] for record in caplog.records] == ["Waiting 42"] * 2


def test_discovered_zones_come_and_go(simulator: t.Any, zone: str, arguments: dict[str, t.Any]) -> None:
    """A zone that is no longer listed sends no event and is remembered; a new zone sends none in its first poll."""
    late = f"{zone[:-4]}beef"

    def listed(*statuses: str) -> None:
        zones = zip((zone, late), (NAME, NAME), statuses, strict=False)
        simulator.seed(zones=[{"id": zone_id, "name": name, "status": status} for zone_id, name, status in zones])

    simulator.seed(scripts={zone: [SCRIPT]})
    listed("active")
    watching = {**arguments, "zones": None, "discover": {"statuses": ["active"]}, "watch": ["scripts"]}
    received = listen(
        watching,
        lambda: (listed("active", "active"), simulator.seed(scripts={late: [SCRIPT]})),
        lambda: (listed("pending", "active"), simulator.seed(scripts={zone: [], late: [OTHER]})),
        lambda: listed("active", "active"),
    )
    assert received.kinds == [[], [], ["script_gone", "script_new"], ["script_gone"]]
    hosts = sorted({event["meta"]["hosts"] for poll in received.polls for event in poll})
    first, second = sorted((zone, late))
    assert hosts == [NAME] if first == second else [NAME, f"{NAME}_{second}"]


def test_named_account_that_is_not_listed_is_unreadable(
    simulator: t.Any, zone: str, arguments: dict[str, t.Any], caplog: pytest.LogCaptureFixture
) -> None:
    account, hidden = simulator.account, "e" * 32
    simulator.seed(zones=[{"id": zone, "name": NAME, "account": {"id": account, "name": "Shop"}}])
    named = {"zones": None, "discover": {"accounts": True, "account_ids": [account, hidden]}, "watch": ["jobs"]}
    received = listen({**arguments, **named}, lambda: None)
    assert received.kinds == [["account_unreadable"], []]
    assert received.polls[0][0]["edgeops"]["account"]["id"] == hidden
    assert not caplog.records
    Path(arguments["state_file"]).unlink()
    named["discover"] = {"account_ids": [account, hidden], "names": [NAME, "gone.example"]}
    assert listen({**arguments, **named}, lambda: None).kinds == [[], []]
    said = [record.message.partition(" that ")[0] for record in caplog.records]
    assert said == ["discover.names: no zone is named 'gone.example'", f"discover.account_ids: no zone belongs to {hidden}"]


@pytest.mark.parametrize("discovered", [False, True])
def test_accounts(simulator: t.Any, zone: str, arguments: dict[str, t.Any], discovered: bool) -> None:
    """Only the jobs of an account are watched; its events name the host that the inventory plugin makes of it."""
    account = simulator.account
    chosen = {"zones": None, "discover": {"accounts": True, "account_ids": [account]}} if discovered else {"accounts": [account]}
    refuse = {"kind": "status", "status": 403, "path": f"*/accounts/{account}/logpush/jobs", "count": None}
    good = {**JOB, "id": 9, "dataset": "audit_logs"}
    simulator.seed(jobs={account: [good]}, zones=[{"id": zone, "name": NAME, "account": {"id": account, "name": "Shop"}}])
    failing = {**good, "last_error": ago(9), "error_message": "denied"}
    received = listen(
        {**arguments, **chosen},
        lambda: simulator.seed(jobs={account: [failing], zone: [JOB]}),
        lambda: simulator.faults(refuse),
        lambda: (simulator.clear_faults(), simulator.seed(jobs={account: []})),
    )
    assert received.kinds == [[], ["job_created", "job_failing"], ["account_unreadable"], ["account_readable", "job_deleted"]]
    events = {event["edgeops"]["kind"]: event for poll in received.polls for event in poll}
    members = events["job_failing"]["edgeops"]
    assert members["account"]["id"] == account and "zone" not in members
    hosts = {kind: event["meta"]["hosts"] for kind, event in events.items()}
    assert hosts == {**dict.fromkeys(events, f"account_{account}"), "job_created": NAME}
    state = json.loads(Path(arguments["state_file"]).read_text(encoding="ascii"))["zones"]
    assert {zone, f"account_{account}"} <= set(state) and state[f"account_{account}"]["name"]
    asked = {entry["path"] for entry in simulator.journal() if f"/accounts/{account}/" in entry["path"]}
    assert asked == {f"/accounts/{account}/logpush/jobs"}


@pytest.mark.parametrize("with_key", [False, True])
def test_id_replaces_name_without_permission(simulator: t.Any, zone: str, arguments: dict[str, t.Any], with_key: bool) -> None:
    """The key of a user gets this refusal, too; it does not mean that the key is wrong."""
    simulator.faults({"kind": "status", "status": 403, "code": 9109, "path": f"*/zones/{zone}", "count": None})
    key = {"api_token": None, "api_email": simulator.email, "api_key": simulator.key} if with_key else {}
    received = listen({**arguments, **key, "watch": ["scripts"]}, seeder(simulator, zone, scripts=[SCRIPT]))
    assert received.kinds == [[], ["script_new"]]
    assert single_event(received, 1)["edgeops"]["zone"] == {"id": zone, "name": zone}
    assert single_event(received, 1)["meta"]["hosts"] == zone


@pytest.mark.parametrize("status", [429, 503])
def test_failed_name_is_read_again(simulator: t.Any, zone: str, arguments: dict[str, t.Any], status: int) -> None:
    """The id is used until the name can be read."""
    simulator.faults({"kind": "status", "status": status, "path": f"*/zones/{zone}", "count": None})
    received = listen(
        {**arguments, "watch": ["scripts"]},
        seeder(simulator, zone, scripts=[SCRIPT]),
        lambda: (simulator.clear_faults(), simulator.seed(scripts={zone: [SCRIPT, OTHER]})),
    )
    assert received.kinds == [[], ["script_new"], ["script_new"]]
    assert [single_event(received, poll)["edgeops"]["zone"]["name"] for poll in (1, 2)] == [zone, NAME]
    assert [single_event(received, poll)["meta"]["hosts"] for poll in (1, 2)] == [zone, NAME]


def test_requests_of_a_poll(simulator: t.Any, zone: str, arguments: dict[str, t.Any]) -> None:
    """A poll sends GET only: the monitor, two lists of scripts, custom fields, rules and jobs; the name of the zone is read once."""
    counts: list[int] = []

    def count() -> None:
        journal = simulator.journal(zone)
        assert {entry["method"] for entry in journal} == {"GET"}
        counts.append(len(journal))
        simulator.clear_journal()

    simulator.clear_journal()
    listen(arguments, count, count, count)
    assert counts == [7, 6, 6]


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"zones": None}, r"^zones: no zone is given"),
        ({"zones": ["nonsense"]}, r"^zones\[0\]: 'nonsense' is not 1 to 32 hexadecimal digits"),
        ({"zones": ["ab", 0o755]}, r"^zones\[1\]: must be text; put the id in quotes"),
        ({"accounts": ["x"]}, r"^accounts\[0\]: 'x' is not"),
        ({"accounts": ["a1"], "watch": ["scripts"]}, r"^accounts: of an account only jobs"),
        (
            {"zones": None, "discover": {"accounts": True}, "watch": ["scripts"]},
            r"^discover\.accounts: of an account only jobs",
        ),
        ({"discover": {}}, r"mutually exclusive: zones\|discover"),
        ({"zones": None, "discover": {"statuses": ["moved"]}}, r"^discover: the credentials see no zone"),
        ({"zones": None, "discover": True}, r"^discover: must be a dictionary, such as {} for all zones"),
        ({"zones": None, "discover": {"account_ids": ["Shop"]}}, r"^discover\.account_ids\[0\]: 'Shop' is not"),
        ({"interval": 59}, r"^interval: 59 is below 60"),
        ({"watch": []}, r"^watch: the list is empty"),
        ({"watch": ["weather"]}, r"watch"),
        ({"script_baseline": [{"name": "x"}]}, r"^script_baseline\[0\]\.url: an entry needs it"),
        ({"stale_after": 0}, r"^stale_after: 0 is not"),
        ({"state_file": None}, r"state_file"),
        ({"first_run": "loud"}, r"first_run"),
        ({"intervall": 300}, r"intervall"),
        ({"request_budget": "many"}, r"^request_budget: 'many'"),
        ({"base_url": "ftp://example"}, r"^base_url:"),
    ],
)
def test_invalid_arguments_send_nothing(
    simulator: t.Any, arguments: dict[str, t.Any], wrong: dict[str, t.Any], message: str
) -> None:
    """Invalid arguments are refused before any request."""
    simulator.clear_journal()
    with pytest.raises(Failure, match=message):
        listen({**arguments, **wrong})
    assert [entry for entry in simulator.journal() if entry["path"].count("/") > 3] == []


def test_invalid_responses_do_not_end_the_source(simulator: t.Any, zone: str, arguments: dict[str, t.Any]) -> None:
    simulator.seed(scripts={zone: [SCRIPT]}, jobs={zone: [JOB]})
    faults = [{"kind": "status", "status": 403, "code": 1004, "message": "{{ no }}"}]
    faults += [{"kind": kind} for kind in ("not_json", "no_result", "wrong_result", "array", "null", "500")]
    steps: list[t.Callable[[], object]] = []
    for fault in faults:
        steps += [functools.partial(simulator.faults, {**fault, "path": "*/logpush/jobs", "count": None}), simulator.clear_faults]
    received = listen(arguments, *steps)
    assert received.kinds == [[], *[["zone_unreadable"], ["zone_readable"]] * 7]
    error = single_event(received, 1)["edgeops"]["after"]["error"]
    assert error["kind"] == "permission" and "%7B{ no }}" in error["message"]


def test_event_loop_is_never_blocked(
    simulator: t.Any, zone: str, arguments: dict[str, t.Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Requests, comparison and the state file run outside of the thread of the event loop, which is that of this test."""
    threads: dict[str, set[int]] = {}

    def watched(name: str, function: t.Callable[..., t.Any]) -> t.Callable[..., t.Any]:
        def call(*values: t.Any) -> t.Any:
            threads.setdefault(name, set()).add(threading.get_ident())
            return function(*values)

        return call

    for name in ("__init__", "open", "begin", "look", "complete"):
        monkeypatch.setattr(source.Source, name, watched(name, getattr(source.Source, name)))
    simulator.seed(scripts={zone: [SCRIPT]})
    assert listen({**arguments, "first_run": "emit"}).kinds == [["script_new"]]
    assert len(threads) == 5
    assert all(threading.get_ident() not in idents for idents in threads.values())
