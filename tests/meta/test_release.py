# SPDX-License-Identifier: GPL-3.0-or-later

"""The steps of a release as the workflow runs them, and the check that a release is possible."""

import hashlib
import http.server
import json
import os
import re
import subprocess
import sys
import threading
import typing as t
from pathlib import Path

import pytest
import release_check
import yaml
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
from release_check import DECIDES, VERSIONS

ROOT = Path(__file__).resolve().parents[2]
PASSPHRASE = "planted-passphrase-3f"
TOKEN = "planted-galaxy-token-9c"


def shell(command: str, folder: Path, **environment: str) -> str:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-ec", command],
        cwd=folder,
        env={**os.environ, "PATH": path, "HOME": str(folder), **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


def named(words: str) -> str:
    """Return the command in the workflow that contains this text."""
    workflow = yaml.safe_load((ROOT / ".github" / "workflows" / "release.yml").read_text(encoding="utf-8"))
    (command,) = [step["run"] for step in workflow["jobs"]["publish"]["steps"] if words in step.get("run", "")]
    return command


@pytest.fixture(scope="module")
def artifact(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the artifact into an empty folder."""
    folder = tmp_path_factory.mktemp("release")
    source = folder / "source"
    copy = shell(f"{ROOT}/scripts/tracked-copy.sh {source}", folder).strip()
    (folder / "package").mkdir()
    shell(f"ansible-galaxy collection build {copy} --output-path {folder}/package", folder)
    (path,) = (folder / "package").glob("*.tar.gz")
    return path


@pytest.mark.builds
def test_release_is_described(artifact: Path) -> None:
    """The checksum is correct, and both lists of dependencies are valid CycloneDX with the expected components."""
    shell(named("describe"), ROOT, RELEASE_FOLDER=str(artifact.parent))
    digest, name = (artifact.parent / "SHA256SUMS").read_text(encoding="utf-8").split()
    assert (digest, name) == (hashlib.sha256(artifact.read_bytes()).hexdigest(), artifact.name)
    documents = {path.name: path.read_text(encoding="utf-8") for path in artifact.parent.glob("*.cdx.json")}
    assert len(documents) == 2
    for text in documents.values():
        version = SchemaVersion.from_version(json.loads(text)["specVersion"])
        assert JsonStrictValidator(version).validate_str(text) is None
    parts = {name: {component["name"] for component in json.loads(text)["components"]} for name, text in documents.items()}
    assert {"requests", "urllib3"} <= parts["requirements.cdx.json"]
    image = yaml.safe_load((ROOT / "examples/awx/execution-environment.yml").read_text(encoding="utf-8"))["images"]["base_image"]
    assert {"requests", "ansible-core", "observability", image["name"].rpartition(":")[0]} <= parts[
        "execution-environment.cdx.json"
    ]


@pytest.mark.builds
def test_manifest_is_signed(artifact: Path, tmp_path: Path) -> None:
    """The signature was made with the key, and ansible-galaxy's verification of the manifest succeeds."""
    home = tmp_path / "keys"
    home.mkdir(mode=0o700)
    gpg = f"gpg --homedir {home} --batch --quiet --pinentry-mode loopback --passphrase {PASSPHRASE}"
    shell(f"{gpg} --quick-generate-key release@example.com ed25519 sign never", tmp_path)
    key = shell(f"{gpg} --armor --export-secret-keys", tmp_path)
    shell(f"{gpg} --output {tmp_path}/ring.kbx --export", tmp_path)
    said = shell(
        named("release.sh sign"), ROOT, RELEASE_FOLDER=str(artifact.parent), GPG_PRIVATE_KEY=key, GPG_PASSPHRASE=PASSPHRASE
    )
    assert PASSPHRASE not in said
    shell(f"gpgconf --homedir {home} --kill all", tmp_path)
    signature = f"file://{artifact.parent}/MANIFEST.json.asc"
    where = {"ANSIBLE_COLLECTIONS_PATH": str(tmp_path / "installed"), "ANSIBLE_COLLECTIONS_SCAN_SYS_PATH": "false"}
    shell(
        f"ansible-galaxy collection install --offline --disable-gpg-verify {artifact} -p {tmp_path}/installed", tmp_path, **where
    )
    verify = (
        f"ansible-galaxy collection verify --offline --keyring {tmp_path}/ring.kbx --signature {signature} edgeops.observability"
    )
    assert "Successfully verified" in shell(verify, tmp_path, **where)


class Galaxy(http.server.BaseHTTPRequestHandler):
    """A Galaxy server with the routes for an upload."""

    uploads: t.ClassVar[list[tuple[str, bytes]]] = []

    def do_GET(self) -> None:
        done = {"state": "completed", "finished_at": "2026-01-01T00:00:00Z", "messages": []}
        self._answer(done if "imports" in self.path else {"available_versions": {"v3": "v3/"}})

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.uploads.append((self.headers["Authorization"], body))
        self._answer({"task": "/api/v3/imports/collections/1/"})

    def _answer(self, document: dict[str, t.Any]) -> None:
        body = json.dumps(document).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: t.Any) -> None:  # noqa: A002  # the name is the base class's
        pass


@pytest.mark.builds
def test_artifact_is_published(artifact: Path) -> None:
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Galaxy) as server:
        threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        url = f"http://127.0.0.1:{server.server_port}/"
        said = shell(
            named("publish"), ROOT, RELEASE_FOLDER=str(artifact.parent), GALAXY_URL=url, GALAXY_TOKEN=TOKEN, no_proxy="127.0.0.1"
        )
        server.shutdown()
    ((authorization, body),) = Galaxy.uploads
    assert authorization == f"Token {TOKEN}" and hashlib.sha256(artifact.read_bytes()).hexdigest().encode() in body
    assert TOKEN not in said
    with pytest.raises(AssertionError, match="GALAXY_TOKEN: is missing"):
        shell(named("publish"), ROOT, RELEASE_FOLDER=str(artifact.parent), GALAXY_TOKEN="")


