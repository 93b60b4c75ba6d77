# SPDX-License-Identifier: GPL-3.0-or-later

import typing as t

import pytest
from samples.logpush import JOB, KEYS, S3, declare_job, planned, sent
from support.refusals import refusal

from ansible_collections.edgeops.observability.plugins.module_utils._address import Address
from ansible_collections.edgeops.observability.plugins.module_utils._logpush.facts import DATASETS
from ansible_collections.edgeops.observability.plugins.module_utils._logpush.job import JobState, find_by_name, parse_job
from ansible_collections.edgeops.observability.plugins.module_utils._logpush.plan import plan

R2 = "r2://logs/web/{DATE}?account-id=a1&access-key-id=AK1&secret-access-key=SK1"
GS = "gs://logs/web"
SPLUNK = "splunk://hec.example.com:8088/services/collector/raw?channel=GUID&header_Authorization=Splunk%20T1"
NEW_RELIC = "https://log-api.newrelic.com/log/v1?Api-Key=K1&format=cloudflare"
IBM = "ibmcl://ID.ingress.eu-de.logs.cloud.ibm.com/logs/v1/singles?ibm_api_key=K1"
BQ = "bq://projects/P/datasets/D/tables/T?credentials=base64:QUJD"
DATADOG = "datadog://http-intake.logs.datadoghq.com/api/v2/logs?header_DD-API-KEY=K1"
LIST = {"batch_prefix": "[", "batch_suffix": "]", "record_delimiter": ","}


def warnings(job: dict[str, t.Any] | None = None, scope: str = "zone", **options: t.Any) -> list[str]:
    """Return the warnings about a new or an existing job, without those that every job gets."""
    declared = {"enabled": True, **({} if job else {"destination_conf": KEYS}), **options}
    return list(planned(declared, job, address=Address(scope, "ab")).warnings)


@pytest.mark.parametrize(
    "options",
    [
        *({"destination_conf": conf} for conf in (R2, SPLUNK, NEW_RELIC, BQ, DATADOG, KEYS)),
        {"destination_conf": GS, "ownership_challenge": "token"},
        {"destination_conf": IBM, "output_options": LIST},
        {"destination_conf": NEW_RELIC, "timestamp_format": "unix"},
        {"destination_conf": "https://logs.example.com/in?header_Authorization=Bearer%20T1&tags=a%3Fb"},
        {"destination_conf": BQ, "max_upload_records": 50_000},
        {"destination_conf": "azure://a.blob.core.windows.net/logs?sv=1&srt=o&sig=S1", "ownership_challenge": "token"},
        {"filter": {"key": "Cookies", "operator": "eq", "value": "x"}, "dataset": "dns_logs"},
        {"filter_attack_traffic": True},
        {"filter_attack_traffic": False, "dataset": "dns_logs"},
        {"output_options": {"merge_subrequests": True}},
        {"transformer_id": 3, "output_options": {"output_type": "ndjson"}},
    ],
)
def test_compatible_options_have_no_warning(options: dict[str, t.Any]) -> None:
    assert warnings(**options) == []


