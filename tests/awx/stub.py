# SPDX-License-Identifier: GPL-3.0-or-later

"""A stub of the controller's REST API on loopback, in which the modules of awx.awx can create, read and change objects.

It uses http.server instead of starlette and uvicorn, because these would save only a few lines.
"""

import contextlib
import http.server
import json
import threading
import time
import typing as t
import urllib.parse

from awx.rules import KINDS, Item, Refused, checked, survey

ROOT = "/api/v2/"
SECRET = "$encrypted$"
TEMPLATES = ("job_templates", "projects", "inventory_sources", "workflow_approval_templates", "workflow_job_templates")
NOTIFICATIONS = ("notification_templates_error", "notification_templates_approvals")
# The roles of an object for teams; each has its own id.
ROLES = ("execute", "approval")
SOURCE_CONTROL = ("username", "password", "ssh_key_data")
NODES = "workflow_job_template_nodes"
LINKS = ("success_nodes", "failure_nodes", "always_nodes")


class Controller:
    """The objects of a controller by kind; `playbooks` are those of a project whose last update was successful.

    `failing_updates`: how many updates of projects fail from now on.
    """

    def __init__(self, playbooks: t.Collection[str]) -> None:
        self.failing_updates = 0
        self.updates: dict[int, Item] = {}
        self.token = "planted-controller-token-55d1"
        self.url = ""
        self.journal: list[Item] = []
        self.objects: dict[str, dict[int, Item]] = {kind: {} for kind in KINDS}
        self._playbooks = sorted(playbooks)
        self._next = 1
        self.roles: dict[int, tuple[str, str, list[int]]] = {}
        self.create("organizations", {"name": "Default"})
        # Each new controller has these types of credentials.
        fields = [{"id": name, "label": name, "secret": name != "username"} for name in SOURCE_CONTROL]
        source_control = {"id": 0, "name": "Source Control", "inputs": {"fields": fields}, "injectors": {"env": {}}}
        self.objects["credential_types"][0] = source_control

    def named(self, kind: str, name: str) -> Item:
        return next(item for item in self.objects[kind].values() if item["name"] == name)

    def nodes(self, workflow: str) -> dict[str, Item]:
        """Return the nodes of a workflow by their identifiers."""
        number = self.named("workflow_job_templates", workflow)["id"]
        return {item["identifier"]: item for item in self.objects[NODES].values() if item["workflow_job_template"] == number}

    def find(self, kind: str, number: t.Any) -> Item:
        for item_kind in TEMPLATES if kind == "unified_job_templates" else (kind,):
            if isinstance(number, int) and number in self.objects[item_kind]:
                return self.objects[item_kind][number]
        raise Refused(f'Invalid pk "{number}" - object does not exist.')

    def create(self, kind: str, fields: Item) -> Item:
        # The module for nodes also sends the type of the object, which is not stored.
        item = {name: value for name, value in fields.items() if name != "type"}
        if kind == "credentials":
            item.setdefault("inputs", {})
        checked(kind, item, self.find)
        if any(self._alike(kind, item, other) for other in self.objects[kind].values()):
            raise Refused(f"{kind} with this name already exist.")
        number, self._next = self._next, self._next + 1
        url = f"{ROOT}{kind}/{number}/"
        item.update(id=number, url=url, type=kind.rstrip("s"), related={"survey_spec": f"{url}survey_spec/"}, summary_fields={})
        if kind == "projects":
            item.update(scm_revision="", playbooks=[], related={"update": f"{url}update/"})
            # A new project is updated at once.
            item["summary_fields"] = {"current_update": {"id": self._update(item)["id"]}}
        if kind in ("job_templates", "workflow_job_templates"):
            item.update({"survey_spec": {}, "credentials": [], **{name: [] for name in NOTIFICATIONS}})
            item["summary_fields"] = {"object_roles": {f"{role}_role": {"id": self._role(item, role)} for role in ROLES}}
        if kind == NODES:
            item.update({link: [] for link in LINKS})
        self.objects[kind][number] = item
        return item

    def _update(self, project: Item) -> Item:
        """Update a project; one whose update failed has no playbooks, and keeps those that it had."""
        number, self._next = self._next, self._next + 1
        is_failing = self.failing_updates > 0
        self.failing_updates -= is_failing
        if not is_failing:
            project.update(playbooks=self._playbooks, scm_revision="5d1f8c7a")
        update = {"id": number, "url": f"{ROOT}project_updates/{number}/", "status": "failed" if is_failing else "successful"}
        self.updates[number] = {
            **update,
            "finished": "2026-01-01T00:00:00Z",
            "failed": is_failing,
            "scm_revision": project["scm_revision"],
        }
        return self.updates[number]

    def _role(self, item: Item, role: str) -> int:
        number, self._next = self._next, self._next + 1
        self.roles[number] = (item["name"], role, [])
        return number

    @staticmethod
    def _alike(kind: str, item: Item, other: Item) -> bool:
        owners = ("organization", "inventory") if kind != "job_templates" else ("organization",)
        own = ("identifier", "workflow_job_template") if kind == NODES else ("name", *owners)
        return all(item.get(member) == other.get(member) for member in own)

    def change(self, kind: str, item: Item, fields: Item) -> Item:
        checked(kind, {**item, **fields}, self.find)
        item.update(fields)
        return item

    def listed(self, kind: str, query: dict[str, str]) -> list[Item]:
        kinds = TEMPLATES if kind == "unified_job_templates" else (kind,)
        items = [item for item_kind in kinds for item in self.objects[item_kind].values()]
        return [item for item in items if all(str(item.get(name)) == value for name, value in query.items())]

    def shown(self, kind: str, item: Item) -> Item:
        """Return an object as the API does, without its secret inputs."""
        if kind != "credentials":
            return item
        fields = self.find("credential_types", item["credential_type"])["inputs"]["fields"]
        secret = {field["id"] for field in fields if field.get("secret")}
        return {**item, "inputs": {name: SECRET if name in secret else value for name, value in item["inputs"].items()}}

    def answer(self, method: str, path: str, query: dict[str, str], body: t.Any) -> tuple[int, t.Any]:
        kind, *rest = path.removeprefix(ROOT).strip("/").split("/")
        if kind == "project_updates":
            # Each update has ended when it is looked at.
            for project in self.objects["projects"].values():
                project["summary_fields"] = {}
            return 200, self.updates[int(rest[0])]
        if not rest:
            if method == "POST":
                return 201, self.shown(kind, self.create(kind, body))
            results = [self.shown(kind, item) for item in self.listed(kind, query)]
            return 200, {"count": len(results), "next": None, "previous": None, "results": results}
        if kind == "roles":
            return self._granted(self.roles[int(rest[0])][2], method, body)
        item = self.find(kind, int(rest[0]))
        if len(rest) == 1:
            return 200, self.shown(kind, self.change(kind, item, body) if method == "PATCH" else item)
        return self._below(item, rest[1], method, body)

    def _below(self, item: Item, member: str, method: str, body: t.Any) -> tuple[int, t.Any]:
        if member == "update":
            return 202, self._update(item)
        if member == "survey_spec":
            if method == "POST":
                survey(body)
                item[member] = body
            return 200, item[member]
        if member == "create_approval_template":
            made = self.create("workflow_approval_templates", body)  # the node waits for its approval
            item["unified_job_template"] = made["id"]
            item["related"]["unified_job_template"] = made["url"]
            return 201, made
        kind = NODES if member in LINKS else "notification_templates" if member in NOTIFICATIONS else member
        if method == "POST":
            self.find(kind, body["id"])
            (item[member].remove if body.get("disassociate") else item[member].append)(body["id"])
            return 204, None
        results = [self.find(kind, number) for number in item[member]]
        return 200, {"count": len(results), "next": None, "previous": None, "results": results}

    def _granted(self, teams: list[int], method: str, body: t.Any) -> tuple[int, t.Any]:
        if method == "POST":
            teams.append(self.find("teams", body["id"])["id"])
            return 204, None
        return 200, {"count": len(teams), "next": None, "previous": None, "results": [self.find("teams", team) for team in teams]}


