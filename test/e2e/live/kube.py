"""The API server, as a kubeconfig leads to it: requests over HTTPS, and kubectl."""

import base64
import concurrent.futures
import contextlib
import http.client
import json
import pathlib
import ssl
import tempfile
import threading
import urllib.parse

from .expect import NotYet
from .program import retrying, run

# Where each kind that the suite writes is found.
PATHS = {
    "Namespace": ("/api/v1", "namespaces", False),
    "Node": ("/api/v1", "nodes", False),
    "Pod": ("/api/v1", "pods", True),
    "Event": ("/api/v1", "events", True),
    "PersistentVolume": ("/api/v1", "persistentvolumes", False),
    "PersistentVolumeClaim": ("/api/v1", "persistentvolumeclaims", True),
    "StorageClass": ("/apis/storage.k8s.io/v1", "storageclasses", False),
    "PriorityClass": ("/apis/scheduling.k8s.io/v1", "priorityclasses", False),
    "ReplicaSet": ("/apis/apps/v1", "replicasets", True),
    "DeviceClass": ("/apis/resource.k8s.io/v1", "deviceclasses", False),
    "ResourceSlice": ("/apis/resource.k8s.io/v1", "resourceslices", False),
    "ResourceClaim": ("/apis/resource.k8s.io/v1", "resourceclaims", True),
    "ClusterRole": ("/apis/rbac.authorization.k8s.io/v1", "clusterroles", False),
    "ClusterRoleBinding": ("/apis/rbac.authorization.k8s.io/v1", "clusterrolebindings", False),
}

MERGE_PATCH = "application/merge-patch+json"
STRATEGIC_PATCH = "application/strategic-merge-patch+json"
_ONLY_METADATA = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1"


class ApiError(Exception):
    """An answer of the API server that is no success."""

    def __init__(self, status, message):
        super().__init__(f"{status}: {message}")
        self.status = status


class Unavailable(ConnectionError):
    """An answer that says no more than: not now."""


# What a request raises while there is no API server, or none that is ready.
NO_ANSWER = (OSError, http.client.HTTPException)


