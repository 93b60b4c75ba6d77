# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import collections
import typing as t

from ...module_utils._address import SCOPES, ZONE, without_ids
from ...module_utils._difference import Difference
from ...module_utils._text import canonical, line
from .._diff import fold
from .._words import MIN_FOLDED, count_hosts, hosts_such_as, part_of_hosts, plural
from .document import Counts, Item, Report, Row
from .facts import (
    ACTIONS,
    AUDIT,
    COMPLIANT,
    DIFFERENCE,
    DRIFTED,
    FINDING,
    FINDINGS,
    KINDS,
    LOOK,
    NOTE,
    SEVERITIES,
    STATUSES,
    UNAUDITED,
    UNMANAGED,
    Action,
    type_of,
    type_place,
)
from .items import APPLIED, FOUND, OF_JOBS, counting, difference_problem, items_of, subject_words, without_own
from .not_audited import not_audited_text

# A report in words: the verdict, what to do about which items, and the lines for the terminal.

# Maximum number of items of one kind and zone in the terminal; a zone without a baseline may have thousands.
_MAX_PRINTED = 20
_MAX_LINE = 2000
_MAX_REASON = 100
# Types of high severity that the verdict names.
_MAX_SEVERE = 3
# What the subject of an item is called.
_NOUNS: t.Mapping[str, str] = {
    **dict.fromkeys(OF_JOBS, "job"),
    "scripts": "script",
    "pages": "page",
    "fields": "fields of",
}


class Group(t.NamedTuple):
    """An item with the zones that have it, all of them with equal values.

    What one lacking permission hides of several parts is one group: its item names them, and a zone has several of its items.
    """

    item: Item
    pairs: tuple[tuple[Row, Item], ...]

    @property
    def rows(self) -> list[Row]:
        """Return the zones, each once."""
        return list({_key(row): row for row, _item in self.pairs}.values())

    @property
    def items(self) -> list[Item]:
        return [item for _row, item in self.pairs]

    def ids(self, row: Row) -> list[str]:
        """Return the ids of the items of a zone."""
        return [item["id"] for own, item in self.pairs if own is row]


def is_shared(group: Group) -> bool:
    """Return whether so many zones have an item that it is shown once, with the zones."""
    return len(group.rows) >= MIN_FOLDED


def verdict(report: Report, unaffected: str = "") -> str:
    """Return one sentence with the verdict and the numbers, what is most severe first; where nothing else is to be done, it names the notes.

    `unaffected` takes the place of what it says of zones that need no attention.
    """
    rows = [row for row in report["zones"] if not row["carried"]]
    by_status = {status: [row for row in rows if row["status"] == status] for status in STATUSES}
    findings = [(row, item) for row in rows for item in counting(row["items"]) if item["kind"] == FINDING]
    severe = [(row, item) for row, item in findings if _rank(item) == 0]
    others = [(row, item) for row, item in findings if _rank(item) > 0]
    parts = [
        *_severe(severe),
        *([_unaudited(by_status[UNAUDITED])] if by_status[UNAUDITED] else []),
        *([f"{hosts_text(by_status[DRIFTED])} drifted"] if by_status[DRIFTED] else []),
        *([f"{plural(len(others), 'other finding' if severe else 'finding')} in {_of(others)}"] if others else []),
    ]
    rest = [unaffected] if unaffected else _unaffected(rows, by_status)
    return "; ".join([*parts, *rest] if parts else [unaffected or _calm(by_status), *_look(notes_text(rows), report)]) + "."


def _severe(pairs: t.Sequence[tuple[Row, Item]]) -> list[str]:
    """Return the numbers of findings by type, in the order of the table of types, and how many are of further types."""
    by_type: dict[str, list[tuple[Row, Item]]] = collections.defaultdict(list)
    for row, item in pairs:
        by_type[item["type"]].append((row, item))
    named = sorted(by_type, key=type_place)
    words = [f"{plural(len(by_type[name]), type_of(name).one, type_of(name).many)} in {_of(by_type[name])}" for name in named]
    more = sum(len(by_type[name]) for name in named[_MAX_SEVERE:])
    return [*words[:_MAX_SEVERE], *([f"{more:,} more of high severity"] if more else [])]


def _of(pairs: t.Sequence[tuple[Row, Item]]) -> str:
    return hosts_text({(row["scope"], row["zone"]): row for row, _item in pairs}.values())


def _unaudited(rows: t.Sequence[Row]) -> str:
    """Return how many could not be audited, and why: the missing permission where that is the reason."""
    reasons = collections.Counter(_reason(row) for row in rows)
    numbers = ", ".join(f"{number:,} {reason}" for reason, number in reasons.most_common())
    return f"{hosts_text(rows)} could not be audited ({numbers if len(reasons) > 1 else next(iter(reasons))})"


