# SPDX-License-Identifier: GPL-3.0-or-later

"""The checks of the controller for a new object: required members, references, and values that it refuses."""

import json
import re
import typing as t

import jinja2
import jinja2.sandbox

Item = dict[str, t.Any]
Find = t.Callable[[str, t.Any], Item]

# The kinds of objects, with the names of their paths.
KINDS = (
    "organizations",
    "credential_types",
    "teams",
    "notification_templates",
    "credentials",
    "execution_environments",
    "projects",
    "inventories",
    "inventory_sources",
    "job_templates",
    "workflow_job_templates",
    "workflow_job_template_nodes",
    "workflow_approval_templates",
    "schedules",
)
NEEDED = {
    "credentials": ("credential_type",),
    "execution_environments": ("image",),
    "teams": ("organization",),
    "notification_templates": ("notification_type", "notification_configuration"),
    "inventories": ("organization",),
    "inventory_sources": ("inventory", "source"),
    "job_templates": ("inventory", "project", "playbook"),
    "workflow_job_template_nodes": ("identifier", "workflow_job_template"),
    "schedules": ("unified_job_template", "rrule"),
}
FIELD_MEMBERS = {"id", "label", "type", "secret", "help_text", "default", "choices", "format", "multiline", "ask_at_runtime"}
RRULE = re.compile(r"DTSTART;TZID=[\w/]+:\d{8}T\d{6} RRULE:FREQ=[A-Z]+;INTERVAL=\d+(;\w+=[\w,]+)*")


class Refused(Exception):
    """The controller answers with 400 and this text about a member."""

    def __init__(self, text: str, member: str = "__all__") -> None:
        super().__init__(text)
        self.member = member


def checked(kind: str, item: Item, find: Find) -> None:
    """Refuse an object that the controller would refuse; the modules of awx.awx already check members and references."""
    # Nodes of workflows have no name but a required identifier.
    for member in (*(() if kind == "workflow_job_template_nodes" else ("name",)), *NEEDED.get(kind, ())):
        if item.get(member) in (None, ""):
            raise Refused(f"{kind} need {member}")
    special = {
        "credential_types": _credential_type,
        "credentials": _credential,
        "job_templates": _template,
        "schedules": _schedule,
    }
    if kind in special:
        special[kind](item, find)


def _credential_type(item: Item, find: Find) -> None:
    fields = item["inputs"]["fields"]
    for field in fields:
        if not {"id", "label"} <= set(field) <= FIELD_MEMBERS or field.get("type", "string") not in ("string", "boolean"):
            raise Refused(f"a field of inputs is not one: {field}")
    if item["kind"] not in ("cloud", "net") or not set(item["injectors"]) <= {"env", "extra_vars", "file"}:
        raise Refused("kind or injectors")
    injected(item, {field["id"]: "EXAMPLE" for field in fields}, strict=True)


def _credential(item: Item, find: Find) -> None:
    kind = find("credential_types", item["credential_type"])
    unknown = set(item["inputs"]) - {field["id"] for field in kind["inputs"]["fields"]}
    if unknown:
        raise Refused(f"the type of the credential has no input {sorted(unknown)}")


def _template(item: Item, find: Find) -> None:
    if item["job_type"] not in ("run", "check") or item["job_slice_count"] < 1:
        raise Refused("job_type or job_slice_count")
    if item["playbook"] not in find("projects", item["project"])["playbooks"]:
        raise Refused("Playbook not found for project.", "playbook")
    json.loads(item.get("extra_vars") or "{}")


def _schedule(item: Item, find: Find) -> None:
    if not RRULE.fullmatch(item["rrule"]):
        raise Refused(f"rrule: {item['rrule']}")
    template = find("unified_job_templates", item["unified_job_template"])
    answered(template.get("survey_spec", {}), item.get("extra_data", {}))


def survey(spec: Item) -> None:
    """Refuse a survey with an incomplete question, or with a default that is not a valid answer."""
    if not {"name", "description", "spec"} == set(spec):
        raise Refused(f"a survey is name, description and spec, not {sorted(spec)}")
    for question in spec["spec"]:
        if not {"question_name", "variable", "type", "required"} <= set(question):
            raise Refused(f"a question is not whole: {question}")
    answered(spec, {question["variable"]: question["default"] for question in spec["spec"] if "default" in question})


def answered(spec: Item, answers: Item) -> Item:
    """Return the variables of a launch with these answers; surveys pass text."""
    questions = {question["variable"]: question for question in spec.get("spec", [])}
    if set(answers) - set(questions):
        raise Refused(f"Variables {sorted(set(answers) - set(questions))} are not allowed on launch")
    for variable, answer in answers.items():
        question = questions[variable]
        if not isinstance(answer, str):
            raise Refused(f"{variable}: {answer!r} is not text")
        if question["type"] == "multiplechoice" and answer not in question["choices"]:
            raise Refused(f"{variable}: {answer!r} is not in {question['choices']}")
        if question["type"] == "textarea" and not question["min"] <= len(answer) <= question["max"]:
            raise Refused(f"{variable}: length {len(answer)}")
    return {**{name: question["default"] for name, question in questions.items() if "default" in question}, **answers}


# The ansible-core and the Python of public images, by their definitions.
IMAGES = {"quay.io/ansible/awx-ee:24.6.1": ((2, 15), (3, 9))}


def launched(template: Item, limit: str) -> None:
    """Refuse a launch that the controller would report as failed, or without the limit that was given."""
    if limit and not template["ask_limit_on_launch"]:
        raise Refused(f"{template['name']} does not ask for a limit, and ignores it")
    if limit and template["job_slice_count"] > 1:
        # The inventory is cut into slices before the limit applies.
        raise Refused("Specified inventory, host pattern and/or --limit leaves us with no hosts to target")


def injected(kind: Item, inputs: Item, *, strict: bool = False) -> dict[str, str]:
    """Return the environment that a credential of this type adds to a job; an empty input becomes an empty text."""
    undefined = jinja2.StrictUndefined if strict else jinja2.Undefined
    templates = jinja2.sandbox.ImmutableSandboxedEnvironment(undefined=undefined)
    return {name: templates.from_string(text).render(**inputs) for name, text in kind["injectors"]["env"].items()}