class Api:
    """Requests to the API server. Thread-safe: each thread has a connection of its own."""

    def __init__(self, kubectl):
        config = json.loads(kubectl.run("config", "view", "--raw", "--minify", "--flatten", "-o", "json").stdout)
        cluster, user = config["clusters"][0]["cluster"], config["users"][0]["user"]
        self._address = urllib.parse.urlsplit(cluster["server"])
        self._tls = ssl.create_default_context(
            cadata=base64.b64decode(cluster["certificate-authority-data"]).decode())
        with tempfile.TemporaryDirectory() as folder:  # the ssl module takes certificates from files only
            files = []
            for field in ("client-certificate-data", "client-key-data"):
                files.append(pathlib.Path(folder) / field)
                files[-1].write_bytes(base64.b64decode(user[field]))
            self._tls.load_cert_chain(*files)
        self._local = threading.local()

    def request(self, method, path, body=None, content_type="application/json", timeout=30):
        """Returns the decoded answer; raises ApiError for a refusal, OSError or HTTPException for none."""
        connection = getattr(self._local, "connection", None)
        if connection is None:
            connection = self._local.connection = self._connect(timeout)
        elif connection.sock:
            connection.sock.settimeout(timeout)
        try:
            connection.request(method, path, None if body is None else json.dumps(body), {"Content-Type": content_type})
            answer = connection.getresponse()
            text = answer.read()
        except NO_ANSWER:
            connection.close()
            self._local.connection = None
            raise
        if answer.status in (429, 500, 503, 504):
            raise Unavailable(f"{answer.status}: {text.decode(errors='replace')}")
        if answer.status >= 400:
            raise ApiError(answer.status, text.decode(errors="replace"))
        return json.loads(text) if answer.headers.get_content_type() == "application/json" else text.decode()

    def _connect(self, timeout):
        return http.client.HTTPSConnection(self._address.hostname, self._address.port, timeout=timeout, context=self._tls)

    def path(self, kind, namespace=None, name=None, subresource=None):
        group, plural, namespaced = PATHS[kind]
        parts = [group]
        if namespaced and namespace:
            parts += ["namespaces", namespace]
        return "/".join(part for part in [*parts, plural, name, subresource] if part)

    def create(self, thing):
        metadata = thing["metadata"]
        return self.request("POST", self.path(thing["kind"], metadata.get("namespace")), thing)

    def create_all(self, things, patient=False):
        """Creates many, several at a time. Patient: tries again while there is no API server."""
        def create(thing):
            if not patient:
                return self.create(thing)
            try:
                return retrying(lambda: self.create(thing), NO_ANSWER, 60)
            except ApiError as error:  # the try before was heard, its answer was lost
                if error.status != 409:
                    raise
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            return list(pool.map(create, things))

    def get(self, kind, name, namespace=None):
        return self.request("GET", self.path(kind, namespace, name))

    def list(self, kind, namespace=None, **selectors):
        query = "?" + urllib.parse.urlencode(selectors) if selectors else ""
        return self.request("GET", self.path(kind, namespace) + query)["items"]

    def watch(self, kind, namespace=None, **selectors):
        """Yields watch events that carry only the metadata of their objects: of what is there now, then of
        what changes. On a connection of its own; ends when the API server ends it."""
        query = urllib.parse.urlencode({"watch": "true", **selectors})
        with contextlib.closing(self._connect(timeout=None)) as connection:
            connection.request("GET", f"{self.path(kind, namespace)}?{query}", headers={"Accept": _ONLY_METADATA})
            answer = connection.getresponse()
            if answer.status != 200:
                raise ApiError(answer.status, answer.read().decode(errors="replace"))
            yield from map(json.loads, answer)

    def patch(self, kind, name, change, namespace=None, subresource=None, content_type=MERGE_PATCH):
        return self.request("PATCH", self.path(kind, namespace, name, subresource), change, content_type)

    def delete(self, kind, name, namespace=None):
        """Deletes at once: there is no kubelet that would end a pod."""
        self.request("DELETE", self.path(kind, namespace, name), {"gracePeriodSeconds": 0})

    def delete_all(self, kind, namespace=None, **selectors):
        """Deletes every object of the kind, finalizers or not: no controller would remove those."""
        items = self.list(kind, namespace, **selectors)
        if not items:
            return
        query = "?" + urllib.parse.urlencode(selectors) if selectors else ""
        self.request("DELETE", self.path(kind, namespace) + query, {"gracePeriodSeconds": 0})
        for thing in items:
            if thing["metadata"].get("finalizers"):
                self._drop_finalizers(kind, thing["metadata"]["name"], namespace)

    def _drop_finalizers(self, kind, name, namespace):
        try:
            self.patch(kind, name, {"metadata": {"finalizers": None}}, namespace)
        except ApiError as error:
            if error.status != 404:
                raise

    def serves(self, kind):
        """Whether the API server knows the kind."""
        try:
            self.request("GET", self.path(kind) + "?limit=1")
            return True
        except ApiError as error:
            if error.status == 404:
                return False
            raise

    def ready(self):
        try:
            return self.request("GET", "/readyz", timeout=5) == "ok"
        except (*NO_ANSWER, ApiError) as error:
            raise NotYet(error) from None


class Kubectl:
    """kubectl with a kubeconfig."""

    def __init__(self, program, kubeconfig):
        self.program = program
        self.kubeconfig = kubeconfig

    def run(self, *arguments, stdin=None, check=True):
        return run([self.program, "--kubeconfig", self.kubeconfig, *arguments], stdin=stdin, check=check)

    def read_yaml(self, file):
        """The objects of a YAML file, without asking a server: Python has no YAML reader of its own."""
        text = self.run("patch", "--local", "--type=merge", "--patch={}", "-f", file, "-o", "json").stdout
        return json_documents(text)


def json_documents(text):
    """The JSON documents that follow one another in a text."""
    decoder, documents, at = json.JSONDecoder(), [], 0
    text = text.strip()
    while at < len(text):
        document, at = decoder.raw_decode(text, at)
        documents.append(document)
        while at < len(text) and text[at].isspace():
            at += 1
    return documents


def kubeconfig(server, authority, certificate, key):
    """A kubeconfig for one user, as text. JSON, which YAML readers read too."""
    return json.dumps({
        "apiVersion": "v1", "kind": "Config", "current-context": "e2e",
        "clusters": [{"name": "e2e", "cluster": {"server": server, "certificate-authority": str(authority)}}],
        "users": [{"name": "e2e", "user": {"client-certificate": str(certificate), "client-key": str(key)}}],
        "contexts": [{"name": "e2e", "context": {"cluster": "e2e", "user": "e2e"}}],
    }, indent=1)
