# SPDX-License-Identifier: GPL-3.0-or-later

import typing as t

import yaml


class Unsafe(str):
    """Text that is tagged `!unsafe`: it is never a template."""

    __slots__ = ()


class Loader(yaml.SafeLoader):
    """A SafeLoader that also reads Ansible's tag `!unsafe`."""


Loader.add_constructor("!unsafe", lambda loader, node: Unsafe(loader.construct_scalar(node)))


def load(text: str) -> t.Any:
    return yaml.load(text, Loader)  # noqa: S506  # a SafeLoader
