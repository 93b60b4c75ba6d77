# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import re
import types
import typing as t

from .._address import ACCOUNT, ALL_ADDRESSES, scope_of
from .._core import HOLDS_DATA, SHOWS_DESTINATION, STATE_OPTION, Json, Request, invalid_option
from .._destination import ASTERISKS, Destination, ambiguous_host, closest_scheme, holds_mask, lacks_question_mark
from .._destination import parse as parse_destination
from .._destination_address import address_text, clear_secret, foreign_option, leads_to
from .._destination_schemes import SCHEMES
from .._filter.parse import parse as parse_filter
from .._filter.text import check_limits
from .._filter.tree import Tree
from .._redact import MASK
from .._text import did_you_mean, nearest
from . import facts, logpull_options, output_options
from .facts import DATASET, DATASETS, EDGE, IF_DIFFERENT, OLDER_FORM

# One of these is required to identify a job.
IDENTITY = ("name", "job_id")

# The same by its name, which is looked up in the account, and by its id.
TRANSFORMER = ("transformer", "transformer_id")

# Where the job must deliver to; compared and never sent.
ADDRESS = "destination_address"

# The older form of the output options, as text or as parts, and the newer form exclude each other.
FORMS: t.Sequence[tuple[str, str]] = (
    *(("logpull_options", option) for option in OLDER_FORM),
    *(("output_options", option) for option in (*OLDER_FORM, "logpull_options")),
    # Two ways to name the transformer.
    TRANSFORMER,
)

# The options of one job, as arguments of AnsibleModule.
OPTIONS: t.Mapping[str, dict[str, Json]] = {
    **STATE_OPTION,
    "job_id": {"type": "int"},
    **{name: dict(member.option) for name, member in facts.MEMBERS.items() if member.option},
    "transformer": {"type": "str", HOLDS_DATA: True},
    **OLDER_FORM,
    # A destination that the service has may be adopted with a template that somebody left in it.
    "destination_conf": {"type": "str", "no_log": True, HOLDS_DATA: True},
    ADDRESS: {"type": "str", SHOWS_DESTINATION: True, HOLDS_DATA: True},
    "ownership_challenge": {"type": "str", "no_log": True},
    "send_destination": {"type": "str", "choices": list(facts.SENDING), "default": IF_DIFFERENT},
    "recreate": {"type": "bool", "default": False},
    "validate_filter": {"type": "bool", "default": True},
    "validate_fields": {"type": "bool", "default": True},
    "create_without_listing": {"type": "bool", "default": False},
}


Params = t.Mapping[str, t.Any]
NO_FILTER: t.Final = ""
_ATTACKS = "filter_attack_traffic"
_DATASET = re.compile(r"[a-zA-Z0-9_-]*")
_DESTINATION = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://[^/?]")
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")


class DesiredJob(t.NamedTuple):
    """The desired state of a job; None stands for an omitted option.

    `dataset` is empty for a job of an account that is identified by its name alone.
    `address` is where the job must deliver to, if no destination is given that could be sent.
    `plain` are the members whose values are compared as they are. `sending` is the option `send_destination`.
    `places` are the option paths of field names. `transformer` is the name of the transformer, whose id `plain` gets once it is known.
    `carriers` are the log fields with custom fields: a job of `http_requests` selects them beside its other fields.
    """

    present: bool
    job_id: int | None
    name: str | None
    dataset: str
    plain: t.Mapping[str, Json]
    destination: Destination | None
    address: Destination | None
    challenge: str | None
    filter: Tree | t.Literal[""] | None
    logpull: logpull_options.Requested | None
    output: t.Mapping[str, Json] | None
    recreate: bool
    create_without_listing: bool
    sending: str = IF_DIFFERENT
    validate_fields: bool = True
    places: t.Mapping[str, str] = types.MappingProxyType({})
    transformer: str | None = None
    carriers: tuple[str, ...] = ()

    @property
    def needs_transformers(self) -> bool:
        """Return whether the transformers of the account have to be read."""
        return self.present and self.transformer is not None

    def undeclared(self, dataset: str) -> list[str]:
        """Return which of what decides where a job delivers, and which records, the task omits and therefore does not compare."""
        is_sampled = self.logpull is not None and logpull_options.SAMPLE in self.logpull.others
        is_declared = {
            "destination": self.destination is not None or self.address is not None,
            "filter": self.filter is not None,
            "transformer": self.transformer is not None or "transformer_id" in self.plain,
            "sample_rate": is_sampled or "sample_rate" in (self.output or {}),
            _ATTACKS: _ATTACKS in self.plain or dataset not in facts.MEMBERS[_ATTACKS].datasets,
        }
        return [name for name, declared in is_declared.items() if not declared]


