# SPDX-License-Identifier: GPL-3.0-or-later

"""A reverse proxy in front of the simulator that plants a template in every text of every answer."""

import contextlib
import dataclasses
import json
import random
import re
import typing as t
import zlib
from pathlib import Path

from support.proxy import changing

# Values that select a route, a state or a resource: with others a run would end before it shows most texts.
_KEPT = {
    *("id", "script_id", "ref", "kind", "phase", "version", "action", "expression"),
    *("status", "dataset", "frequency", "output_type"),
}
# Times, hashes and empty strings remain valid.
_VALID = re.compile(r"\d{4}-\d\d-\d\d(T[\d:.]+Z)?|[0-9a-f]{32,64}|")

PLANTED, WRITABLE, WHOLLY, REFUSED = "planted", "writable", "wholly", "refused"


def texts(value: t.Any) -> t.Iterator[str]:
    """Yield every string of a document."""
    if isinstance(value, str):
        yield value
    for member in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from texts(member)


@dataclasses.dataclass
class Planter:
    """Plants one of several kinds of templates in a text; the kind depends only on the text and its member.

    An evaluated template becomes `evaluated-NUMBER`; most of them also create a file named NUMBER in `folder`.
    """

    folder: Path
    seed: int
    planted: dict[str, str] = dataclasses.field(default_factory=dict)

    def kinds(self, number: str) -> tuple[str, ...]:
        """Return one template of each kind; a header that changes the delimiters is only valid at the start of a text."""
        touch, word = f"lookup('ansible.builtin.pipe', 'touch {self.folder}/{number}')", f"'evalu' ~ 'ated-{number}'"
        header = "#jinja2: variable_start_string:'<<', variable_end_string:'>>'"
        return (
            f"{{{{ {word} ~ {touch} }}}}",
            f"{{% if {touch} == '' %}}evalu{{% endif %}}ated-{number}",
            f"evalu{{# a comment #}}ated-{number}",
            f"{header}\n<< {word} ~ {touch} >> ",
            f"{header} << {word} >> ",
            f'{header}, keep_trailing_newline:\'<<"evalu" ~ "ated-{number}">>\' ',
        )

    def plant(self, place: str, text: str, *, inside: bool = False) -> str:
        """Return the text with a template; `inside`: the text keeps its start and is one line."""
        number = str(zlib.crc32(f"{self.seed} {place} {text}".encode()))
        kinds = self.kinds(number)
        template = random.Random(number).choice(kinds[:3] if inside else kinds)
        made = f"{template}{text}" if template.startswith("#jinja2:") else f"{text}{template}"
        self.planted[number] = f"{place}: {made}"
        return made

    def within(self, value: t.Any, mode: str, place: str = "") -> t.Any:
        """Return JSON with a template in every string, and an unknown member in every object."""
        name = place.rpartition(".")[2]
        if mode == WRITABLE and name in ("action_parameters", "output_options", "logpull_options"):
            return value
        if isinstance(value, dict):
            members = {key: self.within(member, mode, f"{place}.{key}") for key, member in value.items()}
            unknown = self.plant(f"{place} unknown", "unknown", inside=True)
            return members if mode == WRITABLE else {**members, unknown: self.plant(f"{place} value", "x")}
        if isinstance(value, list):
            return [self.within(item, mode, place) for item in value]
        return self._text(value, mode, place) if isinstance(value, str) else value

    def _text(self, text: str, mode: str, place: str) -> str:
        name = place.rpartition(".")[2]
        if "evalu" in text:  # planted before, and sent back by the client
            return text
        if mode == WHOLLY:
            return self.plant(place, text)
        if (name in _KEPT and place != "/zones.result.status") or _VALID.fullmatch(text):
            return text
        if name == "filter":
            return json.dumps(self.within(json.loads(text), WRITABLE, place))
        if name in ("key", "operator") and mode == WRITABLE:
            return text
        return self.plant(place, text, inside=name in ("destination_conf", "logpull_options"))


@contextlib.contextmanager
def planting(base_url: str, planter: Planter, modes: t.Mapping[str, str]) -> t.Iterator[str]:
    """Run a proxy that plants templates in the answers of a service; `modes` says how its answers are changed, by zone or account id."""

    def plant(path: str, status: int, content: bytes) -> tuple[int, bytes, dict[str, str]]:
        match = re.match(r"/(?:zones|accounts)/([^/]+)", path)
        mode = modes.get(match[1], PLANTED) if match else PLANTED
        if mode == REFUSED:
            errors = [{"code": 10000, "message": "no", "error_chain": [{"code": 1, "message": "inner"}]}]
            status, content = 403, json.dumps({"success": False, "errors": errors, "messages": ["m"], "result": None}).encode()
        document = json.loads(content) if content else None
        planted = json.dumps(planter.within(document, mode, path)).encode() if content else b""
        return status, planted, {"cf-ray": planter.plant("cf-ray", "8f00", inside=True)}

    with changing(base_url, plant) as url:
        yield url
