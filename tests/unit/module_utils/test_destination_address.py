# SPDX-License-Identifier: GPL-3.0-or-later

from urllib.parse import quote

import pytest
from support.refusals import refusal

from ansible_collections.edgeops.observability.plugins.module_utils._destination import parse, public_destination
from ansible_collections.edgeops.observability.plugins.module_utils._destination_address import (
    address_text,
    is_seen,
    leads_to,
    public_address,
)
from ansible_collections.edgeops.observability.plugins.module_utils._logpush.options import check_address, check_destination

MASK = "********"
KEYS = "access-key-id=ID&secret-access-key=planted"


@pytest.mark.parametrize(
    ("conf", "text"),
    [
        ("s3://edge-logs/all?region=eu-west-1&sse=AES256", "s3://edge-logs/all?region=eu-west-1"),
        (f"r2://logs/web?account-id=0123&{KEYS}", "r2://logs/web?account-id=0123"),
        (f"s3://b?{KEYS}&endpoint=s3.example&region=a%2Fb", "s3://b?endpoint=s3.example&region=a%2Fb"),
        ("https://user:planted@logs.example.com/in?tags=a", f"https://{MASK}@logs.example.com/in"),
        ("https://logs.example.com/token/planted/in", f"https://logs.example.com/token/{MASK}/in"),
        ("sumo://endpoint1.sumologic.com/receiver/v1/http/planted", f"sumo://endpoint1.sumologic.com/receiver/v1/http/{MASK}"),
        (
            "kinesis://s?region=a&sts-assume-role-arn=arn:aws:iam::1:role/r",
            "kinesis://s?region=a&sts-assume-role-arn=arn:aws:iam::1:role/r",
        ),
        ("s3://b?endpoint=https://user:planted@h", f"s3://b?endpoint=https://{MASK}@h"),
        ("gs://logs/{DATE}", "gs://logs/{DATE}"),
        ("https://h.example/in#planted", f"https://h.example/in#{MASK}"),
        ("splunk://h.example/in?channel=c&insecure-skip-verify=false", "splunk://h.example/in"),
        ("splunk://h.example/in?channel=c&insecure-skip-verify=true", "splunk://h.example/in?insecure-skip-verify=true"),
        ("https://h.example/in?header_Host=planted", f"https://h.example/in?header_Host={MASK}"),
        ("s3://b?region=a&sts-assume-role-arn=planted", f"s3://b?region=a&sts-assume-role-arn={MASK}"),
    ],
)
def test_the_address_of_a_destination_leads_to_it(conf: str, text: str) -> None:
    """What an adoption writes is accepted, has no secret, and is where the job delivers."""
    present = parse(conf)
    assert address_text(present) == text
    assert leads_to(check_address(text, None), present) and leads_to(check_address(text, present), present)


R2 = f"r2://logs/web?account-id=0123&{KEYS}"
# Parsers differ about where the host ends.
AMBIGUOUS = ("u:p@evil.example#", "evil.example#", "evil.example:443#", "u:p@evil.example\\", "u@evil.example", "u:\x01p")
ENDPOINT = f"s3://b/d?region=a&endpoint=s3.example&{KEYS}"


