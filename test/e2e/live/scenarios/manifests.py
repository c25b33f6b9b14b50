"""Every manifest under deploy/ is accepted by the API server as it is, without a warning."""

import json

from ..cluster import DEPLOY
from ..expect import expect
from ..kube import json_documents

DRY_RUN = ["apply", "--dry-run=server", "--validate=strict", "-f", "-"]


def run(stage):
    folders = [DEPLOY / "kustomize" / "base", *sorted(DEPLOY.glob("kustomize/overlays/*"))]
    expect(len(folders) > 1, "overlays under deploy/kustomize", "none")
    checked = 0
    for folder in folders:
        rendered = stage.cluster.kubectl.run("kustomize", folder).stdout
        things = json_documents(stage.cluster.kubectl.run(
            "patch", "--local", "--type=merge", "--patch={}", "-o", "json", "-f", "-", stdin=rendered).stdout)
        _make_namespaces(stage, things)
        done = stage.cluster.kubectl.run(*DRY_RUN, stdin=rendered, check=False)
        expect(done.returncode == 0 and "Warning" not in done.stderr,
               f"{folder.relative_to(DEPLOY.parent)} accepted without a warning", done.stdout + done.stderr)
        checked += len(things)
    stage.note(f"{checked} objects of {len(folders)} kustomizations")


def _make_namespaces(stage, things):
    """What a dry run makes is gone at once: the namespaces must be there for what goes into them."""
    wanted = [thing for thing in things if thing["kind"] == "Namespace"]
    if wanted:
        stage.cluster.kubectl.run("apply", "-f", "-", stdin="\n---\n".join(json.dumps(thing) for thing in wanted))
