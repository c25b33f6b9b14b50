"""What a scenario has in hand: a namespace of its own, its pods, and what became of them."""

import time

from .berth import pod_request, whole_units
from .expect import NotYet, expect, until
from .objects import GPU, condition_of
from .scheduler import with_extender, without_extender


class Stage:
    """One run of one scenario in a cluster."""

    def __init__(self, cluster, namespace, folder):
        self.cluster = cluster
        self.api = cluster.api
        self.namespace = namespace
        self.folder = folder
        self.notes = []
        self._scheduler_name = "default-scheduler"

    def note(self, text):
        """Adds figures to the line that people see."""
        self.notes.append(text)

    # Programs

    def berth_and_scheduler(self, **berth_options):
        """berth and kube-scheduler with what deploy/ ships."""
        berth = self.cluster.start_berth(**berth_options)
        return berth, self.scheduler(berth)

    def scheduler(self, berth, shipped=None, **extender):
        """A shipped kube-scheduler (default: the one that asks about all pods), asking this berth (or
        balancer); `extender` replaces fields."""
        return self._started(with_extender(shipped or self.cluster.shipped.all_pods, berth.url, **extender))

    def scheduler_without_berth(self, most_allocated=False):
        return self._started(without_extender(self.cluster.shipped.all_pods, most_allocated))

    def _started(self, config):
        scheduler = self.cluster.start_scheduler(config)
        self._scheduler_name = scheduler.scheduler_name
        return scheduler

    def until_quiet(self, berth, seconds):
        """Waits until nobody has asked berth to filter for so long."""
        asked, since = None, time.monotonic()

        def condition():
            nonlocal asked, since
            now = berth.metric("berth_requests_total", verb="filter")
            if now != asked:
                asked, since = now, time.monotonic()
            return time.monotonic() - since >= seconds
        until(f"berth not asked for {seconds} s", condition, 60, every=0.1)

    # Objects

    def create(self, *things, patient=False):
        """Creates them, namespaced ones in this scenario's namespace; returns what the API server made."""
        made = self.api.create_all([self._in_place(thing) for thing in things], patient)
        if self.cluster.has_controllers:
            self._await_controllers({thing["metadata"]["name"] for thing in things if thing["kind"] == "Node"})
        return made

    def _in_place(self, thing):
        if thing["kind"] in ("Pod", "ReplicaSet", "PersistentVolumeClaim"):
            thing["metadata"]["namespace"] = self.namespace
        if thing["kind"] == "Pod":
            thing["spec"]["schedulerName"] = self._scheduler_name
        if thing["kind"] == "ReplicaSet":
            thing["spec"]["template"]["spec"]["schedulerName"] = self._scheduler_name
        return thing

    def _await_controllers(self, nodes):
        """Where there is a node controller, a new node is tainted until it has looked at it."""
        def condition():
            tainted = [node["metadata"]["name"] for node in self.api.list("Node")
                       if node["metadata"]["name"] in nodes and node["spec"].get("taints")]
            if tainted:
                raise NotYet(tainted)
            return True
        until("nodes without taints", condition, seconds=60, every=0.2)

    def pod(self, name):
        return self.api.get("Pod", name, self.namespace)

    def pods(self):
        return self.api.list("Pod", self.namespace)

    def delete_pods(self):
        self.api.delete_all("Pod", self.namespace)

    def set_node(self, name, change):
        self.api.patch("Node", name, change)

    def set_allocatable(self, name, amounts):
        self.api.patch("Node", name, {"status": {"capacity": amounts, "allocatable": amounts}}, subresource="status")

    # What became of pods

    def node_of(self, name):
        """Where the pod is bound to, or None."""
        return self.pod(name)["spec"].get("nodeName")

    def nodes_in_all(self, made):
        """How many nodes the cluster has when the scenario has made that many."""
        return made + self.cluster.other_nodes

    def placements(self):
        return {pod["metadata"]["name"]: pod["spec"].get("nodeName") for pod in self.pods()}

    def nodes_used(self):
        return {node for node in self.placements().values() if node}

    def until_all_bound(self, seconds=30):
        """Waits until every pod that there is now is bound; returns where."""
        def condition():
            placements = self.placements()
            waiting = [name for name, node in placements.items() if not node]
            if waiting:
                raise NotYet(f"{len(waiting)} of {len(placements)} wait: {waiting[0]}: {self.why(waiting[0])}")
            return placements
        return until("all pods bound", condition, seconds, every=0.1)

    def until_bound(self, *names, seconds=30):
        """Waits until these pods are bound; returns where."""
        def condition():
            placements = self.placements()
            waiting = [name for name in names if not placements.get(name)]
            if waiting:
                raise NotYet(f"{len(waiting)} of {len(names)} wait: {', '.join(waiting[:5])}; "
                             f"{self.why(waiting[0])}")
            return {name: placements[name] for name in names}
        return until("pods bound", condition, seconds, every=0.1)

    def seconds_until_bound(self, name, at_most):
        """Waits until the pod is bound and returns how long that took."""
        started = time.monotonic()
        until(f"{name} bound", lambda: self.node_of(name) or self._not_yet(name), at_most, every=0.02)
        return time.monotonic() - started

    def until_many_bound(self, count, seconds=30):
        """Waits until at least `count` pods are bound; returns how many are."""
        def condition():
            bound = sum(node is not None for node in self.placements().values())
            if bound < count:
                raise NotYet(f"{bound} bound")
            return bound
        return until(f"{count} pods bound", condition, seconds, every=0.02)

    def until_refused(self, name, *texts, seconds=15):
        """Waits for a FailedScheduling event of the pod that contains all texts; returns its message."""
        def condition():
            for message in self.failures(name):
                if all(text in message for text in texts):
                    return message
            raise NotYet(self.failures(name) or self.pod(name)["status"])
        return until(f"a FailedScheduling event of {name} with {texts}", condition, seconds)

    def failures(self, name):
        """The messages of the pod's FailedScheduling events."""
        selector = f"involvedObject.name={name},reason=FailedScheduling"
        return [event["message"] for event in self.api.list("Event", self.namespace, fieldSelector=selector)]

    def condition(self, name):
        return condition_of(self.pod(name))

    def why(self, name):
        try:
            return self.condition(name).get("message", "not tried yet")
        except Exception as error:  # what is said about a failure must not fail itself
            return str(error)

    def _not_yet(self, name):
        raise NotYet(self.why(name))

    # What must hold at the end

    def expect_no_overcommit(self):
        """No node holds more than it can give."""
        held = {}
        for pod in self.api.list("Pod"):
            if pod["spec"].get("nodeName") and pod["status"].get("phase") not in ("Succeeded", "Failed"):
                for resource, amount in pod_request(pod).items():
                    key = pod["spec"]["nodeName"], resource
                    held[key] = held.get(key, 0) + amount
        for node in self.api.list("Node"):
            name = node["metadata"]["name"]
            for resource, quantity in node["status"].get("allocatable", {}).items():
                seen, limit = held.get((name, resource), 0), whole_units(resource, quantity)
                expect(seen <= limit, f"at most {limit} {resource} on {name}", seen)

    def expect_gpu_pods_on_gpu_nodes(self):
        """No GPU pod is on a node without GPUs."""
        gpu_nodes = {node["metadata"]["name"] for node in self.api.list("Node")
                     if int(node["status"].get("allocatable", {}).get(GPU, "0")) > 0}
        for pod in self.pods():
            name, node = pod["metadata"]["name"], pod["spec"].get("nodeName")
            if node and pod_request(pod).get(GPU):
                expect(node in gpu_nodes, f"{name} on a node with GPUs", node)
