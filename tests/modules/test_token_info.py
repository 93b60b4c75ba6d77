# SPDX-License-Identifier: GPL-3.0-or-later

import typing as t

import pytest

from harness import Modules

MODULE = "edgeops.observability.token_info"
ACCOUNT = "acc0" * 8
ZONE = "0a" * 16


@pytest.fixture
def read_token(modules: Modules) -> t.Callable[..., t.Any]:
    """Return a function that runs the module for one zone in one account."""
    modules.simulator.reset()
    account = {"id": ACCOUNT, "name": "Example"}
    modules.simulator.seed(accounts=[account], zones=[{"id": ZONE, "name": "shop.example", "account": account}])

    def look(*, fails: str | None = None, refused: t.Sequence[str] = (), status: int = 403, **options: t.Any) -> t.Any:
        for path in refused:
            modules.simulator.faults({"kind": "status", "status": status, "path": path, "count": None})
        report = modules.run({"name": "Look", MODULE: options}, defaults={}, check=True, fails=fails)
        assert {entry["method"] for entry in report.journal if entry["path"] != "/graphql"} <= {"GET"}
        return report

    return look


def rows(report: t.Any) -> dict[tuple[str, str], t.Any]:
    return {(row["scope"], row["product"]): row["readable"] for row in report.result["permissions"]}


@pytest.mark.every_core
def test_everything_can_be_read(read_token: t.Callable[..., t.Any]) -> None:
    """Each product is read once, and the status of the token."""
    report = read_token()
    assert report.result["token"] == {"status": "active", "not_before": None, "expires_on": None}
    assert set(rows(report).values()) == {True} and len(rows(report)) == 11
    assert report.result["lines"] == ["The token is active.", "The token can read everything that was asked for."]
    assert len({entry["path"] for entry in report.journal}) == len(report.journal) - 1, "GraphQL is asked for zone and account"


def test_what_the_plan_does_not_have_is_no_missing_permission(read_token: t.Callable[..., t.Any], modules: Modules) -> None:
    """Nobody is told to tick what is ticked already."""
    modules.simulator.settings(graphql_disabled=["zones/*"])
    message = "not entitled: this feature is not available for your plan"
    modules.simulator.faults(
        {"kind": "status", "status": 403, "code": 1004, "message": message, "path": "*/page_shield/policies", "count": None}
    )
    report = read_token()
    assert rows(report)["zone", "delivery"] is None and rows(report)["zone", "content_security_rules"] is None
    assert report.result["missing"] == []
    assert report.result["lines"] == [
        "The token is active.",
        "The plan does not have content security rules (zone), delivery (zone); no permission changes that.",
    ]


def test_missing_logs_permission_is_reported_first(read_token: t.Callable[..., t.Any]) -> None:
    """All Logpush routes refuse a token with Logs Read only; the first lines name the missing permission."""
    report = read_token(refused=["*/logpush/*"])
    refused = {row for row, readable in rows(report).items() if readable is False}
    assert refused == {("zone", "jobs"), ("account", "jobs"), ("account", "transformers")}
    assert report.result["lines"][:4] == [
        "The token is active.",
        "The token cannot read 3 of 11 products. Tick in the form of the token:",
        "  Zone > Logs > Edit  (Logs Write: jobs; for survey, check, deliver, adopt)",
        "  Account > Logs > Edit  (Logs Write: jobs, transformers; for survey, check, deliver, adopt)",
    ]
    jobs = next(row for row in report.result["permissions"] if (row["product"], row["scope"]) == ("jobs", "zone"))
    assert jobs == {
        "product": "jobs",
        "scope": "zone",
        "readable": False,
        "permission": "Logs Write",
        "needed_for": ["survey", "check", "deliver", "adopt"],
    }


@pytest.mark.parametrize(("status", "readable"), [(403, False), (404, None), (500, None)])
def test_readable_is_unknown_for_other_statuses(read_token: t.Callable[..., t.Any], status: int, readable: bool | None) -> None:
    report = read_token(refused=["*/page_shield/policies"], status=status)
    assert rows(report)["zone", "content_security_rules"] is readable
    said = "\n".join(report.result["lines"])
    assert ("It is not known whether the token can read content security rules (zone)" in said) is (status == 500)
    # Without the route the service does not offer it, which no permission changes, or the address is none of its zones.
    assert ("The service does not have content security rules (zone) at the address that was looked at" in said) is (
        status == 404
    )
    assert "can read everything" not in said


def test_a_zone_that_does_not_exist_is_not_readable(read_token: t.Callable[..., t.Any]) -> None:
    """Where nothing was read, nobody is told that everything can be read."""
    for lines in (read_token(zone_id="0d" * 16).result["lines"], read_token(refused=["/zones"], status=500).result["lines"]):
        assert "can read everything" not in "\n".join(lines) and len(lines) > 1


def test_only_the_address_of_the_task_is_read(read_token: t.Callable[..., t.Any], modules: Modules) -> None:
    other, account = "0b" * 16, "0c" * 16
    modules.simulator.seed(zones=[{"id": other, "name": "blog.example"}], accounts=[{"id": account, "name": "Other"}])
    paths = {entry["path"] for entry in read_token(zone_name="blog.example", account_id=account).journal}
    assert {f"/zones/{other}/logpush/jobs", f"/accounts/{account}/logpush/jobs"} <= paths
    assert not [path for path in paths if ZONE in path or ACCOUNT in path]