def _reason(row: Row) -> str:
    error = row["error"]
    lacking = error.get("permission") if error else None
    return line(f"without the permission {lacking}" if lacking else error["kind"] if error else "unknown", _MAX_REASON)


def _unaffected(rows: t.Sequence[Row], by_status: t.Mapping[str, t.Sequence[Row]]) -> list[str]:
    """Return how many of all are compliant, or need no attention because nothing is declared for them."""
    if fine := by_status[COMPLIANT]:
        return [f"{part_of_hosts(len(fine), (row['scope'] for row in rows))} {'is' if len(fine) == 1 else 'are'} compliant"]
    return [f"{hosts_text(by_status[UNMANAGED])} unmanaged"] if by_status[UNMANAGED] else []


def _calm(by_status: t.Mapping[str, t.Sequence[Row]]) -> str:
    """Return the verdict where nothing needs attention."""
    fine = [*by_status[COMPLIANT], *by_status[UNMANAGED]]
    if not by_status[UNMANAGED]:
        return f"{'All ' if len(fine) > 1 else ''}{hosts_text(fine)} {'is' if len(fine) == 1 else 'are'} compliant"
    numbers = ", ".join(status_count(status, len(rows)) for status, rows in by_status.items() if rows)
    return f"No {_nouns(fine)} needs attention: {numbers}"


def _look(text: str, report: Report) -> list[str]:
    return [f"{text} {'is' if report['counts']['notes'] == 1 else 'are'} worth a look"] if text else []


def notes_text(rows: t.Iterable[Row]) -> str:
    """Return the number of notes, and of different ones where several zones have the same; "" if there is none."""
    groups = dict(groups_by_action(rows)).get(LOOK, [])
    number = sum(len(group.pairs) for group in groups)
    if number > 1 and len(groups) == 1:
        return f"{number:,} equal notes"
    different = f" ({len(groups):,} different)" if len(groups) < number else ""
    return f"{plural(number, 'note')}{different}" if number else ""


def _nouns(rows: t.Iterable[Row]) -> str:
    scopes = {row["scope"] for row in rows}
    return " or ".join(scope for scope in SCOPES if scope in scopes) or ZONE


def hosts_text(rows: t.Iterable[Row]) -> str:
    """Return the numbers of zones and accounts of rows."""
    return count_hosts(row["scope"] for row in rows)


def with_findings(status: str, rows: t.Iterable[Row]) -> str:
    """Return how many zones of another status than `findings` have findings as well; "" for none."""
    if status == FINDINGS:
        return ""
    of_status = [row for row in rows if row["status"] == status]
    number = sum(any(item["kind"] == FINDING for item in counting(row["items"])) for row in of_status)
    if not number:
        return ""
    return "with findings as well" if len(of_status) == 1 else f"{number:,} of them with findings"


def _also_with_findings(rows: t.Sequence[Row]) -> t.Iterator[str]:
    """Yield for each other status that some of its zones have findings, which the numbers by status do not show."""
    for status in STATUSES:
        if words := with_findings(status, rows):
            yield f"{status_count(status, sum(row['status'] == status for row in rows))}, {words}"


def audit_action(rows: t.Iterable[Row]) -> Action:
    """Return what to do about the zones that could not be audited: give the token what it lacks, where that is the only reason."""
    errors = [row["error"] for row in rows if row["status"] == UNAUDITED and not row["carried"]]
    lacking = dict.fromkeys(str(error.get("permission") or "") if error else "" for error in errors)
    return (
        AUDIT
        if "" in lacking or not lacking
        else AUDIT._replace(
            title=f"Give the token {' and '.join(lacking)}",
            advice="What could not be read is not known: tick it in the form of the token, then run the audit again.",
            guide="reference_permissions.html",
        )
    )


def status_count(status: str, number: int) -> str:
    """Return a number of zones with their status, such as `1 drifted` or `1 with findings`."""
    return f"{number:,} {'with ' if status == FINDINGS else ''}{status}"


def item_counts(counts: Counts) -> str:
    numbers = {DIFFERENCE: counts["differences"], FINDING: counts["findings"], NOTE: counts["notes"]}
    return f"{', '.join(plural(number, kind) for kind, number in numbers.items())}, {counts['waived']:,} waived"


