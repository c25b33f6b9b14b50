"""The same for a kind cluster, made as docs/install.md says: berth from its image, asked by the cluster's
own kube-scheduler.

Scenarios that need no more than that use those two. For the others, further berths (each behind a Service
of its own, so that its address stays) and a kube-scheduler with a schedulerName of its own run as pods.
What listens inside the cluster is reached with curl from the kind node.
"""

import copy
import json
import shutil

from .berth import Berth
from .cluster import ROOT, Shipped, clean_up
from .expect import expect, until
from .kube import Api, Kubectl
from .objects import LABEL
from .program import run
from .scheduler import with_extender

NAME = "berth"  # of the cluster, as in deploy/kind/cluster.yaml
NODE = f"{NAME}-control-plane"
IMAGE = "berth:e2e"  # as the overlay says
SYSTEM = "berth"  # the overlay's namespace
SHIPPED_URL = "http://127.0.0.1:8888"
CONFIG = "/etc/e2e"  # where pods of ours find their configuration
SCHEDULER = "kube-scheduler-e2e"


def on_node(*command, stdin=None, check=True):
    """Runs a command on the kind node."""
    return run(["docker", "exec", "--interactive", NODE, *command], stdin=stdin, check=check)


class DeployedBerth(Berth):
    """The berth of the overlay, on the node's loopback address."""

    name = "berth"
    url = SHIPPED_URL
    admin = "http://127.0.0.1:8889"
    credentials = ()  # curl's options

    def fetch(self, path):
        return self._curl(self.admin + path)

    def ask(self, verb, question):
        status, text = self._curl(f"{self.url}/{verb}", "--data-binary", "@-", stdin=json.dumps(question))
        expect(status == 200, f"{self.name} answers {verb}", f"{status}: {text}")
        return text

    def start(self):
        """Its kubelet starts it whenever it has ended."""
        until(f"{self.name} ready", self.ready, 120, every=0.5)

    def kill(self):
        on_node("pkill", "-KILL", "-x", "berth")

    def stop(self):
        """It stays for the next scenario."""

    def _curl(self, url, *options, stdin=None):
        done = on_node("curl", "--silent", "--max-time", "5", "--write-out", "\n%{http_code}", *self.credentials,
                       *options, url, stdin=stdin, check=False)
        if done.returncode != 0:
            raise ConnectionError(f"curl {url}: exit code {done.returncode}")
        text, _, status = done.stdout.rpartition("\n")
        return int(status), text


class PodBerth(DeployedBerth):
    """A further berth, not started yet: a pod behind a Service. `tls`: (certificate, key, CA of clients)."""

    def __init__(self, cluster, name, config, tls, folder):
        self.name = name
        self._cluster = cluster
        address = cluster.make_service(name, {"e2e": name})
        scheme = "https" if tls else "http"
        self.url, self.admin = f"{scheme}://{address}:8888", f"{scheme}://{address}:8889"
        flags = ["--insecure-listen"]
        if tls:
            certificate, key, client_authority = map(str, tls)
            flags = ["--tls-cert", certificate, "--tls-key", key, "--tls-client-ca", client_authority]
            self.credentials = ("--insecure", "--cert", certificate, "--key", key)
        cluster.make_config(name, config)
        self._pod = _pod(name, {"e2e": name, "e2e-berths": "true"}, [folder], {
            "image": IMAGE, "args": ["serve", f"--config={CONFIG}/config.json", "--listen=0.0.0.0:8888",
                                     "--admin-listen=0.0.0.0:8889", "--log-level=debug", *flags]},
            serviceAccountName="berth", automountServiceAccountToken=True)

    def start(self):
        self._cluster.apply(self._pod)
        super().start()

    def kill(self):
        self._cluster.delete_pod(self.name, "--grace-period=0", "--force")

    def stop(self):
        self._cluster.delete_pod(self.name, "--grace-period=2")