@pytest.mark.parametrize(
    ("options", "place", "words"),
    [
        ({"destination_conf": "http://logs.example.com/in"}, "destination_conf", "delivers over https only"),
        *(
            ({"destination_conf": f"https://{host}/in"}, "destination_conf", "cannot be reached from the internet")
            for host in (
                "10.0.0.1",
                "192.168.1.5:8443",
                "[fd00::1]:443",
                "127.0.0.1",
                "localhost",
                "splunk",
                "a.internal",
                "b.local",
            )
        ),
        (
            {"destination_conf": f"{KEYS}&endpoint=minio.lan"},
            "destination_conf",
            "cannot be reached from the internet",
        ),
        ({"destination_conf": R2.replace("{DATE}", "{HOUR}")}, "destination_conf", "{HOUR} is not replaced by the service"),
        (
            {"destination_conf": "https://logs.example.com/{DATE}"},
            "destination_conf",
            "{DATE} is replaced for s3, r2, gs and azure only",
        ),
        (
            {"destination_conf": "r2://logs/web?account-id=a1"},
            "destination_conf",
            "lacks access-key-id and secret-access-key, which r2 needs",
        ),
        ({"destination_conf": SPLUNK.replace("channel", "x")}, "destination_conf", "lacks channel, which splunk needs"),
        ({"destination_conf": f"{KEYS}?sse=AES256"}, "destination_conf", "has two question marks"),
        (
            {"destination_conf": "https://logs.example.com/in?header_Authorization=Bearer T1"},
            "destination_conf",
            "the address contains white space",
        ),
        (
            {"destination_conf": "https://logs.example.com/in?header_X%20Y=T1"},
            "destination_conf",
            "the name of the option 'header_X Y' contains white space",
        ),
        (
            {"destination_conf": NEW_RELIC, "timestamp_format": "rfc3339"},
            "timestamp_format",
            "reads unix times only, not rfc3339",
        ),
        (
            {"destination_conf": NEW_RELIC, "output_options": {"timestamp_format": "rfc3339ms"}},
            "timestamp_format",
            "reads unix times only, not rfc3339ms",
        ),
        ({"destination_conf": IBM}, "output_options", "ibmcl reads a JSON list, which needs batch_prefix '[', batch_suffix ']'"),
        ({"filter_attack_traffic": True, "dataset": "dns_logs"}, "filter_attack_traffic", "not for dns_logs"),
        (
            {"output_options": {"merge_subrequests": True}, "dataset": "dns_logs"},
            "output_options.merge_subrequests",
            "exists for the dataset http_requests of zones, not for dns_logs",
        ),
        (
            {
                "filter": {
                    "and": [{"key": key, "operator": "eq", "value": "x"} for key in ("RayID", "RequestHeaders.x-a", "Cookies")]
                }
            },
            "filter",
            "compares RequestHeaders.x-a and Cookies: the service documents no filter by a field that holds an object",
        ),
        ({"name": "edge logs"}, "name", "'edge logs' contains other characters"),
        ({"name": "x" * 513}, "name", "has 513 characters, and Cloudflare refuses more than 512"),
        ({"logpull_options": "feilds=RayID"}, "logpull_options", "'feilds' is not a documented parameter, and the service may"),
        ({"option_flags": {"sampel": 0.1}}, "logpull_options", "(did you mean 'sample'?)"),
        (
            {"destination_conf": BQ, "max_upload_records": 50_001},
            "max_upload_records",
            "50001 is more than this destination takes",
        ),
        ({"destination_conf": BQ, "max_upload_bytes": 20_000_000}, "max_upload_bytes", "in one upload (10000000)"),
        ({"destination_conf": DATADOG, "max_upload_bytes": 5_000_000}, "max_upload_bytes", "have a fixed size"),
        ({"destination_conf": S3}, "ownership_challenge", "is omitted, but the service requires a proof of ownership"),
        ({"destination_conf": GS}, "ownership_challenge", "is omitted, but the service requires a proof of ownership"),
    ],
)
def test_incompatible_options_are_a_warning(options: dict[str, t.Any], place: str, words: str) -> None:
    (warning,) = warnings(**options)
    assert warning.startswith(f"{place}: ") and words in warning
    assert not {"SK1", "T1", "K1", "planted"} & set(warning.replace("=", " ").split())


def test_accepted_options_of_an_existing_job_have_no_warning() -> None:
    """An existing job was accepted, so that warnings about refusals stop; warnings about lost records remain."""
    there = {**JOB, "enabled": True, "name": "edge logs", "destination_conf": "http://10.0.0.1/{HOUR}"}
    assert warnings(there, name="edge logs", destination_conf="http://10.0.0.1/{HOUR}") == []
    assert len(warnings({**JOB, "dataset": "dns_logs", "filter_attack_traffic": True}, job_id=7, filter_attack_traffic=True)) == 1
    assert warnings({**JOB, "dataset": "dns_logs", "filter_attack_traffic": True}, job_id=7) == []