def desire(params: Params, scope: str | None = None) -> DesiredJob:
    """Return the desired job of validated options, for a zone or an account; refuse what Cloudflare documents as invalid."""
    scope = scope_of(params) if any(params.get(name) for name in ALL_ADDRESSES) else scope
    plain = {name: params[name] for name in facts.PLAIN if params[name] is not None}
    if params["transformer"] == "":
        plain["transformer_id"] = 0
    # No dataset is the default of accounts, where a job without one is identified by its name alone.
    default = "" if scope == ACCOUNT else DATASET
    if plain.get("dataset") == "":
        del plain["dataset"]
    conf, token, output = (params[name] for name in ("destination_conf", "ownership_challenge", "output_options"))
    destination = None if conf is None else check_destination(conf)
    address = None if params[ADDRESS] is None else check_address(params[ADDRESS], destination)
    _check_values(params, destination, scope)
    _check_dataset(str(plain.get("dataset", "")), scope)
    tree = params["filter"] if params["filter"] in (None, NO_FILTER) else parse_filter(params["filter"])
    if tree and params["validate_filter"]:
        check_limits(tree)
    text, parts = params["logpull_options"], (params["fields"], params["timestamp_format"], params["option_flags"])
    logpull = logpull_options.from_parts(*parts) if text is None else logpull_options.from_text(text)
    return DesiredJob(
        present=params["state"] == "present",
        job_id=params["job_id"],
        name=params["name"],
        dataset=str(plain.get("dataset", default)),
        plain=plain,
        destination=destination,
        address=address if destination is None else None,
        challenge=(check_challenge(token) or None) if token else None,
        filter=tree,
        logpull=logpull,
        output=None if output is None else output_options.desire(output),
        recreate=params["recreate"],
        create_without_listing=params["create_without_listing"],
        sending=params["send_destination"],
        validate_fields=params["validate_fields"],
        places=_places(params, logpull),
        transformer=params["transformer"] or None,
    )


def _places(params: Params, logpull: logpull_options.Requested | None) -> dict[str, str]:
    """Return the option path of each field name; of a duplicate, the path of the first one."""
    if params["logpull_options"] is not None and logpull:
        return dict.fromkeys(logpull.fields or (), "logpull_options")
    path, names = "fields", params["fields"]
    if names is None:
        path, names = "output_options.field_names", (params["output_options"] or {}).get("field_names")
    return {str(name).strip(): f"{path}[{index}]" for index, name in reversed(list(enumerate(names or ())))}


def successor(desired: DesiredJob, request: Request) -> DesiredJob:
    """Return how to find a job that may have been created: by name and dataset, because its id is unknown."""
    body: t.Mapping[str, t.Any] = request.body or {}
    return desired._replace(job_id=None, name=body.get("name"), dataset=body["dataset"])


class JobQuery(t.NamedTuple):
    """Which jobs to report, None for any; and after how many seconds without a delivery a job is stale."""

    name: str | None
    dataset: str | None
    job_id: int | None
    stale_after: int = facts.DEFAULT_STALE_AFTER


def desire_report(params: Params) -> JobQuery:
    for name in ("stale_after", "job_id"):
        if params[name] is not None and params[name] < 1:
            raise invalid_option(name, f"{params[name]} is not above 0")
    return JobQuery(params["name"], params["dataset"], params["job_id"], params["stale_after"])


def desire_dataset(params: Params) -> str:
    if not params["dataset"]:
        raise invalid_option("dataset", "is empty")
    _check_dataset(params["dataset"], scope_of(params))
    return str(params["dataset"])


def _check_values(params: Params, destination: Destination | None, scope: str | None) -> None:
    if params["job_id"] is not None and params["job_id"] < 1:
        raise invalid_option("job_id", f"{params['job_id']} is not above 0")
    if params["job_id"] is None and not params["name"]:
        raise invalid_option("name", "is empty; without job_id it is required")
    for name, (low, high) in facts.RANGES.items():
        value = params[name]
        # IBM Cloud Logs accepts at most less than other destinations require at least.
        most = destination.facts.max_bytes if destination and name == "max_upload_bytes" else 0
        if value and not (low <= value <= high or 0 < value <= most < low):
            raise invalid_option(name, f"{value} is neither 0 (the default of the service) nor {low} to {high}")
    if (params["transformer_id"] or 0) < 0:
        raise invalid_option("transformer_id", f"{params['transformer_id']} is below 0; 0 removes the transformer")
    if params["kind"] == EDGE and scope == ACCOUNT:
        raise invalid_option("kind", "'edge' exists for the jobs of zones only, and account_id names an account")
    if params["kind"] == EDGE and (params["dataset"] or DATASET) != DATASET:
        raise invalid_option("kind", f"'edge' exists for the dataset {DATASET} only, not for {params['dataset']}")


