"""24 one-GPU pods of a ReplicaSet over 8 nodes in 3 zones: packed although system default spreading is against it."""

from ..expect import expect, expect_equal
from ..objects import node, owned_by, pod, replica_set

PODS = 24


def run(stage):
    stage.create(*(node(f"gpu-{index}", gpus=8, zone=f"zone-{'abc'[index % 3]}") for index in range(8)))
    scheduler = stage.scheduler_without_berth()
    without = _nodes_used(stage, "without")
    scheduler.stop()
    stage.berth_and_scheduler()
    with_berth = _nodes_used(stage, "with")
    stage.note(f"nodes used: {without} without berth, {with_berth} with")
    expect(without >= 7, "7 or 8 nodes used without berth", without)
    expect_equal(with_berth, 3, "nodes used with berth")


def _nodes_used(stage, name):
    [made] = stage.create(replica_set(name, PODS, pod(name, gpus=1)))
    if not stage.cluster.has_controllers:
        stage.create(*(pod(f"{name}-{index}", gpus=1, owner=owned_by(made), labels={"app": name}) for index in range(PODS)))
    stage.until_many_bound(PODS)
    used = len(stage.nodes_used())
    stage.api.delete("ReplicaSet", name, stage.namespace)
    stage.delete_pods()
    return used