class PodScheduler:
    """A kube-scheduler beside the cluster's own: the same image and credentials, another configuration."""

    scheduler_name = "berth-e2e"

    def __init__(self, cluster, config, image, folder):
        self._cluster = cluster
        config = {**copy.deepcopy(config), "leaderElection": {"leaderElect": False},
                  "clientConnection": {"kubeconfig": "/etc/kubernetes/scheduler.conf", "qps": 5000, "burst": 10000}}
        [profile] = config.setdefault("profiles", [{}])
        profile["schedulerName"] = self.scheduler_name
        cluster.make_config(SCHEDULER, config)
        readiness = {"httpGet": {"host": "127.0.0.1", "port": 10359, "path": "/readyz", "scheme": "HTTPS"}, "periodSeconds": 1}
        cluster.apply(_pod(SCHEDULER, {"e2e": SCHEDULER}, [folder, "/etc/kubernetes"], {
            "image": image, "readinessProbe": readiness, "command": [
                "kube-scheduler", f"--config={CONFIG}/config.json", "--bind-address=127.0.0.1", "--secure-port=10359",
                "--authentication-skip-lookup", "--authorization-always-allow-paths=/healthz,/readyz,/livez,/metrics"]},
            hostNetwork=True))
        cluster.kubectl.run("--namespace", SYSTEM, "wait", "--for=condition=Ready", f"pod/{SCHEDULER}", "--timeout=120s")

    def stop(self):
        self._cluster.delete_pod(SCHEDULER, "--grace-period=1")


class ShippedScheduler:
    """The cluster's own kube-scheduler, configured with what deploy/ ships."""

    scheduler_name = "default-scheduler"

    def stop(self):
        """It stays for the next scenario."""


class OneAddress:
    """A Service for all further berths."""

    def __init__(self, cluster):
        self.url = f"http://{cluster.make_service('berths', {'e2e-berths': 'true'})}:8888"

    def stop(self):
        """The Service goes with everything else of the scenario."""


class ApiConnections:
    """The connections of pods to the API server, which they reach by its Service's address."""

    def __init__(self, address):
        self._address = address

    def cut(self):
        killed = on_node("ss", "--no-header", "--kill", "--tcp", "dst", self._address)
        return len(killed.stdout.splitlines())

    def stop(self):
        """Nothing of it is left."""


