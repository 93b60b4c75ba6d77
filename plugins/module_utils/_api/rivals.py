# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t

from .._core import Failure, Json, conflict
from .client import Client
from .response import is_missing

# The service keeps no names unique: two runs that create the same object at the same time make two, and each later run is a conflict.
# A task that created something therefore looks at the listing again.

# The linter of ansible-test knows no other form.
ObjectId = t.Union[int, str]  # noqa: UP007  # see the line above


class Listed(t.NamedTuple):
    """An object of a listing. `key` is what two objects must not share, None if nothing identifies it.

    `age` sorts after that of what was created before it; None if the listing does not tell which of two was first.
    """

    id: ObjectId
    key: Json
    age: t.Any = None


class Created(t.NamedTuple):
    """What this run created; `named` are the words for its key, and `is_new` tells of an id whether it was absent before this run.

    `age` is known without a listing if ids are in the order of creation. `lists`: the objects were listed before. `replaced` is what was
    deleted to create it.
    """

    id: ObjectId
    key: Json
    label: str
    named: str
    is_new: t.Callable[[ObjectId], bool]
    age: t.Any = None
    lists: bool = True
    replaced: ObjectId | None = None


class Words(t.NamedTuple):
    """What messages call an object and several, the option with its id, the module that lists it, and what is wrong with two of them."""

    noun: str
    plural: str
    option: str
    info: str
    consequence: str = ""


# A listing may show a new object late; the pauses before it is looked at again.
_PAUSES = (0.5, 1.0, 2.0, 4.0)


def look_again(client: Client, words: Words, listing: t.Callable[[], t.Sequence[Listed]], created: t.Sequence[Created]) -> None:
    """List the objects again after a creation: refuse what another run created meanwhile, and warn of a new one that is not listed yet.

    What was deleted for it must not be listed any more.
    A service without a listing is no failure if none of the objects (`lists`) was compared with one before.
    """
    missing = {made.id: made.label for made in created}
    left: list[Created] = []
    for pause in (None, *_PAUSES):
        if not missing and not left:
            return
        if pause is not None:
            client.sleep(pause)
        try:
            items = listing()
        except Failure as failure:
            if is_missing(failure) and not any(made.lists for made in created):
                return
            raise failure.with_note(
                f"The {words.noun} was created, but whether another run created one of the same name at the same time is not known."
                f" A further run reports two of one name as a conflict."
            ) from failure
        _refuse(words, items, created)
        ids = {item.id for item in items}
        missing = {number: label for number, label in missing.items() if number not in ids}
        left = [made for made in created if made.replaced in ids]
    if left:
        raise conflict(" ".join(_left(words, made) for made in left))
    client.warnings.extend(
        f"{words.noun.capitalize()} {label!r} (id {number}) was created, but the service's list of {words.plural} does not show it yet. Before the next run,"
        f" wait until {words.info} lists it: a run that finds no {words.noun} of this name creates a second one."
        for number, label in missing.items()
    )


def _left(words: Words, made: Created) -> str:
    """Return that what was deleted is still there."""
    return (
        f"{words.noun.capitalize()} {made.replaced} was deleted to create {words.noun} {made.id} of the same {made.named} in its place, but the"
        f" service still lists it{words.consequence}: delete {words.noun} {made.replaced} (state: absent with {words.option}: {made.replaced})."
    )


def _refuse(words: Words, items: t.Sequence[Listed], created: t.Sequence[Created]) -> None:
    """Raise `conflict` if another run created the same at the same time, unless that run sees that it was the later one; delete nothing."""
    met = []
    for made in created:
        own = made.age or next((item.age for item in items if item.id == made.id), None)
        rivals = [
            item
            for item in items
            if made.key is not None and item.key == made.key and item.id != made.id and made.is_new(item.id)
        ]
        first = [item for item in rivals if None in (item.age, own) or item.age <= own]
        if not first:
            continue
        rival = min(first, key=lambda item: (True, item.id) if item.age is None else (False, item.age, item.id))
        is_older = None not in (rival.age, own) and rival.age < own
        when = "before" if is_older else "at the same time as"
        what = (
            f"delete {words.noun} {made.id} (state: absent with {words.option}: {made.id}), and run the task again, which then updates"
            f" {words.noun} {rival.id}"
            if is_older
            else f"delete one of the two (state: absent with {words.option}), and run the task again, which then updates the other"
        )
        met.append(
            f"Another run created {words.noun} {rival.id} of the same {made.named} {when} this run created {words.noun} {made.id}"
            f"{words.consequence}. Nothing was deleted: {what}."
        )
    if met:
        raise conflict(" ".join(met))
