# SPDX-License-Identifier: GPL-3.0-or-later

"""The documentation site. Sphinx reads this file; the names below are its settings."""

from __future__ import annotations

import gc
import tempfile
import zlib
from pathlib import Path

# Documents live until the end; repeated garbage collection of them takes a quarter of the time.
gc.set_threshold(5_000, 20, 1_000)

HERE = Path(__file__).resolve().parent
ANSIBLE = "https://docs.ansible.com/ansible/latest/"


def ansible_inventory() -> str:
    """The few places in Ansible's own documentation that pages refer to, as an inventory that needs no network."""
    lines = [line for line in (HERE / "ansible-references.txt").read_text(encoding="utf-8").splitlines() if line[:1] != "#"]
    entries = "".join(
        f"{name} {role} -1 {address} {title}\n" for role, name, address, title in (line.split("|") for line in lines)
    )
    head = (
        "# Sphinx inventory version 2\n# Project: Ansible\n# Version: \n# The remainder of this file is compressed using zlib.\n"
    )
    with tempfile.NamedTemporaryFile(suffix=".inv", delete=False) as file:
        file.write(head.encode() + zlib.compress(entries.encode()))
    return file.name


project = "edgeops.observability"
author = "the edgeops.observability contributors"
project_copyright = f"2026, {author}"
html_title = "edgeops.observability"

extensions = ["sphinx.ext.intersphinx", "sphinx_antsibull_ext"]
intersphinx_mapping = {"ansible": (ANSIBLE, ansible_inventory())}
default_role = "any"
nitpicky = True
pygments_style = "ansible"
highlight_language = "YAML+Jinja"

# Of the usual themes this one brings its fonts and scripts itself.
html_theme = "sphinx_rtd_theme"
html_theme_options = {"navigation_depth": 2, "titles_only": True, "style_external_links": True}
html_static_path = [str(HERE / "static")]
html_css_files = ["site.css"]
html_show_sphinx = False
html_copy_source = False
html_use_index = False