@pytest.mark.builds
def test_release_contains_the_files(artifact: Path, tmp_path: Path) -> None:
    """Runs in a copy of the built repository, with a command that only records its arguments."""
    (tmp_path / "bin").mkdir()
    gh = tmp_path / "bin" / "gh"
    gh.write_text('#!/bin/sh\nprintf "%s\\n" "$@" >arguments\n', encoding="utf-8")
    gh.chmod(0o755)
    (tmp_path / "build" / "package").mkdir(parents=True)
    (tmp_path / "build" / "package" / artifact.name).touch()
    (tmp_path / "CHANGELOG.md").touch()
    command = f"export PATH={gh.parent}:$PATH; {named('gh release create')}"
    shell(command, tmp_path, GITHUB_REF_NAME="1.2.3")
    arguments = (tmp_path / "arguments").read_text(encoding="utf-8").split()
    assert arguments[:3] == ["release", "create", "1.2.3"]
    assert arguments[-1] == f"build/package/{artifact.name}" and "CHANGELOG.md" in arguments


def test_site_is_published(tmp_path: Path) -> None:
    """The sites of main and of each release have their own folders; publishing the same site again succeeds without a commit."""
    project, origin = tmp_path / "project", tmp_path / "origin.git"
    shell(f"git init --quiet --bare {origin} && git init --quiet {project} && cp -r {ROOT}/scripts {project}", tmp_path)
    shell(f"git remote add origin {origin}; mkdir -p docs/site; echo first > docs/site/index.html", project)
    for name in ("main", "1.0.0", "main"):
        shell(f"TMPDIR={tmp_path} scripts/publish_site.sh {name}", project)
    commits = shell(f"git -C {origin} log --format=%s gh-pages", tmp_path).split("\n")
    files = shell(f"git -C {origin} ls-tree -r --name-only gh-pages", tmp_path).split()
    assert commits == ["Publish 1.0.0", "Publish main", "Begin the site", ""]
    assert files == [".nojekyll", "1.0.0/index.html", "index.html", "main/index.html"]
    assert "url=1.0.0/" in shell(f"git -C {origin} show gh-pages:index.html", tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["origin.git", "project"]


@pytest.fixture
def release_files(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Return a copy of the files with the version that tests can change; the state of git is replaced by a clean one."""
    for name in (*VERSIONS, *release_check.DOCUMENTS, "changelogs/changelog.yaml", "CHANGELOG.md", "CHANGELOG.rst"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text((ROOT / name).read_text(encoding="utf-8"), encoding="utf-8")
    (tmp_path / "changelogs" / "fragments").mkdir()
    monkeypatch.setattr(release_check, "ROOT", tmp_path)
    monkeypatch.setattr(release_check, "_tree", lambda version: [])
    return tmp_path


def test_release_is_possible(release_files: Path) -> None:
    assert release_check.problems() == []


@pytest.mark.parametrize("name", [name for name in VERSIONS if name != DECIDES])
def test_different_version_is_reported(release_files: Path, name: str) -> None:
    version = release_check._versions()[DECIDES]
    path = release_files / name
    path.write_text(path.read_text(encoding="utf-8").replace(version, "9.9.9"), encoding="utf-8")
    assert release_check.problems() == [f"{name} says 9.9.9, and galaxy.yml {version}"]


def test_no_other_file_has_the_version() -> None:
    named = re.compile(rf"(version|observability)\W{{1,4}}{re.escape(release_check._versions()[DECIDES])}\b")
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\0")
    texts = [
        name for name in listed if (ROOT / name).is_file() and not name.startswith(("CHANGELOG", "changelogs/", "requirements/"))
    ]
    with_version = {name for name in texts if named.search((ROOT / name).read_text(encoding="utf-8", errors="replace"))}
    assert with_version <= VERSIONS.keys(), "let it come from galaxy.yml, or compare it in scripts/release_check.py"


def test_missing_files_are_reported(release_files: Path) -> None:
    """A release is refused for a remaining changelog fragment, a missing document, or a version without a changelog entry."""
    (release_files / "changelogs" / "fragments" / "left.yml").write_text("minor_changes: []\n", encoding="utf-8")
    (release_files / "SUPPORT.md").unlink()
    assert sorted(release_check.problems()) == [
        "SUPPORT.md is missing, or says nothing of 'Semantic Versioning'",
        "changelog fragments that no release has taken up: left.yml",
    ]
    for name, version in release_check._versions().items():
        path = release_files / name
        path.write_text(path.read_text(encoding="utf-8").replace(version, "9.9.9"), encoding="utf-8")
    problems = " ".join(release_check.problems())
    assert "changelogs/changelog.yaml has no release 9.9.9" in problems
    assert "CHANGELOG.md or CHANGELOG.rst does not describe 9.9.9" in problems


def test_tag_of_another_version_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RELEASE_TAG", "9.9.9")
    assert any("the release is tagged 9.9.9" in problem for problem in release_check.problems())