def groups_by_action(rows: t.Iterable[Row]) -> list[tuple[Action, list[Group]]]:
    """Return what counts in this run, by what to do about it: the most severe first, then the worst type, then what concerns most zones."""
    collected: dict[str, list[tuple[Row, Item]]] = {}
    for row in rows:
        for item in [] if row["carried"] else counting(row["items"]):
            shared = {**without_own(item, row["zone"]), **_ONE_CAUSE} if _is_unread(item) else without_own(item, row["zone"])
            key = canonical({**shared, "id": "", "severity": "", "first_seen": ""})
            collected.setdefault(key, []).append((row, item))
    by_action: dict[Action, list[Group]] = collections.defaultdict(list)
    for pairs in collected.values():
        is_folded = len(pairs) >= MIN_FOLDED and len({_key(row) for row, _item in pairs}) >= MIN_FOLDED
        for part in [pairs] if is_folded else [[pair] for pair in pairs]:
            row, item = part[0]
            action = LOOK if item["kind"] == NOTE else type_of(item["type"]).action
            by_action[action].append(Group(_common(part) if is_folded else item, tuple(part)))
    ordered = [(action, sorted(by_action[action], key=_place)) for action in ACTIONS if by_action[action]]
    return sorted(ordered, key=lambda pair: (pair[0] is LOOK, _rank(pair[1][0].item)))


# Of parts that could not be read for one reason, what tells them apart.
_ONE_CAUSE: t.Mapping[str, t.Any] = {"resource": "", "member": ""}


def _is_unread(item: Item) -> bool:
    """Return whether an item says that a whole part could not be read, for a reason that may be that of other parts."""
    return item["type"] == "not_readable" and item["subject"] is None and item["member"] == item["type"]


def _common(pairs: t.Sequence[tuple[Row, Item]]) -> Item:
    """Return the item that several zones have, with all parts that it is about."""
    row, item = pairs[0]
    parts = ", ".join(dict.fromkeys(other["resource"] for _row, other in pairs))
    return {**without_own(item, row["zone"]), "resource": parts}


def _rank(item: Item) -> int:
    """Return the place of an item's severity, 0 for the highest; one of a later version counts as the highest."""
    return SEVERITIES.index(item["severity"]) if item["severity"] in SEVERITIES else 0


def _place(group: Group) -> tuple[int, int, int, str, str]:
    """Return the place of a group: the severest first, of these the worst type, then what concerns most zones."""
    return _rank(group.item), type_place(group.item["type"]), -len(group.rows), group.rows[0]["zone"], group.item["id"]


def printed(report: Report, counted_kinds: t.Sequence[str] = (), unaffected: str = "") -> list[str]:
    """Return the lines of a report for the terminal: each item that counts, the numbers, and what to do next.

    Of the kinds in `counted_kinds` only the numbers by type are printed. `unaffected` is as for `verdict`.
    """
    rows = [row for row in report["zones"] if not row["carried"]]
    new = frozenset(report["comparison"]["new"])
    by_action = groups_by_action(rows)
    groups = [group for _action, of_action in by_action for group in of_action]
    shared = [group for group in groups if is_shared(group) and group.item["kind"] not in counted_kinds]
    folded = frozenset((_key(row), item["id"]) for group in shared for row, item in group.pairs)
    statuses = report["counts"]["statuses"]
    by_status = ", ".join(status_count(status, statuses[status]) for status in STATUSES)
    actions = [audit_action(rows)] if statuses[UNAUDITED] else []
    actions += [action for action, _groups in by_action if action is not LOOK]
    return [
        *_of_groups(shared, new),
        *(text for row in rows for text in _of_row(row, new, counted_kinds, folded)),
        *_unread(rows),
        *(_by_type(rows, kind) for kind in counted_kinds if any(_counting_of(row, kind) for row in rows)),
        verdict(report, unaffected),
        f"{hosts_text(rows)}: {by_status}",
        *_also_with_findings(rows),
        item_counts(report["counts"]),
        *filter(None, [not_audited_text(rows)]),
        *(f"Next: {action.title}. {action.advice} {action.url}" for action in actions),
    ]


def difference_text(difference: Difference, *, applied: bool = False) -> str:
    """Return what would change, or what has changed, on one line: `job edge-logs: enabled is false, should be true`."""
    (item,) = items_of(None, [difference_problem(difference)], "", APPLIED if applied else FOUND)
    return line(f"{about(item)}: {item['message']}", _MAX_LINE)


def _by_type(rows: t.Iterable[Row], kind: str) -> str:
    """Return the numbers of all items of a kind by type, the most frequent first."""
    numbers = collections.Counter(item["type"] for row in rows for item in _counting_of(row, kind))
    ordered = sorted(numbers.items(), key=lambda pair: (-pair[1], pair[0]))
    return f"{kind}s: {', '.join(f'{number:,} {name}' for name, number in ordered)}"


def _counting_of(row: Row, kind: str) -> list[Item]:
    return [item for item in counting(row["items"]) if item["kind"] == kind]


