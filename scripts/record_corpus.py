# SPDX-License-Identifier: GPL-3.0-or-later

"""Record what Chromium makes of the documents in tests/unit/module_utils/_pages/corpus.py.

`.venv/bin/python scripts/record_corpus.py` writes `recorded.json` beside them; the tests read that file and start no browser. Every request
is answered here, so that nothing leaves the machine.
"""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import json
import re
import sys
import typing as t
from pathlib import Path
from urllib.parse import urlsplit

from playwright.sync_api import Browser, ConsoleMessage, Request, Route, sync_playwright
from playwright.sync_api import TimeoutError as Timeout

FOLDER = Path(__file__).resolve().parents[1] / "tests" / "unit" / "module_utils" / "_pages"
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--host-resolver-rules=MAP * ~NOTFOUND",
]
_HASH = re.compile(r"'(sha256-[A-Za-z0-9+/=]+)'")
# Every element is clicked, also in open shadow roots and frames of the page.
_CLICK = """async () => {
  const visit = async root => { for (const each of root.querySelectorAll('*')) {
    if (each.shadowRoot) await visit(each.shadowRoot);
    if (each.matches('a, button, math, mi, menuitem') || each.hasAttribute('onclick')) {
      each.dispatchEvent(new MouseEvent('click', {bubbles: false, cancelable: true}));
      await new Promise(resolve => setTimeout(resolve, 30));
    }
  } };
  await visit(document);
}"""
_FORMS = """() => {
  const get = (kind, name, each) => Object.getOwnPropertyDescriptor(kind.prototype, name).get.call(each);
  const actions = [];
  for (const form of [...document.querySelectorAll('form')].filter(each => each instanceof HTMLFormElement))
    if (get(HTMLFormElement, 'method', form) !== 'dialog'
      || [...get(HTMLFormElement, 'elements', form)].some(each => each.getAttribute('formmethod') !== null && each.formMethod !== 'dialog'))
      actions.push(get(HTMLFormElement, 'action', form));
  for (const each of document.querySelectorAll('button[formaction]')) actions.push(get(HTMLButtonElement, 'formAction', each));
  for (const each of document.querySelectorAll('input[formaction]')) actions.push(get(HTMLInputElement, 'formAction', each));
  return actions;
}"""


def corpus() -> t.Any:
    specification = importlib.util.spec_from_file_location("corpus", FOLDER / "corpus.py")
    if specification is None or specification.loader is None:
        raise ImportError("corpus.py")
    module = importlib.util.module_from_spec(specification)
    sys.modules["corpus"] = module
    specification.loader.exec_module(module)
    return module


def hashes_of(module: t.Any, case: t.Any) -> list[str]:
    sys.path.insert(0, str(FOLDER.parents[3] / ".venvs" / "collections"))
    package = "ansible_collections.edgeops.observability.plugins.module_utils._pages"
    encoding, document, url = (importlib.import_module(f"{package}.{name}") for name in ("encoding", "document", "url"))
    try:
        label = encoding.parse_content_type(case.content_type).label
        content = document.read_document(encoding.decode(case.body, label), url.parse(module.PAGE))
    except document.Unread:
        return []
    return sorted({inline.hash for inline in content.inline})


def visit(browser: Browser, page_url: str, case: t.Any, policy: str = "") -> dict[str, list[str]]:
    """Return what the browser made of a document, under a content security policy."""
    context = browser.new_context(ignore_https_errors=True)
    context.add_init_script("window.hit = name => console.log('HIT ' + name)")
    page = context.new_page()
    made: dict[str, set[str]] = {name: set() for name in ("executed", "scripts", "frames", "forms", "hashes")}

    def see(request: Request) -> None:
        kind = {"script": "scripts", "document": "frames", "other": "frames"}.get(request.resource_type)
        if kind and request.url.startswith("http") and (kind == "scripts" or request.frame != page.main_frame):
            made[kind].add(request.url)

    def hear(message: ConsoleMessage) -> None:
        if message.text.startswith("HIT "):
            made["executed"].add(message.text[4:])
        made["hashes"].update(_HASH.findall(message.text))

    def answer(route: Route) -> None:
        request = route.request
        if request.is_navigation_request() and request.frame == page.main_frame:
            headers = {"content-type": case.content_type, **({"content-security-policy": policy} if policy else {})}
            if request.url == page_url:
                route.fulfill(status=200, headers=headers, body=case.body)
            else:
                route.fulfill(status=204)  # the page stays
        else:
            kind = "text/javascript" if request.resource_type == "script" else "text/html"
            route.fulfill(status=200, headers={"content-type": kind, "access-control-allow-origin": "*"}, body="")

    page.on("request", see)
    page.on("console", hear)
    page.route("**/*", answer)
    page.set_default_timeout(3000)
    with contextlib.suppress(Timeout):  # a frame that never loads
        page.goto(page_url, wait_until="load")
    page.wait_for_timeout(250)
    for action in page.evaluate(_FORMS):
        parts = urlsplit(action)
        if parts.scheme != "javascript":
            made["forms"].add(f"{parts.scheme}://{parts.netloc}" if parts.netloc else f"{parts.scheme}:")
    page.evaluate(_CLICK)
    page.wait_for_timeout(250)
    context.close()
    return {name: sorted(values) for name, values in made.items()}


def main() -> None:
    """Record every document, or those that are named."""
    module = corpus()
    path = FOLDER / "recorded.json"
    names = sys.argv[1:] or list(module.CASES)
    recorded = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=FLAGS)
        for name in names:
            case = module.CASES[name]
            made = visit(browser, module.PAGE, case)
            made["hashes"] = visit(browser, module.PAGE, case, "script-src 'none'")["hashes"]
            # The browser names no hash of a handler or an address, so it is asked whether it takes those that the collection finds.
            offered = hashes_of(module, case)
            policy = " ".join(["script-src data: https: 'unsafe-hashes'", *(f"'{digest}'" for digest in offered)])
            made["offered"], made["allowed"] = offered, visit(browser, module.PAGE, case, policy)["executed"]
            recorded[name] = made
            print(name, flush=True)
        recorded = {name: recorded[name] for name in module.CASES if name in recorded}
        document = {"browser": browser.version, **{name: record for name, record in recorded.items() if name != "browser"}}
        browser.close()
    path.write_text(json.dumps(document, indent=1, ensure_ascii=True) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