@pytest.mark.parametrize(
    ("address", "conf", "same"),
    [
        ("r2://logs/web?account-id=0123", R2, True),
        ("r2://logs/web?account-id=0123", R2.replace("0123", "%30123"), True),
        ("r2://logs/web?account-id=0123", R2.replace("0123", "9999"), False),
        ("r2://logs/web?account-id=0123", R2.replace("account-id=0123&", ""), False),
        ("r2://logs/web", R2, False),
        ("r2://logs/web?account-id=0123", R2.replace("0123", "******"), False),
        ("s3://b/d?region=a", "s3://b/d?region=********", False),
        ("r2://logs/web?account-id=0123", R2.replace("account-id", "Account-Id"), False),
        ("r2://logs/web?account-id=0123", R2.replace("logs/web", "logs/web/"), False),
        ("r2://logs/web?account-id=0123", R2.replace("r2://", "s3://"), False),
        ("s3://b/d?endpoint=s3.example", ENDPOINT, True),
        ("s3://b/d?endpoint=s3.example&region=a", ENDPOINT, True),
        ("s3://b/d?endpoint=s3.example&region=b", ENDPOINT, False),
        ("s3://b/d?endpoint=s3.example&region=a", ENDPOINT.replace("region=a&", ""), False),
        ("s3://b/d", ENDPOINT, False),
        ("s3://b/%64", "s3://b/d", True),
        ("s3://b/x%2Fy", "s3://b/x/y", False),
        ("s3://b/d?endpoint=s3.example", f"{ENDPOINT}&endpoint=evil.example", False),
        ("https://h.example/in", "https://h.example/in?header_Authorization=planted", True),
        ("https://h.example/in", "https://user:planted@h.example/in", False),
        (f"https://{MASK}@h.example/in", "https://other:planted@h.example/in", True),
        (f"https://{MASK}@h.example/in", "https://h.example/in", False),
        (f"https://h.example/token/{MASK}", "https://h.example/token/planted", True),
        (f"https://h.example/{MASK}", "https://h.example/in", False),
        ("https://h.example/in", "https://h.example/in/more", False),
        ("https://h.example/in", "https://evil.example/steal", False),
        ("https://h.example/in", "https://u:p@ss@h.example/in/a b", False),
        *((f"https://{MASK}@h.example/in", f"https://{user}@h.example/in", False) for user in AMBIGUOUS),
        *((f"splunk://{MASK}@h.example/in", f"splunk://{user}@h.example/in", False) for user in AMBIGUOUS),
        *((f"s3://b?endpoint={MASK}@h.example", f"s3://b?endpoint={quote(user)}@h.example", False) for user in AMBIGUOUS),
        (f"s3://b?endpoint=https://{MASK}@h.example", "s3://b?endpoint=https://u:planted@h.example", True),
        (f"s3://b?endpoint=https://{MASK}@h.example", "s3://b?endpoint=https://u:planted@evil.example", False),
        (f"s3://b?endpoint=https://{MASK}@h.example", "s3://b?endpoint=https://h.example", False),
        ("s3://b?region=a", "s3://b?region=a&sts-assume-role-arn=planted", False),
        ("s3://b", "s3://b?%20Endpoint%20=evil.example", False),
        ("gs://b", "gs://b?endpoint=planted", False),
        ("https://h.example/in", "https://h.example/in?header_Host=planted", False),
        ("https://h.example/in", "https://h.example/in?insecure-skip-verify=true", False),
        ("splunk://h.example/in", "splunk://h.example/in?channel=c&Insecure=1", False),
        ("splunk://h.example/in", "splunk://h.example/in?channel=c&insecure-skip-verify=false", True),
        ("splunk://h.example/in?insecure-skip-verify=false", "splunk://h.example/in?channel=c", True),
        (f"https://h.example/in#{MASK}", "https://h.example/in#planted", True),
        (f"https://h.example/in#{MASK}", "https://h.example/out#planted", False),
        ("https://h.example/in", "https://h.example/in#planted", False),
    ],
)
def test_a_job_delivers_to_its_address_or_elsewhere(address: str, conf: str, same: bool) -> None:
    declared, present = check_address(address, None), parse(conf)
    assert leads_to(declared, present) is same
    public = public_address(declared, present)
    assert "planted" not in str(public) and (same or public != public_destination(present))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("edge-logs/all", "is not of the form SCHEME://ADDRESS"),
        ("htps://edge-logs", "did you mean 'https'?"),
        ("https://user:planted@h.example/in", "the user information is one that outputs mask"),
        ("https://h.example/token/planted", "a part of the path is one that outputs mask"),
        ("s3://b?endpoint=https://user:planted@h", "the value of an option is one that outputs mask"),
        (f"s3://b?{KEYS}", "takes only the options that decide where records go (account-id, endpoint, region of s3)"),
        ("s3://b?region", "takes only the options"),
        ("https://h.example?tags=planted", "takes only the options that decide where records go (none of https)"),
        (f"https://{MASK}", "cannot be parsed with confidence"),
        ("https://h.example/a planted", "cannot be parsed with confidence"),
        ("s3://b/" + "x" * 4096, "characters are more than the limit"),
    ],
)
def test_an_address_that_cannot_be_compared_is_refused(text: str, words: str) -> None:
    kind, message = refusal(check_address, text, None)
    assert (kind, message.startswith("destination_address: ")) == ("invalid_option", True)
    assert words in message and "planted" not in message


@pytest.mark.parametrize("user", AMBIGUOUS)
def test_user_information_that_parsers_read_in_several_ways_is_refused(user: str) -> None:
    kind, message = refusal(check_destination, f"https://{user}@h.example/in")
    assert kind == "invalid_option" and "evil" not in message


def test_an_address_agrees_with_the_destination_beside_it() -> None:
    kind, message = refusal(check_address, "s3://a", parse(f"s3://b?{KEYS}"))
    assert (
        kind == "invalid_option"
        and message == "destination_address: is another place than that of destination_conf, which is s3://b"
    )


@pytest.mark.parametrize(
    ("conf", "seen"),
    [
        (R2, True),
        ("https://h.example/in?header_Authorization=planted", True),
        ("https://user:planted@h.example/in", False),
        ("https://h.example/token/planted", False),
        (R2.replace("0123", "****"), False),
        ("datadog://http-intake.logs.datadoghq.com/api/v2/logs?header_DD-API-KEY=planted", False),
        ("https://log-api.newrelic.com/log/v1?Api-Key=planted", False),
        (f"kinesis://s?region=a&{KEYS}", False),
        ("kinesis://s?region=a&sts-assume-role-arn=arn:aws:iam::1:role/r", True),
    ],
)
def test_whether_equality_is_seen(conf: str, seen: bool) -> None:
    present = parse(conf)
    assert is_seen(parse(address_text(present)), present) is seen
