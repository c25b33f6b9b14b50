"""etcd and kube-apiserver on loopback, with TLS and RBAC on and no kubelet."""

import json
import os
import pathlib
import signal
import socket

from .expect import NotYet, until
from .kube import Api, Kubectl, kubeconfig
from .pki import Authority
from .program import Program, free_port, run

CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "berth" / "controlplane"

# Who has a certificate, and as whom it speaks.
USERS = {
    "admin": "/O=system:masters/CN=admin",
    "scheduler": "/CN=system:kube-scheduler",
    "berth": "/CN=berth",
}


def pinned_versions():
    """What the file `versions` says."""
    lines = (pathlib.Path(__file__).parent / "versions").read_text().splitlines()
    return dict(line.split("=") for line in lines if line and not line.startswith("#"))


class Programs:
    """Where the programs of one version are."""

    def __init__(self, version):
        pinned = pinned_versions()
        self.version = pinned.get(version, version)
        self.kubectl = CACHE / self.version / "kubectl"
        self.apiserver = CACHE / self.version / "kube-apiserver"
        self.scheduler = CACHE / self.version / "kube-scheduler"
        self.etcd = CACHE / f"etcd-{pinned['etcd']}" / "etcd"

    @property
    def minor(self):
        return int(self.version.split(".")[1])


class ControlPlane:
    """An API server with its etcd, ready when constructed; stop() ends both. Files are in `folder`."""

    def __init__(self, programs, folder):
        self.programs = programs
        self.folder = pathlib.Path(folder)
        self.authority = Authority(self.folder / "pki")
        self.server_certificate = self.authority.issue("server", "/CN=e2e-server")
        self.audit_log = self.folder / "audit.log"
        self.port = free_port()
        self.url = f"https://127.0.0.1:{self.port}"
        for user, subject in USERS.items():
            self.authority.issue(user, subject)
        self._etcd = self._make_etcd()
        self._apiserver = self._make_apiserver()
        self.kubectl = Kubectl(programs.kubectl, self.kubeconfig("admin"))
        self.api = Api(self.kubectl)
        self._etcd.start()
        self.start_apiserver()

    def kubeconfig(self, user, server=None):
        """A kubeconfig file for one of USERS; `server` replaces the API server's own address."""
        name = f"{user}.kubeconfig" if server is None else f"{user}-{server.rsplit(':', 1)[1]}.kubeconfig"
        file = self.folder / name
        pki = self.folder / "pki"
        file.write_text(kubeconfig(server or self.url, self.authority.certificate, pki / f"{user}.crt", pki / f"{user}.key"))
        return file

    def start_apiserver(self):
        self._apiserver.start()
        self._apiserver.await_ready(self.api.ready)

    def stop_apiserver(self):
        """It answers what it has begun to answer; killed before, bindings that were written would go
        unanswered, and kube-scheduler would take the room they hold for free for a moment. It would then
        linger for a minute."""
        self._apiserver.signal(signal.SIGTERM)
        until("the API server has stopped listening", self._refuses, 30)
        self._apiserver.kill()

    def _refuses(self):
        try:
            socket.create_connection(("127.0.0.1", self.port)).close()
        except ConnectionRefusedError:
            return True
        raise NotYet("a connection was accepted")

    def stop(self):
        """The API server first: without its etcd it lingers and keeps its port."""
        self._apiserver.kill()
        self._etcd.kill()

    def _make_etcd(self):
        client, peer = (f"http://127.0.0.1:{free_port()}" for _ in range(2))
        self._etcd_url = client
        return Program("etcd", [
            self.programs.etcd, "--name=e2e", f"--data-dir={self.folder / 'etcd'}", "--unsafe-no-fsync", "--log-level=warn",
            f"--listen-client-urls={client}", f"--advertise-client-urls={client}", f"--listen-peer-urls={peer}",
            f"--initial-advertise-peer-urls={peer}", f"--initial-cluster=e2e={peer}"], self.folder)

    def _make_apiserver(self):
        certificate, key = self.server_certificate
        signing_key = self.folder / "pki" / "service-accounts.key"
        run(["openssl", "ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", signing_key])
        return Program("kube-apiserver", [
            self.programs.apiserver, f"--etcd-servers={self._etcd_url}",
            f"--secure-port={self.port}", "--bind-address=127.0.0.1", "--advertise-address=127.0.0.1",
            "--endpoint-reconciler-type=none",  # else the newest refuse to be found on loopback
            f"--tls-cert-file={certificate}", f"--tls-private-key-file={key}", f"--client-ca-file={self.authority.certificate}",
            "--authorization-mode=RBAC", "--service-account-issuer=https://127.0.0.1",
            f"--service-account-key-file={signing_key}", f"--service-account-signing-key-file={signing_key}",
            "--service-cluster-ip-range=10.0.0.0/24",
            # Both wait for controllers: one for default accounts, one to untaint new nodes.
            "--disable-admission-plugins=ServiceAccount,TaintNodesByCondition",
            f"--audit-policy-file={self._audit_policy()}", f"--audit-log-path={self.audit_log}", "--audit-log-mode=blocking-strict",
            "--profiling=false"], self.folder)

    def _audit_policy(self):
        """Records what berth asks for, and nobody else."""
        file = self.folder / "audit-policy.json"
        file.write_text(json.dumps({
            "apiVersion": "audit.k8s.io/v1", "kind": "Policy", "omitStages": ["RequestReceived"],
            "rules": [{"level": "Metadata", "users": ["berth"]}, {"level": "None"}]}))
        return file