def _check_dataset(dataset: str, scope: str | None) -> None:
    """Refuse an impossible name, and the datasets of zones for an account or the reverse; the service decides about unknown ones."""
    if len(dataset) > facts.MAX_DATASET_LENGTH or not _DATASET.fullmatch(dataset):
        raise invalid_option("dataset", f"{dataset!r} is not up to {facts.MAX_DATASET_LENGTH} letters, digits, '_' and '-'")
    if scope is None or dataset in DATASETS[scope] or not any(dataset in names for names in DATASETS.values()):
        return
    other = next(name for name in DATASETS if name != scope)
    known = ", ".join(sorted(DATASETS[scope]))
    raise invalid_option("dataset", f"{dataset!r} exists for {other}s only; those of {scope}s are {known}")


def unknown_dataset(dataset: str) -> list[str]:
    """Return a warning about a dataset that this collection does not know, with the nearest one."""
    known = sorted(frozenset().union(*DATASETS.values()))
    if dataset in known:
        return []
    return [
        f"dataset: {dataset!r} is not a dataset that this collection knows{did_you_mean(facts.FORMER_DATASETS.get(dataset) or nearest(dataset, known))}."
    ]


def check_destination(conf: str, place: str = "destination_conf") -> Destination:
    """Parse a destination; refuse one that no service accepts. Messages do not quote it, because it may contain a password."""
    if not _DESTINATION.match(conf) or _CONTROL.search(conf):
        raise invalid_option(place, "is not of the form SCHEME://ADDRESS, as in s3://bucket/folder?region=us-west-2")
    if len(conf) > facts.MAX_DESTINATION_LENGTH:
        raise invalid_option(place, f"{len(conf)} characters are more than the limit of {facts.MAX_DESTINATION_LENGTH}")
    parsed = parse_destination(conf)
    if lacks_question_mark(parsed):
        raise invalid_option(place, "the options lack their question mark, as in s3://bucket/folder?region=us-west-2")
    if ambiguous_host(conf):
        raise invalid_option(place, "its host is not clear: in user information, write '#' as %23, '\\' as %5C and '@' as %40")
    closest = "" if parsed.scheme in SCHEMES else closest_scheme(parsed.scheme)
    if closest:
        known = ", ".join(sorted(SCHEMES))
        message = f"{conf.partition('://')[0]!r} is not a type of destination (did you mean {closest!r}?); known are {known}"
        raise invalid_option(place, message)
    return parsed


def check_address(text: str, destination: Destination | None) -> Destination:
    """Parse where a job must deliver to; refuse what outputs would mask, and another place than that of the destination beside it.

    Messages do not quote it, because it may contain a password.
    """
    parsed = check_destination(text, ADDRESS)
    if not parsed.sound or ASTERISKS.search(parsed.authority):
        raise invalid_option(ADDRESS, "cannot be parsed with confidence, so that nothing could be compared with it")
    if clear := clear_secret(parsed):
        raise invalid_option(ADDRESS, f"{clear} is one that outputs mask; write {MASK} in its place")
    if foreign_option(parsed):
        allowed = ", ".join(sorted(parsed.facts.deciding)) or "none"
        raise invalid_option(
            ADDRESS, f"takes only the options that decide where records go ({allowed} of {parsed.scheme}); leave out all others"
        )
    if destination is not None and not leads_to(parsed, destination):
        message = f"is another place than that of destination_conf, which is {address_text(destination)}"
        raise invalid_option(ADDRESS, message)
    return parsed


def refuse_mask(destination: Destination) -> None:
    """Refuse to send a destination that contains a mask instead of a secret."""
    if holds_mask(destination):
        raise invalid_option("destination_conf", "contains asterisks, the mask of a secret in outputs; set the secret itself")


def check_challenge(token: str) -> str:
    """Return a token without blanks and line ends around it, which files often have."""
    token = token.strip()
    if len(token) > facts.MAX_CHALLENGE_LENGTH:
        raise invalid_option(
            "ownership_challenge", f"{len(token)} characters are more than the limit of {facts.MAX_CHALLENGE_LENGTH}"
        )
    if any(map(str.isspace, token)):
        raise invalid_option("ownership_challenge", "contains white space, which no token has")
    return token