class KindCluster:
    """A kind cluster of our own, deleted by stop()."""

    has_controllers = True
    other_nodes = 1

    def __init__(self, version, folder):
        for program in ("docker", "kind", "kubectl"):
            expect(shutil.which(program), f"{program} on the PATH", "it is not there")
        self._folder = self._scenario_folder = folder
        self._running = []
        self._restarted = False
        kubeconfig = folder / "kind.kubeconfig"
        self.kubectl = Kubectl("kubectl", kubeconfig)
        run(["docker", "build", "--file", ROOT / "deploy/Dockerfile", "--tag", IMAGE, ROOT])
        image = ["--image", f"kindest/node:{version}"] if version.startswith("v") else []
        run(["kind", "create", "cluster", "--config", "deploy/kind/cluster.yaml", "--wait", "180s",
             "--kubeconfig", kubeconfig, *image], folder=ROOT)  # its hostPath is relative
        try:
            self._deploy()
        except BaseException:
            self.stop()
            raise

    def _deploy(self):
        run(["kind", "load", "docker-image", IMAGE, "--name", NAME])
        self.kubectl.run("apply", "--kustomize", ROOT / "deploy/kustomize/overlays/kind")
        self.kubectl.run("--namespace", SYSTEM, "rollout", "status", "daemonset/berth", "--timeout=180s")
        self.api = Api(self.kubectl)
        self.shipped = Shipped(self.kubectl)
        self.minor = int(self.api.request("GET", "/version")["minor"].rstrip("+"))
        static_pod = self.api.get("Pod", f"kube-scheduler-{NODE}", "kube-system")
        self._scheduler_image = static_pod["spec"]["containers"][0]["image"]

    # The same as in LocalCluster

    def begin(self, name):
        self._scenario_folder = self._folder / name
        self._scenario_folder.mkdir()
        self._restarted = False
        return self._scenario_folder

    def make_namespace(self, name):
        self.api.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})
        until("the default account of the namespace", lambda: self.kubectl.run(
            "--namespace", name, "get", "serviceaccount", "default", check=False).returncode == 0, every=0.2)

    def collect_logs(self):
        pods = self.kubectl.run("--namespace", SYSTEM, "get", "pods", "--output", "name").stdout.split()
        for pod in pods:
            done = self.kubectl.run("--namespace", SYSTEM, "logs", pod, check=False)
            (self._scenario_folder / f"{pod.removeprefix('pod/')}.log").write_text(done.stdout + done.stderr)

    def end(self, namespace):
        try:
            self.collect_logs()
            while self._running:
                self._running.pop().stop()
            self._expect_no_refusal()
        finally:
            self._running.clear()
            self.kubectl.run("--namespace", SYSTEM, "delete", "pods,services,configmaps", "--selector", LABEL,
                             "--grace-period=1", "--wait")
            clean_up(self.api, namespace)

    def stop(self):
        run(["kind", "delete", "cluster", "--name", NAME], check=False)

    def new_berth(self, name="berth", policy=None, wire=None, tls=None):
        del wire  # its connections to the API server can be cut as they are
        if name == DeployedBerth.name and not policy and not tls:
            return self._track(DeployedBerth())
        config = {**self.shipped.berth, "policy": {**self.shipped.berth["policy"], **(policy or {})}}
        self._copy_folder()
        return self._track(PodBerth(self, name, config, tls, self._scenario_folder))

    def start_berth(self, **options):
        berth = self.new_berth(**options)
        berth.start()
        return berth

    def start_scheduler(self, config):
        if config == with_extender(self.shipped.all_pods, SHIPPED_URL):
            return self._track(ShippedScheduler())
        self._copy_folder()
        return self._track(PodScheduler(self, config, self._scheduler_image, self._scenario_folder))

    def wire_to_apiserver(self):
        return self._track(ApiConnections(self.kubectl.run(
            "get", "service", "kubernetes", "--output", "jsonpath={.spec.clusterIP}").stdout))

    def balance(self, berths):
        del berths  # all that run as pods of ours
        return self._track(OneAddress(self))

    def restart_apiserver(self):
        """Ends the API server once it has answered what it had begun to; its kubelet starts the next."""
        self._restarted = True
        process = on_node("pgrep", "-x", "kube-apiserver").stdout
        on_node("pkill", "-TERM", "-x", "kube-apiserver")
        until("the API server has stopped listening", self._refuses, 60)
        on_node("kill", "-KILL", process.strip(), check=False)
        until("another API server", lambda: self._is_another(process) and self.api.ready(), 180, every=0.5)

    # What the berths and schedulers of a scenario are made of

    def apply(self, thing):
        self.kubectl.run("apply", "--filename", "-", stdin=json.dumps(thing))

    def make_config(self, name, config):
        self.apply({"apiVersion": "v1", "kind": "ConfigMap", "metadata": _metadata(name),
                    "data": {"config.json": json.dumps(config)}})

    def make_service(self, name, selector):
        """Returns its address."""
        self.apply({"apiVersion": "v1", "kind": "Service", "metadata": _metadata(name), "spec": {
            "selector": selector, "ports": [{"name": "extender", "port": 8888}, {"name": "admin", "port": 8889}]}})
        return self.kubectl.run("--namespace", SYSTEM, "get", "service", name,
                                "--output", "jsonpath={.spec.clusterIP}").stdout

    def delete_pod(self, name, *how):
        self.kubectl.run("--namespace", SYSTEM, "delete", "pod", name, "--ignore-not-found", "--wait", *how)

    def _track(self, thing):
        self._running.append(thing)
        return thing

    def _copy_folder(self):
        """Certificates of the scenario are found on the node, and in pods, where they are here."""
        on_node("mkdir", "--parents", str(self._scenario_folder))
        run(["docker", "cp", f"{self._scenario_folder}/.", f"{NODE}:{self._scenario_folder}"])
        on_node("chmod", "--recursive", "a+rX", str(self._folder))

    def _refuses(self):
        couldnt_connect = 7
        return on_node("curl", "--silent", "--insecure", "--output", "/dev/null", "https://127.0.0.1:6443/livez",
                       check=False).returncode == couldnt_connect

    def _is_another(self, process):
        now = on_node("pgrep", "-x", "kube-apiserver", check=False).stdout
        return now and now != process

    def _expect_no_refusal(self):
        """berth may do what its ClusterRole allows and asks for no more. An API server that has just
        started refuses everybody until it has read the roles."""
        if self._restarted:
            return
        for log in self._scenario_folder.glob("berth*.log"):
            refused = [line for line in log.read_text().splitlines() if "orbidden" in line]
            expect(not refused, f"nothing forbidden in {log.name}", "\n".join(refused[:5]))


def _metadata(name, labels=None):
    return {"name": name, "namespace": SYSTEM, "labels": {LABEL: "true", **(labels or {})}}


def _pod(name, labels, folders, container, **spec):
    """A pod on the kind node that sees its configuration, and folders of the node where they are there."""
    mounts = [{"name": "config", "mountPath": CONFIG}]
    volumes = [{"name": "config", "configMap": {"name": name}}]
    for index, folder in enumerate(map(str, folders)):
        mounts.append({"name": f"folder-{index}", "mountPath": folder})
        volumes.append({"name": f"folder-{index}", "hostPath": {"path": folder}})
    return {"apiVersion": "v1", "kind": "Pod", "metadata": _metadata(name, labels), "spec": {
        "nodeName": NODE, "tolerations": [{"operator": "Exists"}], "volumes": volumes,
        "containers": [{"name": "main", "imagePullPolicy": "IfNotPresent", "volumeMounts": mounts, **container}], **spec}}