def test_token_of_an_account_is_verified(read_token: t.Callable[..., t.Any], modules: Modules) -> None:
    modules.simulator.settings(credential_of_account=True, credential_expires_on="2027-01-01T00:00:00Z")
    report = read_token()
    assert report.result["token"] == {"status": "active", "not_before": None, "expires_on": "2027-01-01T00:00:00Z"}
    assert report.result["lines"][0] == "The token is active, and expires at 2027-01-01T00:00:00Z."
    modules.simulator.settings(unknown_routes=["*/tokens/verify"])
    assert read_token().result["token"] is None


@pytest.mark.parametrize("status", ["disabled", "expired"])
def test_token_that_is_not_active_fails_if_required(read_token: t.Callable[..., t.Any], modules: Modules, status: str) -> None:
    """The module returns the status; with `required_for` it fails."""
    modules.simulator.settings(credential_status=status)
    assert read_token().result["token"]["status"] == status
    report = read_token(required_for=["check"], fails="authentication")
    assert report.failures[0].result["msg"] == f"The token is {status}. Make a new token, or use another one."


@pytest.mark.parametrize(("fault", "kind"), [("500", "unavailable"), ("not_json", "bad_response"), ("null", "bad_response")])
def test_verification_that_fails_is_no_active_token(
    read_token: t.Callable[..., t.Any], modules: Modules, fault: str, kind: str
) -> None:
    """A route that is missing or refused says nothing of the token; one that fails hides what it is."""
    modules.simulator.faults({"kind": fault, "path": "/user/tokens/verify", "count": None})
    report = read_token()
    assert report.result["token"] == {"status": None, "not_before": None, "expires_on": None}
    assert report.result["lines"][0].startswith("It is not known whether the token is active: ")
    read_token(required_for=["check"], fails=kind)


def test_wrong_token_is_said_first(read_token: t.Callable[..., t.Any]) -> None:
    """A service that accepts the credentials nowhere lacks no permission; what to tick comes after that."""
    report = read_token(api_token="planted-wrong-token")
    lines = report.result["lines"]
    assert lines[0].startswith("The service does not accept the credentials: HTTP 401 for every request")
    assert lines[1] == "If they are right, tick in the form of the token:" and len(lines) > 3
    assert not read_token(api_token="planted-wrong-token", required_for=["check"], fails="authentication").writes
    refused = read_token(api_token="planted-wrong-token", zone_id=ZONE, required_for=["check"], fails="authentication")
    said = refused.failures[0].result["msg"]
    assert said.startswith("The service does not accept the credentials: ") and "If they are right, tick in the form" in said


def test_playbook_of_a_zone_asks_for_what_it_reads(read_token: t.Callable[..., t.Any]) -> None:
    """No account is looked for, and nothing that only other playbooks read."""
    report = read_token(zone_id=ZONE, required_for=["deliver"])
    assert {entry["path"] for entry in report.journal} == {
        "/user/tokens/verify",
        *(f"/zones/{ZONE}/{path}" for path in ("logpush/jobs", "rulesets", "script_monitor", "page_shield/policies")),
    }
    assert {product for (scope, product), readable in rows(report).items() if readable} == {
        "jobs",
        "custom_fields",
        "script_monitor",
        "content_security_rules",
    }


def test_account_alone_is_an_account(read_token: t.Callable[..., t.Any]) -> None:
    """A result that is about an account names no zone, which an automation platform would count. A zone is looked at, but not for playbooks."""
    report = read_token(account_id=ACCOUNT)
    assert (report.result["zone_id"], report.result["account_id"]) == (None, ACCOUNT)
    assert set(rows(report).values()) == {True}
    required = read_token(account_id=ACCOUNT, required_for=["check"])
    assert rows(required)["zone", "jobs"] is None and rows(required)["account", "jobs"] is True


def test_zone_of_the_account_is_looked_at(read_token: t.Callable[..., t.Any], modules: Modules) -> None:
    """With an account alone: its first zone, or else the first that is listed."""
    owner, other = ({"id": number * 16, "name": number} for number in ("0c", "0d"))
    modules.simulator.seed(accounts=[owner, other], zones=[{"id": "0b" * 16, "name": "blog.example", "account": owner}])

    def looked_at(account: str) -> set[str]:
        paths = {entry["path"] for entry in read_token(account_id=account).journal}
        return {path.split("/")[2] for path in paths if path.startswith("/zones/")}

    assert looked_at(owner["id"]) == {"0b" * 16}
    assert len(looked_at(other["id"]) - {"0b" * 16}) == 1


def test_required_for_fails_without_readable_products(read_token: t.Callable[..., t.Any]) -> None:
    """One readable product is enough, unless it is an optional one such as delivery facts."""
    assert read_token(required_for=["adopt"], refused=["*/logpush/*", "*/rulesets*"]).result["lines"], (
        "the script monitor is left"
    )
    report = read_token(required_for=["adopt"], refused=["*/script_monitor*", "*/page_shield*"], fails="permission")
    assert "Zone > Logs > Edit  (Logs Write: jobs; for survey, check, deliver, adopt)" in report.failures[0].result["msg"]


def test_unreachable_service_fails(read_token: t.Callable[..., t.Any]) -> None:
    report = read_token(base_url="http://127.0.0.1:9/client/v4", retries=0, fails="unavailable")
    assert not report.journal


def test_invalid_options_send_nothing(read_token: t.Callable[..., t.Any]) -> None:
    for options, message in (
        ({"account_id": "x y"}, "account_id: 'x y' is not"),
        ({"zone_id": "z", "zone_name": "a"}, "zone_id"),
    ):
        report = read_token(**options, fails="invalid_option")
        assert report.failures[0].result["msg"].startswith(message) and not report.journal
