"""The local cluster to play with: real programs, GPU nodes and pods that are only objects."""

import pathlib
import shlex

from .berth import http_get
from .expect import until
from .kube import NO_ANSWER, ApiError
from .objects import node, pod
from .scheduler import with_extender

EXAMPLES = pathlib.Path(__file__).resolve().parents[3] / "deploy" / "story"

SIZES = {"cpu": 16, "memory": "64Gi"}


def nodes_and_pods():
    """The story's cluster in small: labelled GPU nodes that are nearly full, new ones without label, others."""
    nodes = [node(f"cpu-{index}", **SIZES) for index in (1, 2)]
    nodes += [node(f"gpu-{index}", gpus=4, **SIZES) for index in (1, 2)]
    nodes += [node(f"new-{index}", gpus=4, labelled=False, **SIZES) for index in (1, 2)]
    pods = [pod(f"busy-{index}", gpus=3, cpu="3", memory="12Gi", on=f"gpu-{index}") for index in (1, 2)]
    for thing in pods:
        thing["metadata"]["namespace"] = "default"
    return nodes, pods


class Kubelets:
    """Says for all nodes what their kubelets would: bound pods run, deleted pods end."""

    def __init__(self, api):
        self._api = api

    def look(self):
        for thing in self._api.list("Pod"):
            name, namespace = thing["metadata"]["name"], thing["metadata"]["namespace"]
            try:
                if thing["metadata"].get("deletionTimestamp"):
                    self._api.delete("Pod", name, namespace)
                elif thing["spec"].get("nodeName") and thing["status"].get("phase") == "Pending":
                    self._api.patch("Pod", name, {"status": {"phase": "Running"}}, namespace, "status")
            except ApiError as error:
                if error.status not in (404, 409):  # it went, or changed, meanwhile
                    raise


def run_playground(cluster, folder):
    """Starts everything, says what to try, and runs until Ctrl-C."""
    cluster.begin("playground")
    berth = cluster.start_berth()
    cluster.start_scheduler(with_extender(cluster.shipped.all_pods, berth.url))
    nodes, pods = nodes_and_pods()
    cluster.api.create_all(nodes)
    cluster.api.create_all(pods)
    berth.expect_state_of(cluster.api)
    print(what_to_try(cluster, berth, folder), flush=True)
    kubelets = Kubelets(cluster.api)

    def condition():
        try:
            kubelets.look()
        except NO_ANSWER:
            pass
        return not berth.program.running()
    until("the end of berth", condition, float("inf"), every=0.5)
    print(f"berth has ended:\n{berth.program.log_tail()}")


def what_to_try(cluster, berth, folder):
    kubectl_folder = shlex.quote(str(pathlib.Path(cluster.kubectl.program).parent))
    nodes = sum(line.startswith("berth_nodes{") and not line.endswith(" 0") for line in http_get(f"{berth.admin}/metrics")[1].splitlines())
    return f"""
A real control plane is running, with berth beside kube-scheduler and nodes of {nodes} kinds. In another terminal:

  export KUBECONFIG={cluster.kubectl.kubeconfig} PATH={kubectl_folder}:$PATH

  kubectl get nodes -L gpu                             # gpu-* labelled, new-* not yet, cpu-* without GPUs
  kubectl apply -f {EXAMPLES / 'pods.yaml'}
  kubectl get pods -o wide                             # soft ones run, packed; the hard one waits
  kubectl describe pod hard                            # ... for this reason
  kubectl label node new-1 gpu=true                    # and now it runs
  curl -s {berth.admin}/v1/nodes     # what berth believes of the nodes; also /readyz, /metrics

Logs: {folder}
Ctrl-C ends it all.
"""