@pytest.mark.parametrize(
    ("options", "job", "message"),
    [
        (
            {"transformer_id": 3, "output_options": {"output_type": "csv"}},
            None,
            "transformer_id: a transformer changes records of",
        ),
        ({"transformer_id": 3}, {"output_options": {"output_type": "csv"}}, "transformer_id: a transformer changes records of"),
        (
            {"output_options": {"output_type": "csv"}},
            {"transformer_id": 3},
            "output_options.output_type: a transformer changes records of",
        ),
        (
            {"destination_conf": "azure://a.blob.core.windows.net/logs?srt=sco&sig=planted"},
            None,
            "destination_conf: the service accepts azure with srt=o only",
        ),
    ],
)
def test_options_that_are_certainly_refused(options: dict[str, t.Any], job: dict[str, t.Any] | None, message: str) -> None:
    declared = {**({} if job else {"destination_conf": KEYS}), **options}
    kind, text = refusal(planned, declared, job and {**JOB, **job})
    assert kind == "invalid_option" and text.startswith(message) and "planted" not in text


ACCOUNT = Address("account", "ab")


def declare(**options: t.Any) -> t.Any:
    params = {"account_id": "ab", "zone_id": None, **options}
    return declare_job(**params)


def test_new_account_job_needs_a_dataset() -> None:
    kind, message = refusal(plan, declare(destination_conf=KEYS), JobState(None, address=ACCOUNT))
    assert kind == "invalid_option" and message.startswith("dataset: is required to create the job 'n' of an account")
    assert all(name in message for name in DATASETS["account"])
    made = plan(declare(destination_conf=KEYS, dataset="gateway_dns"), JobState(None, address=ACCOUNT))
    assert sent(made)[0][1]["dataset"] == "gateway_dns"


def test_account_job_is_found_by_its_name() -> None:
    there = parse_job({**JOB, "dataset": "gateway_dns"})
    update = plan(declare(enabled=True), JobState(there, address=ACCOUNT))
    assert sent(update) == [("update", {"enabled": True})]
    two = [there, parse_job({**JOB, "id": 8, "dataset": "gateway_http"})]
    assert find_by_name(two[:1], "n", "") is there
    message = "name: the jobs 7, 8 are all named 'n'; set dataset or job_id to select one."
    assert refusal(find_by_name, two, "n", "") == ("conflict", message)


def test_edge_jobs_are_for_zones_only() -> None:
    assert refusal(declare, kind="edge")[1].startswith("kind: 'edge' exists for the jobs of zones only")


@pytest.mark.parametrize(
    ("conf", "words"),
    [
        (KEYS.replace("region=a", "region=a&endpoint=https://store.example.com"), "endpoint is a host alone, without https://."),
        (KEYS.replace("region=a", "region=us-west-2/"), "region has other characters than letters, digits and hyphens."),
        (KEYS.replace("bucket", "<BUCKET>"), "has a word in angle brackets, which an example has in place of a value."),
        (KEYS.replace("ID", "%3CACCESS_KEY_ID%3E"), "has a word in angle brackets, which an example has in place of a value."),
    ],
)
def test_misshapen_destination_has_one_warning(conf: str, words: str) -> None:
    assert warnings(destination_conf=conf) == [f"destination_conf: {words}"]


def test_private_endpoint_with_a_scheme_is_private() -> None:
    texts = warnings(destination_conf=KEYS.replace("region=a", "region=a&endpoint=https://10.0.0.1:9000/"))
    assert len(texts) == 2 and any("cannot be reached from the internet" in text for text in texts)


def test_former_name_of_a_dataset_suggests_the_present_one() -> None:
    assert "did you mean 'nel_reports'?" in warnings(dataset="network_error_log_events")[0]
