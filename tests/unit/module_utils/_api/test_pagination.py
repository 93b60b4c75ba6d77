# SPDX-License-Identifier: GPL-3.0-or-later

import typing as t

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ansible_collections.edgeops.observability.plugins.module_utils._api.pagination import Page, page_of, read_listing
from ansible_collections.edgeops.observability.plugins.module_utils._core import Failure

Query = dict[str, t.Any]
Info = dict[str, t.Any] | None
Answer = tuple[list[t.Any], Info]


class Answers:
    """A listing whose answers come from a function; `asked` are the received queries."""

    def __init__(self, answer: t.Callable[[Query], Answer]) -> None:
        self.answer = answer
        self.asked: list[Query] = []

    def __call__(self, queries: t.Sequence[Query]) -> list[Page]:
        self.asked += queries
        assert len(self.asked) < 500
        return [page_of(*self.answer(query), None if "cursor" in query else query.get("page", 1)) for query in queries]

    @classmethod
    def by_cursor(cls, pages: t.Mapping[str | None, Answer]) -> t.Self:
        return cls(lambda query: pages[query.get("cursor")])


class Service(Answers):
    """A listing with its own page size; `info` can replace its `result_info`."""

    def __init__(
        self, total: int, size: int = 2, info: t.Callable[[int, dict[str, t.Any]], Info] = lambda page, result_info: result_info
    ) -> None:
        super().__init__(self.serve)
        self.items: list[t.Any] = [{"id": f"i{number}"} for number in range(total)]
        self.size = size
        self.info = info

    def serve(self, query: Query) -> Answer:
        page, total = query.get("page", 1), len(self.items)
        items = self.items[(page - 1) * self.size : page * self.size]
        counts = {"count": len(items), "total_count": total, "total_pages": -(-total // self.size)}
        return items, self.info(page, {"page": page, "per_page": self.size, **counts})


def refusal(fetch_all: Answers, *settings: t.Any, match: str | None = None, **more: t.Any) -> None:
    with pytest.raises(Failure, match=match) as caught:
        read_listing(fetch_all, *settings, **more)
    assert caught.value.kind == "bad_response" and len(fetch_all.asked) < 40


@pytest.mark.parametrize("together", [1, 3])
@pytest.mark.parametrize("total", [0, 1, 2, 3, 4, 9, 40])
def test_every_page_is_read_once_and_in_order(total, together):
    service = Service(total)
    assert read_listing(service, 100, parallel=together) == service.items
    assert [query["page"] for query in service.asked] == list(range(1, max(1, -(-total // 2)) + 1))
    assert all(query["per_page"] == 100 for query in service.asked)


@pytest.mark.parametrize("info", [None, {}, {"page": None, "total_count": None}])
@pytest.mark.parametrize("total", [0, 4, 5])
def test_no_counts_read_until_empty_page(total, info):
    service = Service(total, info=lambda page, result_info: info)
    assert read_listing(service, 2) == service.items
    assert len(service.asked) == -(-total // 2) + 1


def test_route_without_pages_needs_one_request():
    service = Service(3, size=10, info=lambda page, result_info: None)
    assert read_listing(service) == service.items
    assert service.asked == [{}]


def test_unexpected_pages_are_read():
    service = Service(5)
    assert read_listing(service) == service.items
    assert service.asked == [{}, {"page": 2}, {"page": 3}]


@pytest.mark.parametrize(
    "change",
    [
        {"total_count": "5"},
        {"total_count": -1},
        {"total_count": True},
        {"total_pages": 7},
        {"page": 4},
        {"count": 1},
        {"per_page": 1, "total_pages": 5},
        {"total_count": 1, "total_pages": 1},
        {"cursors": 5},
        {"cursor": 5},
    ],
)
def test_result_info_that_contradicts_itself_is_refused(change):
    service = Service(5, info=lambda page, result_info: {**result_info, **change})
    refusal(service, 2)


def only(*names: str, **change: t.Any) -> t.Callable[[int, dict[str, t.Any]], Info]:
    """Return a function for a result_info with these members only, some of them changed."""
    return lambda page, result_info: {name: {**result_info, **change}[name] for name in names}


@pytest.mark.parametrize("per_page", [None, 2])
@pytest.mark.parametrize("total", [0, 1, 2, 5])
@pytest.mark.parametrize(
    "names",
    [
        ("total_count",),
        ("total_pages",),
        ("per_page",),
        ("total_count", "count"),
        ("total_count", "per_page"),
        ("total_count", "total_pages"),
        ("page", "per_page", "count"),
    ],
    ids="+".join,
)
def test_partial_result_info_is_enough(names, total, per_page):
    service = Service(total, info=only(*names))
    assert read_listing(service, per_page) == service.items


@pytest.mark.parametrize("per_page", [None, 2])
@pytest.mark.parametrize(
    ("names", "change"),
    [
        (("total_count",), {"total_count": 6}),
        (("total_count",), {"total_count": 4}),
        (("total_pages",), {"total_pages": 4}),
        (("total_pages",), {"total_pages": 0}),
        (("total_count", "total_pages"), {"total_count": 6}),
        (("total_count", "total_pages"), {"total_pages": 2}),
        (("total_count", "total_pages", "cursor"), {"cursor": False}),
        (("cursors",), {"cursors": {"after": 0}}),
    ],
)
def test_partial_result_info_that_contradicts_the_items_is_refused(names, change, per_page):
    service = Service(5, info=only(*names, **change))
    refusal(service, per_page)


@pytest.mark.parametrize(
    ("pages", "infos"),
    [
        ([["a", "b"], ["b", "c"]], {"total_pages": 2}),
        ([["a", "b"], ["b", "c"]], {"total_count": 3}),
        ([["a"], [], ["b"]], {"total_pages": 3}),
        ([[], ["a"]], {"total_pages": 2}),
        ([["a", "b"], ["c"]], [{"total_pages": 2}, None]),
        ([["a", "b"], ["c"]], [{"total_count": 3}, {"total_count": 4}]),
        ([["a", "b"], ["c"]], [{"cursor": "x", "total_count": 4}, {"total_count": 4}]),
    ],
)
def test_contradictory_pages_are_refused(pages, infos):
    reported = infos if isinstance(infos, list) else [infos] * len(pages)
    answers = [*zip(pages, reported, strict=True), ([], reported[-1])]

    service = Answers(lambda query: answers[min(2 if "cursor" in query else query["page"], len(answers)) - 1])
    refusal(service, 2, match="also when read again")


def test_empty_list_may_have_one_page():
    assert read_listing(Service(0, info=lambda page, result_info: {**result_info, "total_pages": 1}), 2) == []


@pytest.mark.parametrize("edit", [lambda items: items.pop(0), lambda items: items.insert(0, {"id": "new"})])
def test_list_that_changes_is_read_again(edit):
    service = Service(9)
    service.info = lambda page, result_info: (edit(service.items), result_info)[1] if len(service.asked) == 2 else result_info
    items = read_listing(service, 2)
    assert len(items) == len(service.items) and all(item in items for item in service.items)


def test_duplicates_without_counts_are_ignored():
    pages = {1: [{"script_id": "a"}, {"script_id": "b"}], 2: [{"script_id": "b"}, {"script_id": "c"}]}
    items = read_listing(Answers(lambda query: (pages.get(query["page"], []), None)), 2)
    assert [item["script_id"] for item in items] == ["a", "b", "c"]


def test_different_items_of_one_identity_are_refused():
    """Nothing tells which of them holds."""
    rows = [{"id": "s", "end": 1}, {"id": "s", "end": 2}]
    with pytest.raises(Failure, match="different items of one identity"):
        read_listing(Answers(lambda query: (rows, None)))
    assert read_listing(Answers(lambda query: (rows[:1] * 2, None))) == rows[:1]


@pytest.mark.parametrize("member", ["script_url", "url", "host"])
def test_another_item_of_an_identity_of_an_earlier_page_is_refused(member):
    """Identifiers of scripts are not stable: one that names two of them hides neither."""
    pages = [
        [{"id": "a", member: "https://one.example"}, {"id": "b"}],
        [{"id": "a", member: "https://two.example"}, {"id": "c"}],
        [],
    ]
    refusal(Answers(lambda query: (pages[query["page"] - 1], None)), 2, match="another item of an identity")
    # One that changed in another way meanwhile is one item.
    pages[1][0] = {"id": "a", member: "https://one.example", "last_seen_at": "now"}
    assert len(read_listing(Answers(lambda query: (pages[query["page"] - 1], None)), 2)) == 3


def test_duplicates_are_found_for_any_type_of_item():
    odd = [1, "1", None, {"id": 1}, {"id": "1"}, {"id": None}, {"x": [1]}, [1]]
    assert read_listing(Answers(lambda query: (odd, None))) == odd


@pytest.mark.parametrize(
    "info", [None, {}, {"cursors": {}}, {"cursors": {"before": "x"}}, {"cursors": {"after": ""}}, {"cursor": ""}]
)
def test_all_cursors_are_followed(info):
    service = Answers.by_cursor({None: (["a"], {"cursors": {"after": "x"}}), "x": (["b"], {"cursor": "y"}), "y": (["c"], info)})
    assert read_listing(service) == ["a", "b", "c"]
    assert service.asked == [{}, {"cursor": "x"}, {"cursor": "y"}]
    assert read_listing(Answers(lambda query: (["a"], info))) == ["a"]


def test_cursor_duplicates_are_listed_once():
    """An item that is listed twice, because the list changes while it is read, is returned once, as first read."""
    first, second, third = [{"id": 1, "n": 1}, {"id": 2}], [{"id": 2}, {"id": 3}, {"id": 3}], [{"id": 1, "n": 2}]
    infos = [{"cursor": cursor, "total_pages": 3} for cursor in ("x", "y", None)]
    pages = zip((first, second, third), infos, strict=True)
    service = Answers.by_cursor(dict(zip((None, "x", "y"), pages, strict=True)))
    assert read_listing(service) == [{"id": 1, "n": 1}, {"id": 2}, {"id": 3}]


@pytest.mark.parametrize(
    ("service", "match"),
    [
        (Service(5, info=lambda page, result_info: {"total_pages": 10**9}), "page 4 of 1000000000 is empty"),
        (Answers(lambda query: ([{"id": 1}, {"id": 2}], None)), "page 2 repeats"),
        (Answers(lambda query: ([1], {"cursor": "x"})), "cursor"),
    ],
)
def test_no_loop_is_endless(service, match):
    refusal(service, 2, match=match)


COUNTS = st.none() | st.integers(-1, 6) | st.sampled_from([10**9, "2", 1.5, True, [], {}])
INFOS = st.none() | st.dictionaries(
    st.sampled_from(["page", "per_page", "count", "total_count", "total_pages", "cursor", "cursors"]), COUNTS
)
ITEMS = st.lists(
    st.integers(0, 5) | st.dictionaries(st.sampled_from(["id", "script_id"]), st.integers(0, 5) | st.none(), max_size=2),
    max_size=3,
)


@settings(max_examples=300)
@given(answers=st.lists(st.tuples(ITEMS, INFOS), min_size=1, max_size=6), per_page=st.sampled_from([None, 2]))
def test_any_answers_end_in_a_list_or_a_failure(answers, per_page):
    try:
        items = read_listing(Answers(lambda query: answers[min(query.get("page", 1), len(answers)) - 1]), per_page)
    except Failure as failure:
        kind = failure.kind
    else:
        kind = "bad_response" if isinstance(items, list) else "no list"
    assert kind == "bad_response"
