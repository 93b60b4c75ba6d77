# SPDX-License-Identifier: GPL-3.0-or-later

import typing as t

import pytest

from ansible_collections.edgeops.observability.plugins.module_utils._api.rivals import Created, Listed, Words, look_again
from ansible_collections.edgeops.observability.plugins.module_utils._core import Failure

WORDS = Words("thing", "things", "thing_id", "thing_info", ", so that there are two")


class FakeClient:
    def __init__(self) -> None:
        self.slept: list[float] = []
        self.warnings: list[str] = []
        self.sleep = self.slept.append


def made(number: str | int = "b", age: t.Any = None, lists: bool = True) -> Created:
    return Created(number, "n", "n", "name 'n'", lambda other: other != "old", age, lists)


def conflict_of(listing: list[Listed], created: Created) -> str:
    try:
        look_again(t.cast("t.Any", FakeClient()), WORDS, lambda: listing, [created])
    except Failure as failure:
        return f"{failure.kind}: {failure.message}"
    return ""


@pytest.mark.parametrize(
    ("rival", "own", "told"),
    [
        (Listed("a", "n", 1), 2, "created thing a of the same name 'n' before this run created thing b, so that there are two"),
        (Listed("a", "n", 3), 2, ""),
        (Listed("a", "n", 2), 2, "at the same time as this run"),
        (Listed("a", "n"), 2, "at the same time as this run"),
        (Listed("a", "n", 3), None, "at the same time as this run"),
        (Listed("a", "n"), None, "delete one of the two (state: absent with thing_id)"),
        (Listed("a", "other", 1), 2, ""),
        (Listed("old", "n", 1), 2, ""),
    ],
)
def test_rival_is_a_conflict_unless_it_sees_that_it_is_later(rival: Listed, own: t.Any, told: str) -> None:
    message = conflict_of([rival, Listed("b", "n", own)], made())
    assert told in message and bool(told) is bool(message)
    assert not told or (message.startswith("conflict: ") and "Nothing was deleted" in message)


def test_age_that_ids_have_needs_no_listing() -> None:
    assert "before this run" in conflict_of([Listed(4, "n", 4)], made(5, 5))
    assert not conflict_of([Listed(6, "n", 6), Listed(5, "n", 5)], made(5, 5))


def test_the_oldest_of_several_rivals_is_kept() -> None:
    rivals = [Listed(number, "n", number) for number in (10, 9)]
    assert "then updates thing 9" in conflict_of([*rivals, Listed(11, "n", 11)], made(11, 11))
    assert "created thing 8 " in conflict_of([Listed(2, "n"), Listed(8, "n", 8)], made(11, 11)), (
        "one that is not known to be older"
    )


@pytest.mark.parametrize("times", [1, 4, 5])
def test_object_that_was_replaced_must_go(times: int) -> None:
    """A listing may show for a moment what was deleted."""
    client = FakeClient()
    old, new = Listed(4, "n", 4), Listed(5, "n", 5)
    answers = [[old, new]] * times + [[new]]
    replacing = made(5, 5)._replace(is_new=lambda other: other != 4, replaced=4)
    listings = iter(answers)
    if times < 5:
        look_again(t.cast("t.Any", client), WORDS, lambda: next(listings), [replacing])
        assert client.slept == [0.5, 1.0, 2.0, 4.0][:times]
        return
    with pytest.raises(
        Failure, match=r"^Thing 4 was deleted to create thing 5 .* still lists it, so that there are two: delete thing 4"
    ):
        look_again(t.cast("t.Any", client), WORDS, lambda: next(listings), [replacing])


def test_new_object_that_is_never_listed_is_a_warning() -> None:
    client = FakeClient()
    look_again(t.cast("t.Any", client), WORDS, list, [made()])
    assert client.slept == [0.5, 1.0, 2.0, 4.0]
    (text,) = client.warnings
    assert text.startswith("Thing 'n' (id b) was created") and "list of things" in text and "thing_info" in text


def refuse() -> t.NoReturn:
    raise Failure("not_found", "No.", status=404)


def test_failing_listing_is_a_failure_with_what_is_not_known() -> None:
    with pytest.raises(Failure, match=r"^No\. The thing was created, but whether"):
        look_again(t.cast("t.Any", FakeClient()), WORDS, refuse, [made()])


def test_service_that_never_listed_is_no_failure() -> None:
    client = FakeClient()
    look_again(t.cast("t.Any", client), WORDS, refuse, [made(lists=False)])
    assert not client.warnings
