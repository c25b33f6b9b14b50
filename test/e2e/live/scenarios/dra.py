"""GPUs from DRA beside GPUs from a device plugin: both are used, and the pod too many waits with kube-scheduler's reasons."""

from ..expect import expect_equal
from ..objects import GPU, device_class, node, pod, resource_slice

DRIVER = "gpu.nvidia.com"


def run(stage):
    stage.create(node("d1"), node("d2"), node("p1", gpus=2), node("c1"))
    stage.create(device_class(DRIVER, DRIVER, GPU), resource_slice("d1", DRIVER, 2), resource_slice("d2", DRIVER, 2))
    stage.berth_and_scheduler()
    names = [f"gpu-{index}" for index in range(7)]
    for name in names[:6]:  # one after the other, so that packing can be seen
        stage.create(pod(name, gpus=1))
        stage.until_bound(name)
    order = [stage.node_of(name) for name in names[:6]]
    expect_equal(sorted(order), ["d1", "d1", "d2", "d2", "p1", "p1"], "nodes used")
    expect_equal([order[index] for index in (1, 3, 5)], [order[index] for index in (0, 2, 4)], "each node filled before the next")
    stage.note("order: " + " ".join(order))

    stage.create(pod(names[6], gpus=1))
    stage.until_refused(names[6], f"0/{stage.nodes_in_all(4)} nodes are available",
                        "1 Insufficient nvidia.com/gpu", f"{stage.nodes_in_all(3)} cannot allocate all claims")
    used = {(result["pool"], result["device"])
            for claim in stage.api.list("ResourceClaim", stage.namespace)
            for result in claim["status"]["allocation"]["devices"]["results"]}
    expect_equal(used, {(pool, f"gpu-{index}") for pool in ("d1", "d2") for index in (0, 1)}, "devices allocated")
