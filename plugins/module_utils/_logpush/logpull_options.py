# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import math
import re
import typing as t
from urllib.parse import quote, unquote

from .._core import invalid_option
from .._text import did_you_mean, nearest, quoted
from .facts import MAX_OPTIONS_LENGTH, SUBOPTIONS, TIMESTAMP_FORMATS

FIELDS = "fields"
TIMESTAMPS = "timestamps"
SAMPLE = "sample"
# What means the same as omitting the format.
_DEFAULT_FORMAT = SUBOPTIONS["timestamp_format"].default

# Every parameter that is documented: names, and the switches that both forms have.
_DOCUMENTED = (FIELDS, TIMESTAMPS, SAMPLE, *(sub.wire for sub in SUBOPTIONS.values() if sub.type == "bool"))

_NAME = re.compile(r"[^\s&=,?#%+;\ud800-\udfff]+")
_LONE_SURROGATE = re.compile(r"[\ud800-\udfff]")
_NUMBER = re.compile(r"-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_OFF = frozenset(("", "0", "false"))
_TWICE = "is given several times with different values, and servers differ in which one counts; give it once"
_READABLE = ",:;/@!$'()*+."

Parameters = t.Mapping[str, str]


class Repeated(str):
    """The value of a parameter that a text has several times with different values: servers differ in which one counts.

    As text it is the last one, of `fields` all names; it equals nothing that a task declares.
    """

    values: tuple[str, ...]

    @classmethod
    def of(cls, text: str, values: tuple[str, ...]) -> Repeated:
        made = cls(text)
        made.values = values
        return made


class Requested(t.NamedTuple):
    """The parameters that a task sets: the list of fields (None keeps the current one), and the other values as text.

    `option` is the first of the options that set them.
    """

    fields: tuple[str, ...] | None
    others: t.Mapping[str, str]
    option: str = "logpull_options"


def from_parts(
    fields: t.Sequence[t.Any] | None, timestamp_format: str | None, flags: t.Mapping[str, t.Any] | None
) -> Requested | None:
    """Return the parameters that these three options set; None if all are omitted."""
    if fields is None and timestamp_format is None and flags is None:
        return None
    others: dict[str, str] = {}
    if timestamp_format is not None:
        others[TIMESTAMPS] = _check_word("timestamp_format", timestamp_format) if timestamp_format else ""
    given: dict[str, str] = {}
    for written, value in (flags or {}).items():
        name = _check_word("option_flags", written)
        if name in (FIELDS, TIMESTAMPS):
            option = "fields" if name == FIELDS else "timestamp_format"
            raise invalid_option(f"option_flags.{name}", f"cannot be set here; use the option {option}")
        text = _check_rate(f"option_flags.{name}", name, _flag_value(f"option_flags.{name}", value))
        if given.setdefault(name, text) != text:
            raise invalid_option("option_flags", f"{name!r} {_TWICE}")
    others |= given
    names = None if fields is None else tuple(dict.fromkeys(_check_word(f"fields[{i}]", str(n)) for i, n in enumerate(fields)))
    options = {"fields": fields, "timestamp_format": timestamp_format, "option_flags": flags}
    return Requested(names, others, next(name for name, value in options.items() if value is not None))


def _check_word(place: str, text: str) -> str:
    if not _NAME.fullmatch(text.strip()):
        raise invalid_option(place, f"{text!r} is empty or contains white space or one of the characters & = , ? # % + ;")
    return text.strip()


def _flag_value(place: str, value: t.Any) -> str:
    if value is None or isinstance(value, bool):
        return "true" if value else ""
    if isinstance(value, float) and not math.isfinite(value):
        raise invalid_option(place, f"{value!r} is not a number that can be sent")
    if isinstance(value, (int, float)):
        return f"{value:.15g}" if isinstance(value, float) else str(value)
    if not isinstance(value, str):
        raise invalid_option(place, f"{value!r} must be true, false, a number or a string")
    if value.strip().lower() == "true":
        return "true"
    return _check_word(place, value) if value.strip() else ""


def is_rate(value: object) -> t.TypeGuard[float]:
    """Return whether a value is a documented sample rate."""
    return isinstance(value, (int, float)) and not isinstance(value, bool) and 0 < value <= 1


def _check_rate(place: str, name: str, value: str) -> str:
    """Return the value of a parameter; a sample rate that is off is empty, and one of 0 or below or above 1 is refused."""
    if name != SAMPLE or not value or value.lower() == "false":
        return "" if name == SAMPLE else value
    if not _NUMBER.fullmatch(value) or not is_rate(float(value)):
        raise invalid_option(place, f"{value!r} is not above 0 and at most 1")
    return value


def from_text(text: str) -> Requested:
    """Parse the option `logpull_options`; refuse texts that the service would not understand as their author means them."""
    place = "logpull_options"
    if len(text) > MAX_OPTIONS_LENGTH:
        raise invalid_option(place, f"{len(text)} characters are more than the limit of {MAX_OPTIONS_LENGTH}")
    if _LONE_SURROGATE.search(text):
        raise invalid_option(place, "has a lone surrogate, which cannot be sent as UTF-8")
    for piece in filter(None, text.strip().lstrip("?").split("&")):
        name, equals, value = piece.partition("=")
        parameter, values = unquote(name).strip(), unquote(value).split(",")
        if parameter == TIMESTAMPS and len(values) > 1:
            raise invalid_option(
                place,
                f"{piece}: a timestamp format is one word, and what follows its comma would not be read as field names;"
                " list every field under 'fields', as in fields=ClientIP,RayID&timestamps=rfc3339",
            )
        if not equals or not parameter:
            raise invalid_option(place, f"{piece!r} is not of the form NAME=VALUE, as in timestamps=rfc3339")
        if parameter == FIELDS and value and not all(map(str.strip, values)):
            raise invalid_option(place, f"{piece} has an empty field name")
    parameters = parse(text)
    if names := repeated(parameters):
        raise invalid_option(place, f"{names[0]!r} {_TWICE}")
    parameters = {name: _check_rate(f"{place}: {name}", name, value) for name, value in parameters.items()}
    fields = split_names(parameters.pop(FIELDS)) if FIELDS in parameters else None
    return Requested(fields, parameters)


def parse(text: str | None) -> dict[str, str]:
    """Return the decoded parameters of a text in order; one with several values is `Repeated`."""
    values: dict[str, list[str]] = {}
    for piece in (text or "").strip().lstrip("?").split("&"):
        # Blanks around a name or a value have no meaning, even if they are encoded.
        name, _equals, value = (unquote(part).strip() for part in piece.partition("="))
        if name:
            values.setdefault(name, []).append(",".join(split_names(value)) if name == FIELDS else value)
    return {name: _one(name, texts) for name, texts in values.items()}


def _one(name: str, values: list[str]) -> str:
    """Return the only value of a parameter, or all of them where they differ."""
    if len(values) == 1:
        return values[0]
    whole = ",".join(split_names(",".join(values))) if name == FIELDS else values[-1]
    meanings = [canonical({name: value}) for value in values]
    return whole if all(meaning == meanings[0] for meaning in meanings) else Repeated.of(whole, tuple(values))


def repeated(parameters: Parameters) -> list[str]:
    """Return the parameters of which it is not known which value counts."""
    return sorted(name for name, value in parameters.items() if isinstance(value, Repeated))


def certain_names(parameters: Parameters) -> tuple[str, ...]:
    """Return the fields that are selected whichever of several lists counts."""
    value = parameters.get(FIELDS, "")
    lists = value.values if isinstance(value, Repeated) else (value,)
    return tuple(name for name in split_names(value) if all(name in split_names(text) for text in lists))


def split_names(text: str) -> tuple[str, ...]:
    """Return the names of a list in a text, without empty ones and duplicates."""
    return tuple(dict.fromkeys(filter(None, map(str.strip, text.split(",")))))


def to_parts(parameters: Parameters) -> dict[str, t.Any]:
    """Return the parameters as the options for their parts have them; None for a part without any."""
    unknown = repeated(parameters)
    flags = {name: _flag(name, value) for name, value in parameters.items() if name not in (FIELDS, TIMESTAMPS)}
    return {
        "fields": None if FIELDS in unknown else list(split_names(parameters.get(FIELDS, ""))) or None,
        "timestamp_format": None if TIMESTAMPS in unknown else parameters.get(TIMESTAMPS) or None,
        "option_flags": {name: value for name, value in flags.items() if value is not None} or None,
    }


def _flag(name: str, text: str) -> bool | float | str | None:
    """Return the value of a parameter as data; None if it is off; all of several values as one text."""
    if isinstance(text, Repeated):
        return " or ".join(value or "nothing" for value in text.values)
    if is_off(name, text):
        return None
    if _NUMBER.fullmatch(text) and math.isfinite(number := float(text)):
        return int(text) if text.lstrip("-").isdigit() else number
    return True if text.lower() == "true" else text


def is_off(name: str, value: str) -> bool:
    """Return whether a parameter with this value means the same as without it; a sample rate of 0 or "false" is documented nowhere."""
    return value.lower() in _OFF and not (value and name in (FIELDS, SAMPLE))


def canonical(parameters: Parameters) -> dict[str, t.Any]:
    """Return a form that is equal for all parameters with one meaning, without those that mean the default."""
    form: dict[str, t.Any] = {}
    for name, value in sorted(parameters.items()):
        if isinstance(value, Repeated):
            form[name] = {"repeated": list(value.values)}
        elif name == FIELDS:
            form[name] = sorted(split_names(value))
        elif _NUMBER.fullmatch(value):
            number = float(value)
            form[name] = None if number == (SUBOPTIONS["sample_rate"].default if name == SAMPLE else 0) else number
        elif not is_off(name, value) and (name, value) != (TIMESTAMPS, _DEFAULT_FORMAT):
            form[name] = "true" if value.lower() == "true" else value
    return {name: meaning for name, meaning in form.items() if meaning not in (None, [])}


def merged(requested: Requested, present: Parameters) -> tuple[str, bool]:
    """Return the text of the desired state, and whether it differs from the current state.

    Parameters that the task omits are kept. Fields come first, then what the task sets, so that one desired state has one text.
    """
    fields = present.get(FIELDS, "") if requested.fields is None else ",".join(requested.fields)
    others = dict(requested.others)
    if present and SAMPLE not in present and not canonical({SAMPLE: others.get(SAMPLE, "")}):
        # An adopted job declares that all records are delivered; that is no difference beside one in another parameter.
        others.pop(SAMPLE, None)
    after = {**present, **others, FIELDS: fields}
    text = render({name: after[name] for name in dict.fromkeys((FIELDS, *others, *sorted(after)))})
    return text, canonical(after) != canonical(present)


def check_written(requested: Requested, present: Parameters) -> None:
    """Refuse a format of times that no service knows, unless it is the present one; `timestamp_format` has choices."""
    value = requested.others.get(TIMESTAMPS)
    if value and value not in TIMESTAMP_FORMATS and value != present.get(TIMESTAMPS):
        hint = did_you_mean(nearest(value, TIMESTAMP_FORMATS))
        raise invalid_option("logpull_options", f"{TIMESTAMPS}: {quoted(value)} is none of {', '.join(TIMESTAMP_FORMATS)}{hint}")


def misspelled(parameters: Parameters) -> list[tuple[str, str]]:
    """Return the undocumented parameters that have nearly the name of a documented one, each with that."""
    import difflib  # noqa: PLC0415  # slow to import, and rarely needed

    unknown = [name for name in parameters if name not in _DOCUMENTED]
    close = {name: difflib.get_close_matches(name.lower(), [other.lower() for other in _DOCUMENTED], n=1) for name in unknown}
    return [(name, next(other for other in _DOCUMENTED if other.lower() == names[0])) for name, names in close.items() if names]


def render(parameters: Parameters) -> str:
    """Return the text to send, without parameters that are off; `fields` may contain a field named like an off value."""
    pairs = [
        (name, text) for name, value in parameters.items() for text in (value.values if isinstance(value, Repeated) else [value])
    ]
    kept = [pair for pair in pairs if not is_off(*pair)]
    # Parameters of the service are sent back unchanged, even if they contain a lone surrogate.
    text = "&".join("=".join(quote(part, safe=_READABLE, errors="surrogatepass") for part in pair) for pair in kept)
    if len(text) > MAX_OPTIONS_LENGTH:
        raise invalid_option("logpull_options", f"{len(text)} characters would be more than the limit of {MAX_OPTIONS_LENGTH}")
    return text
