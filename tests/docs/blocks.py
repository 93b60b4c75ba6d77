# SPDX-License-Identifier: GPL-3.0-or-later

"""Find the YAML blocks of the documentation, classify them, and make plays of them that can be run."""

import ast
import dataclasses
import re
import textwrap
import typing as t
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[2]
ZONE = "023e105f4ecef8ad9ca31a8372d0c353"
COLLECTION = "edgeops.observability"

Play = dict[str, t.Any]
Content = t.Any

_FENCE = re.compile(r"^```ya?ml\n(.*?)^```", re.MULTILINE | re.DOTALL)
_DIRECTIVE = re.compile(r"^( *)\.\. code-block:: ya?ml\n((?:\1   +:\w+: .*\n)*)\n((?:(?:\1   .*)?\n)+)", re.MULTILINE)
_CAPTION = re.compile(r":caption: (.*)")
_EXAMPLES = re.compile(r"^plugins/(modules|filter|test|inventory)/")
# A comment before a block marks one that cannot be run.
_MARK = re.compile(r"(?:^|\n) *\.\. not run: (\w+)\n\n$")
_PLAY_KEYWORDS = ("hosts", "import_playbook", "ansible.builtin.import_playbook")


@dataclasses.dataclass(frozen=True)
class Block:
    """One YAML block with its file and line, and the file name under which readers save it."""

    source: str
    line: int
    text: str
    caption: str = ""
    mark: str = ""  # the reason why it cannot be run

    def __str__(self) -> str:
        return f"{self.source}:{self.line}"

    @property
    def documents(self) -> list[Content]:
        """Return the documents of the block, usually one."""
        return list(yaml.safe_load_all(self.text))

    @property
    def kind(self) -> str:
        """Return `plays`, `tasks`, `inventory` or `variables`; any other content is an error in the documentation."""
        first = self.documents[0]
        if isinstance(first, list) and first and all(isinstance(item, dict) for item in first):
            return "plays" if any(word in item for item in first for word in _PLAY_KEYWORDS) else "tasks"
        if isinstance(first, dict) and first.get("plugin") == f"{COLLECTION}.zones":
            return "inventory"
        if isinstance(first, dict) and all(name.startswith(("log_", "edgeops_", "script_")) for name in first):
            return "variables"
        raise ValueError(
            f"{self}: a YAML block that is neither plays, tasks, an inventory nor variables of the role and the playbooks"
        )


def surroundings(simulator: t.Any) -> dict[str, str]:
    """Return the environment of readers."""
    return {
        # Nothing but loopback is contacted, also where an example reads a page of a shop.
        "HTTPS_PROXY": "http://127.0.0.1:9",
        "NO_PROXY": "127.0.0.1,localhost",
        "CONTROL_URL": simulator.control_url,
        "PRODUCTION_TOKEN": simulator.token,
        "ANSIBLE_INVENTORY_ANY_UNPARSED_IS_FAILED": "true",
    }


def sources() -> list[str]:
    """Return each file whose YAML blocks are examples for users."""
    patterns = (
        "README.md",
        "roles/*/README.md",
        "playbooks/README.md",
        "examples/*/README.md",
        "docs/docsite/rst/*.rst",
        "simulator/README.md",
    )
    plugins = tuple(f"plugins/{kind}/[a-z]*.py" for kind in ("modules", "filter", "test", "inventory"))
    return sorted(str(path.relative_to(ROOT)) for pattern in (*patterns, *plugins) for path in ROOT.glob(pattern))


def blocks(source: str) -> list[Block]:
    """Return the YAML blocks of one file, in order."""
    text = (ROOT / source).read_text(encoding="utf-8")
    if _EXAMPLES.match(source):
        return [Block(source, line, examples) for line, examples in _examples(text)]
    if source.endswith(".md"):
        return [Block(source, _line(text, match.start()), match[1]) for match in _FENCE.finditer(text)]
    return [_directive(source, text, match) for match in _DIRECTIVE.finditer(text)]


def _directive(source: str, text: str, match: re.Match[str]) -> Block:
    caption = _CAPTION.search(match[2])
    mark = _MARK.search(text[: match.start()])
    line = _line(text, match.start())
    return Block(source, line, textwrap.dedent(match[3]), caption[1] if caption else "", mark[1] if mark else "")


def _examples(text: str) -> t.Iterator[tuple[int, str]]:
    for node in ast.parse(text).body:
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "EXAMPLES":
            yield node.lineno, ast.literal_eval(node.value)


def _line(text: str, position: int) -> int:
    return text.count("\n", 0, position) + 1


def plays(block: Block) -> list[Play]:
    """Return the plays of a block, on localhost if it has no hosts; for variables, a play that applies them with the role."""
    content = block.documents[0]
    if block.kind == "tasks":
        return [_play(block, tasks=content)]
    if block.kind == "variables":
        job = {"name": "edge-logs", "destination_conf": "s3://example-logs/all?region=eu-west-1"}
        variables = content if "log_delivery_jobs" in content else {"log_delivery_job": job, **content}
        return [_play(block, vars={"log_delivery_zone_id": ZONE, **variables}, roles=[{"role": f"{COLLECTION}.log_delivery"}])]
    return [play for play in content if "hosts" in play]


def _play(block: Block, **keywords: t.Any) -> Play:
    return {"name": f"{block}", "hosts": "localhost", "gather_facts": False, **keywords}