def _unread(rows: t.Sequence[Row]) -> t.Iterator[str]:
    """Yield why zones could not be audited, equal reasons of several zones once."""
    unread = {_key(row): row for row in rows if row["status"] == UNAUDITED}
    for names, row in fold(unread.items(), key=lambda row: without_ids(error_text(row)), least=MIN_FOLDED):
        who, why = [unread[name] for name in names], error_text(row)
        yield line(f"{_who(who)} {UNAUDITED}: {without_ids(why) if len(who) > 1 else why}", _MAX_LINE)


def _key(row: Row) -> str:
    """Return what tells a row from others of its name."""
    return canonical([row["scope"], row["zone"], row["zone_id"] or row["account_id"]])


def _who(rows: t.Sequence[Row]) -> str:
    """Return the zones of a line."""
    return hosts_such_as([line(shown_name(row), 300) for row in rows], (row["scope"] for row in rows))


def _of_groups(groups: t.Sequence[Group], new: t.Collection[str]) -> t.Iterator[str]:
    """Yield what several zones have in common, of one type at most some lines."""
    printed_of: dict[str, int] = collections.Counter()
    for group in groups:
        kind = group.item["type"]
        printed_of[kind] += 1
        if printed_of[kind] <= _MAX_PRINTED:
            fresh = sum(item["id"] in new for item in group.items)
            mark = "" if not fresh else " (new)" if fresh == len(group.items) else f" (new in {fresh:,})"
            yield line(f"{_who(group.rows)}: {in_words(group.item)}{mark}", _MAX_LINE)
    for kind, number in printed_of.items():
        if number > _MAX_PRINTED:
            yield f"several zones: {number - _MAX_PRINTED:,} more of the type {kind} in the report"


def _of_row(
    row: Row, new: t.Collection[str], counted_kinds: t.Collection[str], folded: t.Collection[tuple[str, str]]
) -> t.Iterator[str]:
    key, zone = _key(row), line(shown_name(row), 300)
    for kind in KINDS:
        counting = [] if kind in counted_kinds else _counting_of(row, kind)
        items = [item for item in counting if (key, item["id"]) not in folded]
        # Of each type at least one.
        first = {item["type"]: item["id"] for item in reversed(items)}
        by_need = sorted(items, key=lambda item: item["id"] != first[item["type"]])
        printed_ids = {item["id"] for item in by_need[:_MAX_PRINTED]}
        for item in items:
            if item["id"] in printed_ids:
                yield line(f"{zone} {in_words(item)}{' (new)' if item['id'] in new else ''}", _MAX_LINE)
        left = collections.Counter(item["type"] for item in items if item["id"] not in printed_ids)
        if left:
            types = ", ".join(f"{number} {name}" for name, number in left.items())
            yield f"{zone} {kind}: {plural(sum(left.values()), f'more {kind}')} in the report ({types})"


def shown_name(row: Row) -> str:
    """Return the name of a zone, or that of an account with the name of its host: `Example GmbH (account_0a1b)`."""
    name = row["account_name"] if row["scope"] != ZONE else None
    return f"{name} ({row['zone']})" if name and name != row["zone"] else row["zone"]


def other_date(row: Row, at: str) -> str:
    """Return the day of the audit of a row, where it is not that of the report; "" otherwise."""
    audited = line(row["audited_at"] or "")[:10]
    return f"last audited on {audited}" if audited and audited != at[:10] else ""


def error_text(row: Row) -> str:
    """Return why a zone could not be audited, its kind first."""
    error = row["error"]
    return f"{error['kind']}: {error['message']}" if error else "for an unknown reason"


def in_words(item: Item) -> str:
    """Return an item on one line: `finding job_failing (high): job edge-logs: its deliveries fail: …`."""
    head = f"{item['kind']} {item['type']} ({item['severity']})" if item["kind"] == FINDING else item["kind"]
    head += f" {item['type']}" if item["kind"] == NOTE else ""
    return f"{head}: {about(item)}: {item['message']}"


def about(item: Item) -> str:
    """Return what an item is about, such as `job edge-logs`; the resource where it has no subject."""
    words, resource = subject_words(item), item["resource"].replace("_", " ")
    if not words or words.startswith(("waiver for", "entry ")):
        return words or resource
    return f"{_NOUNS_OF_TYPES.get(item['type']) or _NOUNS.get(item['resource'], resource)} {words}"


# Where the subject is another thing than those of the resource usually are.
_NOUNS_OF_TYPES = {"over_budget": "account", "field_removed": "job", "region_gap": "job", "unused": "line"}


def waiver_reasons(report: Report) -> dict[str, str]:
    """Return why items are waived, by their ids."""
    return {
        name: f"{waiver['reason']} ({waiver['owner']}, until {waiver['until']})"
        for waiver in report["waivers"]
        for name in waiver["items"]
        if not waiver["expired"]
    }