def _handler(controller: Controller) -> type[http.server.BaseHTTPRequestHandler]:
    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def _serve(self) -> None:
            url = urllib.parse.urlsplit(self.path)
            text = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            controller.journal.append({"method": self.command, "path": url.path, "monotonic": time.monotonic()})
            try:
                assert self.headers["Authorization"] == f"Bearer {controller.token}", "the token is not the controller's"
                status, told = controller.answer(
                    self.command, url.path, dict(urllib.parse.parse_qsl(url.query)), json.loads(text or b"null")
                )
            except Refused as refused:
                status, told = 400, {refused.member: [str(refused)]}
            except Exception as unexpected:
                status, told = 500, {"detail": repr(unexpected)}
            content = b"" if told is None else json.dumps(told).encode()
            self.send_response(status)
            product = {"X-API-Product-Name": "AWX", "X-API-Product-Version": "24.6.1"}
            for name, value in {**product, "Content-Length": str(len(content))}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(content)

        do_GET = do_POST = do_PATCH = do_DELETE = _serve  # noqa: N815 - the names that http.server looks for

        def log_message(self, *arguments: object) -> None:
            """Log nothing, because the test has the journal."""

    return Handler


@contextlib.contextmanager
def running(playbooks: t.Collection[str]) -> t.Iterator[Controller]:
    """Run a controller on a free port of loopback."""
    controller = Controller(playbooks)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), _handler(controller)) as server:
        threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        controller.url = f"http://127.0.0.1:{server.server_port}"
        yield controller
        server.shutdown()
