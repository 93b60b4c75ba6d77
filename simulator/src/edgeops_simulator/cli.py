# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import argparse
import asyncio
import dataclasses
import json
import pathlib
import secrets
import signal
import sys
import typing as t

from edgeops_simulator import __version__, jsontext, responses, script_command
from edgeops_simulator.run import Options, Running, serve
from edgeops_simulator.settings import CHOICES, Settings
from edgeops_simulator.state.part import BadSeed

_OWN_FLAGS = {"latency_ms": "--latency"}


def _flag(name: str) -> str:
    return _OWN_FLAGS.get(name, "--" + name.replace("_", "-"))


def _add_settings(parser: argparse.ArgumentParser) -> None:
    """Add a flag for each setting: `--NAME`, or `--no-NAME` for those that are on by default."""
    group = parser.add_argument_group("settings (each can be changed at run time through the control URL)")
    for name, hint in t.get_type_hints(Settings, include_extras=True).items():
        kind, meaning = t.get_args(hint)
        default = getattr(Settings(), name)
        shared: dict[str, t.Any] = {"dest": name, "help": _help(meaning, default)}
        if isinstance(default, bool):
            shared |= {"action": argparse.BooleanOptionalAction, "default": None}
        elif isinstance(default, list):
            shared |= {"action": "append", "metavar": "TEXT"}
        else:
            shared |= {"type": kind, **({"choices": CHOICES[name]} if name in CHOICES else {"metavar": kind.__name__.upper()})}
        group.add_argument(_flag(name), **shared)


def _help(meaning: str, default: t.Any) -> str:
    """Return the text of an option, which ends with its default."""
    if isinstance(default, list):
        return f"{meaning}; may be repeated"
    text = ("on" if default else "off") if isinstance(default, bool) else "none" if default == "" else default
    return f"{meaning} ({text})"


def _account(text: str) -> dict[str, str]:
    account_id, equals, name = text.partition("=")
    if not account_id:
        raise argparse.ArgumentTypeError("an account is ID or ID=NAME")
    return {"id": account_id, "name": name} if equals else {"id": account_id}


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(
        prog="edgeops-simulator",
        description="Serve simulated zones on loopback until SIGTERM.",
        epilog="edgeops-simulator script --help: changes the scripts of a running simulator",
    )
    made.add_argument("--version", action="version", version=__version__)
    made.add_argument("--port", type=int, default=0, help="port of the service; 0 (default) takes a free one")
    made.add_argument("--control-port", type=int, default=0, help="port of the control URL; 0 (default) takes a free one")
    made.add_argument("--token", help="the API token that is accepted; generated if omitted")
    made.add_argument("--email", help="the e-mail address that is accepted together with --key")
    made.add_argument("--key", help="the API key that is accepted together with --email")
    made.add_argument("--zone", action="append", default=[], metavar="ZONE_ID", help="a zone that exists; may be repeated")
    made.add_argument(
        "--account",
        action="append",
        type=_account,
        default=[],
        metavar="ID[=NAME]",
        help="an account that exists; may be repeated. The zones belong to the first one unless a seed says otherwise",
    )
    made.add_argument("--seed", type=pathlib.Path, metavar="FILE", help="JSON: the state at the start")
    made.add_argument("--seed-from-responses", type=pathlib.Path, metavar="DIR", help="recorded answers of a service as a seed")
    made.add_argument("--state", type=pathlib.Path, metavar="FILE", help="keep the state here, and start from it if it exists")
    made.add_argument("--log-folder", type=pathlib.Path, metavar="DIR", help="stands in for the buckets: challenges and logs")
    made.add_argument("--certfile", help="serve TLS with this certificate")
    made.add_argument("--keyfile", help="key of the certificate")
    _add_settings(made)
    return made


def _seed(arguments: argparse.Namespace) -> t.Any:
    """Return the seed of the start: recorded answers, and the seed file, which takes precedence."""
    seed: t.Any = {}
    if arguments.seed:
        try:
            seed = jsontext.parse(arguments.seed.read_bytes())
        except ValueError as problem:
            raise BadSeed(f"{arguments.seed}: not JSON: {problem}") from None
    if not isinstance(seed, dict):
        raise BadSeed("a seed is a JSON object")
    return responses.merged(responses.read(arguments.seed_from_responses), seed) if arguments.seed_from_responses else seed


def options_from(arguments: argparse.Namespace) -> Options:
    names = [field.name for field in dataclasses.fields(Settings)]
    settings = {name: getattr(arguments, name) for name in names if getattr(arguments, name) is not None}
    Settings().change(settings)
    return Options(
        token=arguments.token or secrets.token_urlsafe(30),
        zones=arguments.zone,
        accounts=arguments.account,
        email=arguments.email,
        key=arguments.key,
        port=arguments.port,
        control_port=arguments.control_port,
        seed=_seed(arguments),
        settings=settings,
        state=arguments.state,
        log_folder=arguments.log_folder,
        certfile=arguments.certfile,
        keyfile=arguments.keyfile,
    )


async def _serve(options: Options) -> None:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)

    def announce(running: Running) -> None:
        print(json.dumps(running.announcement()), flush=True)

    await serve(options, announce, stop)


def main(arguments: t.Sequence[str] | None = None) -> int:
    words = list(sys.argv[1:] if arguments is None else arguments)
    if words[:1] == ["script"]:
        return script_command.main(words[1:])
    try:
        options = options_from(parser().parse_args(words))
        asyncio.run(_serve(options))
    except (OSError, BadSeed, ValueError) as problem:
        print(f"edgeops-simulator: {problem}", file=sys.stderr)
        return 1
    return 0
