"""berth as a process of its own, and what its state must be."""

import json
import urllib.error
import urllib.request

from .expect import NotYet, expect, until
from .program import Program, free_port

_SUFFIXES = {"Ki": 2**10, "Mi": 2**20, "Gi": 2**30, "Ti": 2**40, "k": 10**3, "M": 10**6, "G": 10**9, "": 1}


def whole_units(resource, quantity):
    """A quantity as /v1/nodes writes it: cpu in millicores, everything else in whole units."""
    if resource == "cpu":
        return int(quantity[:-1]) if quantity.endswith("m") else int(float(quantity) * 1000)
    digits = quantity.rstrip("KMGTik")
    return int(digits) * _SUFFIXES[quantity[len(digits):]]


def http_get(url, timeout=5):
    """Returns (status, text)."""
    try:
        with urllib.request.urlopen(url, timeout=timeout) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


def http_post(url, body, timeout=5):
    request = urllib.request.Request(url, json.dumps(body).encode(), {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=timeout) as answer:
        return answer.read().decode()


def extender_args(pod, names):
    """What kube-scheduler would ask about a pod that is not in the cluster."""
    metadata = {"namespace": "default", "uid": pod["metadata"]["name"], **pod["metadata"]}
    return {"Pod": {**pod, "metadata": metadata}, "Nodes": None, "NodeNames": names}


class Berth:
    """What can be asked of a berth, wherever it runs. It has a `name`, a `url` for kube-scheduler and an
    `admin` URL, both of which stay when it is started again."""

    def fetch(self, path):
        """Returns (status, text) of a path of the admin listener."""
        return http_get(self.admin + path)

    def ask(self, verb, question):
        """berth's answer, as text."""
        return http_post(f"{self.url}/{verb}", question)

    def ready(self):
        try:
            status, text = self.fetch("/readyz")
        except OSError as error:
            raise NotYet(error) from None
        if status != 200:
            raise NotYet(f"{status}: {text}")
        return True

    def metric(self, name, **labels):
        """The sum of a metric's series that carry these labels."""
        total = 0.0
        for line in self.fetch("/metrics")[1].splitlines():
            series, _, value = line.rpartition(" ")
            if series.partition("{")[0] == name and all(f'{key}="{wanted}"' in series for key, wanted in labels.items()):
                total += float(value)
        return total

    def nodes(self):
        """What berth believes of each node: {name: (uid, allocatable, held)}."""
        status, text = self.fetch("/v1/nodes")
        if status != 200:
            raise NotYet(f"/v1/nodes: {status}: {text}")
        return {node["name"]: (node["uid"], _amounts(node["allocatable"]), _amounts(node["held"]))
                for node in json.loads(text)["nodes"]}

    def passing(self, pod, names):
        """Which of these nodes may take the pod."""
        return json.loads(self.ask("filter", extender_args(pod, names)))["NodeNames"]

    def expect_state_of(self, api, seconds=10):
        """Waits until berth's state is what a fresh list says."""
        def condition():
            wanted, seen = listed_nodes(api), self.nodes()
            for name in sorted(wanted.keys() | seen.keys()):
                if wanted.get(name) != seen.get(name):
                    raise NotYet(f"{name}: listed {wanted.get(name)}, berth says {seen.get(name)}")
            return True
        until(f"{self.name}'s state equals a fresh list", condition, seconds, every=0.2)


class BerthProcess(Berth):
    """A berth on this machine, not started yet. With `tls` it is reached by https."""

    def __init__(self, name, program, kubeconfig, config_file, folder, tls=False, log_level="debug", flags=()):
        self.name = name
        self.host_port = f"127.0.0.1:{free_port()}"
        admin = f"127.0.0.1:{free_port()}"
        self.url = f"{'https' if tls else 'http'}://{self.host_port}"
        self.admin = f"http://{admin}"
        self.program = Program(name, [
            program, "serve", "--kubeconfig", kubeconfig, "--config", config_file, "--listen", self.host_port,
            "--admin-listen", admin, "--log-level", log_level, *flags], folder)

    def start(self):
        """Starts it and waits until it knows the cluster."""
        self.program.start()
        self.program.await_ready(self.ready, 20)

    def kill(self):
        self.program.kill()

    def stop(self):
        """Asks it to stop; Failure when it is slow or reports an error."""
        code = self.program.terminate(seconds=2)
        expect(code in (0, None), f"{self.name} ends with exit code 0", f"{code}\n{self.program.log_tail()}")


def _amounts(amounts):
    return {resource: amount for resource, amount in amounts.items() if amount != 0}


def listed_nodes(api):
    """The same as Berth.nodes(), from a fresh list of nodes and pods with plain containers."""
    nodes = {}
    for node in api.list("Node"):
        allocatable = {resource: whole_units(resource, quantity)
                       for resource, quantity in node["status"].get("allocatable", {}).items()}
        nodes[node["metadata"]["name"]] = (node["metadata"]["uid"], _amounts(allocatable), {})
    for pod in api.list("Pod"):
        holds = nodes.get(pod["spec"].get("nodeName"))
        if holds is None or pod["status"].get("phase") in ("Succeeded", "Failed"):
            continue
        held = holds[2]
        for resource, amount in pod_request(pod).items():
            held[resource] = held.get(resource, 0) + amount
    return nodes


def pod_request(pod):
    """What a pod of plain containers requests, its pod slot included."""
    request = {"pods": 1}
    for container in pod["spec"]["containers"]:
        for resource, quantity in container.get("resources", {}).get("requests", {}).items():
            request[resource] = request.get(resource, 0) + whole_units(resource, quantity)
    return request
