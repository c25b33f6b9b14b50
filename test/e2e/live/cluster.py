"""The cluster that scenarios run in: the local one. kind.py has the other."""

import json
import pathlib

from .audit import Audit, now
from .berth import BerthProcess
from .control_plane import ControlPlane
from .objects import LABEL
from .scheduler import Scheduler
from .wire import Balancer, Wire

ROOT = pathlib.Path(__file__).resolve().parents[3]
DEPLOY = ROOT / "deploy"


class Shipped:
    """What deploy/ ships, read: two configurations of kube-scheduler, berth's, and what berth may do."""

    def __init__(self, kubectl):
        self.all_pods = kubectl.read_yaml(DEPLOY / "scheduler" / "all-pods.yaml")[0]
        self.gpu_pods = kubectl.read_yaml(DEPLOY / "scheduler" / "gpu-pods.yaml")[0]
        self.berth = kubectl.read_yaml(DEPLOY / "kustomize" / "base" / "berth.yaml")[0]
        self.cluster_role = next(thing for thing in kubectl.read_yaml(DEPLOY / "kustomize" / "base" / "rbac.yaml")
                                 if thing["kind"] == "ClusterRole")


class LocalCluster:
    """A control plane of our own, and the berths and kube-schedulers of one scenario after the other."""

    has_controllers = False  # nobody makes the pods of a ReplicaSet
    other_nodes = 0  # beside those that scenarios make

    def __init__(self, programs, berth_program, folder):
        self._programs = programs
        self._berth_program = berth_program
        self._folder = self._scenario_folder = folder
        self._running = []
        self.minor = programs.minor
        self.control_plane = ControlPlane(programs, folder)
        try:
            self.api, self.kubectl = self.control_plane.api, self.control_plane.kubectl
            self.shipped = Shipped(self.kubectl)
            self._audit = Audit(self.control_plane.audit_log)
            self._bind_shipped_role()
        except BaseException:
            self.stop()
            raise

    def begin(self, name):
        """A scenario begins; its logs go to a folder of its own, which is returned."""
        self._scenario_folder = self._folder / name
        self._scenario_folder.mkdir()
        return self._scenario_folder

    def make_namespace(self, name):
        self.api.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})

    def collect_logs(self):
        """Brings the logs of the scenario into its folder: here they are written there."""

    def end(self, namespace):
        """Ends what the scenario started and deletes what it wrote. Failure when berth did not end well,
        or was refused something by the API server."""
        try:
            self._stop_all()
            self._audit.expect_reading_only()
        finally:
            self._kill_all()
            clean_up(self.api, namespace)

    def stop(self):
        self._kill_all()
        self.control_plane.stop()

    def new_berth(self, name="berth", policy=None, wire=None, tls=None, log_level="debug"):
        """A berth with the shipped configuration, not started yet. `policy` replaces keys of the policy;
        `wire`: its way to the API server; `tls`: (certificate, key, CA of clients)."""
        config = {**self.shipped.berth, "policy": {**self.shipped.berth["policy"], **(policy or {})}}
        flags = []
        if tls:
            certificate, key, client_authority = tls
            flags = ["--tls-cert", certificate, "--tls-key", key, "--tls-client-ca", client_authority]
        file = self._scenario_folder / f"{name}.yaml"
        file.write_text(json.dumps(config, indent=1))
        server = f"https://127.0.0.1:{wire.port}" if wire else None
        berth = BerthProcess(name, self._berth_program, self.control_plane.kubeconfig("berth", server), file,
                             self._scenario_folder, tls=tls is not None, log_level=log_level, flags=flags)
        self._running.append(berth)
        return berth

    def start_berth(self, **options):
        berth = self.new_berth(**options)
        berth.start()
        return berth

    def start_scheduler(self, config, name="kube-scheduler"):
        scheduler = Scheduler(name, self._programs.scheduler, config, self.control_plane.kubeconfig("scheduler"),
                              self.control_plane, self._scenario_folder)
        self._running.append(scheduler)
        return scheduler

    def wire_to_apiserver(self):
        """A way to the API server that can be cut."""
        return self._track(Wire(self.control_plane.port))

    def restart_apiserver(self):
        """Stops the API server and waits for the next one, at the same address."""
        since = now()
        self.control_plane.stop_apiserver()
        self.control_plane.start_apiserver()
        self._audit.excuse(since, now())

    def balance(self, berths):
        """One address for several berths."""
        return self._track(Balancer([berth.host_port for berth in berths]))

    def _track(self, thing):
        self._running.append(thing)
        return thing

    def _stop_all(self):
        """Schedulers before the berths they ask, berths before their way to the API server."""
        while self._running:
            thing = self._running.pop()
            thing.stop() if hasattr(thing, "stop") else thing.close()

    def _kill_all(self):
        while self._running:
            thing = self._running.pop()
            thing.program.kill() if hasattr(thing, "program") else thing.close()

    def _bind_shipped_role(self):
        """berth's user may do what the ClusterRole in deploy/ allows, and nothing else."""
        name = "e2e-berth"
        self.api.create({**self.shipped.cluster_role, "metadata": {"name": name}})
        self.api.create({
            "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRoleBinding", "metadata": {"name": name},
            "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": name},
            "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": "berth"}]})


def clean_up(api, namespace):
    """Deletes what a scenario wrote."""
    for kind in ("ReplicaSet", "Pod", "PersistentVolumeClaim", "ResourceClaim"):
        if kind != "ResourceClaim" or api.serves(kind):
            api.delete_all(kind, namespace)
    for kind in ("Node", "PersistentVolume", "StorageClass", "PriorityClass", "ResourceSlice", "DeviceClass"):
        if kind not in ("ResourceSlice", "DeviceClass") or api.serves(kind):
            api.delete_all(kind, labelSelector=LABEL)
