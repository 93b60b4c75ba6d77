# SPDX-License-Identifier: GPL-3.0-or-later

import typing as t

import pytest

from ansible_collections.edgeops.observability.plugins.module_utils._core import BAD_RESPONSE, Failure, plan_id
from ansible_collections.edgeops.observability.plugins.module_utils._transformers.options import desire, normal
from ansible_collections.edgeops.observability.plugins.module_utils._transformers.plan import (
    TransformerState,
    parse_content,
    parse_transformer,
    parse_version,
    plan,
)

SENT: dict[str, t.Any] = {
    "id": 7,
    "name": "redact",
    "description": "d",
    "dataset": None,
    "created_at": "2026-10-01T00:00:00Z",
    "updated_at": "2026-10-01T00:00:00Z",
    "associated_jobs": [
        {"id": 9, "name": None, "object_type": "zone", "object_tag": "b"},
        {"id": 3, "name": "web", "object_type": "account", "object_tag": "a"},
    ],
}
OMITTED = dict.fromkeys(("name", "transformer_id", "sql", "description"))
SQL = "SELECT 1 FROM http_requests"


@pytest.mark.parametrize("content", [None, "", " \n", 7, [], {}])
def test_query_that_is_not_shown_is_no_empty_query(content: t.Any) -> None:
    with pytest.raises(Failure) as failure:
        parse_content({"content": content})
    assert failure.value.kind == BAD_RESPONSE


def desired(**options: t.Any) -> t.Any:
    return desire({"state": "present", "samples": [], **OMITTED, "name": "redact", **options})


def state(**changes: t.Any) -> TransformerState:
    return TransformerState(parse_transformer({**SENT, **changes})._replace(sql=SQL, version=2))


@pytest.mark.parametrize(
    ("options", "body", "effects"),
    [
        ({}, None, []),
        ({"sql": f"{SQL}  \n\n"}, None, []),
        ({"description": "d"}, None, []),
        ({"description": ""}, {"name": "redact", "description": ""}, []),
        ({"transformer_id": 7, "name": "new"}, {"name": "new", "description": "d"}, []),
        ({"sql": "SELECT 2\n"}, {"name": "redact", "description": "d", "code": "SELECT 2\n"}, [("redact", ("a/3", "b/9"))]),
    ],
)
def test_differences_are_sent(options: t.Any, body: t.Any, effects: t.Any) -> None:
    made = plan(desired(**options), state())
    assert [request.body for request in made.requests] == ([] if body is None else [body])
    assert [(effect.subject, effect.detail) for effect in made.effects] == effects
    assert made.changed is (made.before != made.after)
    assert set(made.after) == {"name", *({"sql", "description"} & set(options))}


@pytest.mark.parametrize("present", [state(), TransformerState(None)])
def test_blanks_at_line_ends_are_not_in_the_plan_id(present: TransformerState) -> None:
    """Approved with a file, which ends with a line end, and applied with a text, which does not."""
    plans = [plan(desired(sql=sql), present) for sql in ("SELECT a\nFROM b", "SELECT a  \r\nFROM b\n\n", "SELECT c")]
    ids = [plan_id({}, made) for made in plans]
    assert ids[0] == ids[1] != ids[2] and plans[1].requests[0].body["code"] == "SELECT a  \r\nFROM b\n\n"


def test_jobs_are_in_the_plan_if_the_query_changes() -> None:
    for options, same in (({"description": "x"}, True), ({"sql": "SELECT 2"}, False)):
        ids = {plan_id({}, plan(desired(**options), current)) for current in (state(), state(associated_jobs=None))}
        assert (len(ids) == 1) is same


def test_transformer_in_use_is_not_deleted() -> None:
    with pytest.raises(Failure, match=r"a/3 \(web\), b/9"):
        plan(desired(state="absent"), state())
    assert plan(desired(state="absent"), state(associated_jobs=[])).requests[0].operation == "transformers.delete"


@pytest.mark.parametrize("unknown", [{"associated_jobs": None}, {}])
def test_unknown_jobs_are_not_no_jobs(unknown: t.Any) -> None:
    """Without its jobs a transformer is not deleted, and a changed query may change what any job delivers."""
    sent = {name: value for name, value in SENT.items() if name != "associated_jobs"}
    current = TransformerState(parse_transformer({**sent, **unknown})._replace(sql=SQL, version=2))
    with pytest.raises(Failure, match="has no associated_jobs") as caught:
        plan(desired(state="absent"), current)
    assert caught.value.kind == BAD_RESPONSE
    made = plan(desired(sql="SELECT 2"), current)
    assert [(effect.name, effect.detail) for effect in made.effects] == [("change_transformer", None)]
    transformer = made.result["transformer"]
    assert isinstance(transformer, dict) and transformer["associated_jobs"] is None


@pytest.mark.parametrize(
    "changes",
    [
        {"id": "7"},
        {"id": 0},
        {"id": True},
        {"name": None},
        {"description": 1},
        {"dataset": []},
        {"associated_jobs": {}},
        {"associated_jobs": [1]},
        {"associated_jobs": [{"id": 1, "name": "x", "object_type": "zone", "object_tag": None}]},
        {"associated_jobs": [{"id": 1, "name": "x", "object_type": "zone", "object_tag": ""}]},
    ],
)
def test_invalid_transformer_is_refused(changes: t.Any) -> None:
    with pytest.raises(Failure) as failure:
        parse_transformer({**SENT, **changes})
    assert failure.value.kind == BAD_RESPONSE


def test_job_with_unknown_owner_has_no_scope() -> None:
    job = {"id": 1, "name": "x", "object_type": "\x1b[2J_id", "object_tag": "t"}
    transformer = plan(desired(), state(associated_jobs=[job])).result["transformer"]
    assert isinstance(transformer, dict) and transformer["associated_jobs"] == [{"id": 1, "name": "x", "scope": None}]


@pytest.mark.parametrize(("listed", "version"), [(None, None), ([], None), ([{"version": 1}, {"version": 3}, {"version": 2}], 3)])
def test_newest_version_is_reported(listed: t.Any, version: int | None) -> None:
    assert parse_version(listed) == version


@pytest.mark.parametrize("listed", [{}, [1], [{"version": "3"}]])
def test_invalid_version_is_refused(listed: t.Any) -> None:
    with pytest.raises(Failure):
        parse_version(listed)


@pytest.mark.parametrize(
    ("sql", "expected"),
    [("a \t\r\n b  \n \n", "a\n b"), ("\n a", "\n a"), (" ", ""), ("'a\u2028b\x0c'\u00a0", "'a\u2028b\x0c'\u00a0")],
)
def test_trailing_blanks_are_ignored(sql: str, expected: str) -> None:
    assert normal(sql) == expected == normal(normal(sql))
