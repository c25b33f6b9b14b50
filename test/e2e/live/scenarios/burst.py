"""200 GPU pods of mixed size in one burst over 50 nodes: packed, nothing over-committed."""

from ..expect import NotYet, expect, expect_equal, until
from ..objects import condition_of, node, pod

NODES = 50
GPUS_PER_NODE = 8
# How many pods of how many GPUs: 282 GPUs in all, which 36 nodes can hold.
SIZES = {1: 160, 2: 25, 4: 12, 8: 3}
# 240 GPUs in sizes that find room also where others did not pack.
SMALL_SIZES = {1: 160, 2: 40}


def mixed_pods(prefix="pod", counts=SIZES):
    """The pods of the burst, sizes mixed in a fixed order."""
    sizes = [size for size, count in counts.items() for _ in range(count)]
    shuffled = [sizes[index * 77 % len(sizes)] for index in range(len(sizes))]  # 77 and 200 share no factor
    return [pod(f"{prefix}-{index}", gpus=size, cpu=f"{size}", memory=f"{size * 4}Gi") for index, size in enumerate(shuffled)]


def nodes():
    return [node(f"gpu-{index:02}", gpus=GPUS_PER_NODE) for index in range(NODES)]


def run(stage):
    stage.create(*nodes())
    touched = {}
    for name, most_allocated in (("in-tree default", False), ("MostAllocated", True)):
        scheduler = stage.scheduler_without_berth(most_allocated)
        touched[name], left_over = _place(stage)
        stage.note(f"{name}: {touched[name]} nodes touched, {left_over} pods found no room")
        scheduler.stop()
    berth, _ = stage.berth_and_scheduler()
    touched["berth"], left_over = _place(stage)
    stage.note(f"berth: {touched['berth']} nodes touched, {left_over} pods found no room")
    expect_equal(left_over, 0, "pods that found no room with berth")
    expect(touched["berth"] < touched["in-tree default"], "fewer nodes touched than by the in-tree default", touched)
    expect(touched["berth"] <= touched["MostAllocated"], "no more nodes touched than by MostAllocated", touched)
    berth.expect_state_of(stage.api)


def _place(stage):
    """Waits until every pod has been tried; returns how many nodes are used and how many pods found no room."""
    stage.create(*mixed_pods())
    left_over = until("every pod bound or refused", lambda: (_left_over(stage),), seconds=60, every=0.1)[0]
    stage.expect_no_overcommit()
    touched = len(stage.nodes_used())
    stage.delete_pods()
    return touched, left_over


def _left_over(stage):
    pods = stage.pods()
    refused = sum(bool(condition_of(pod)) and not pod["spec"].get("nodeName") for pod in pods)
    bound = sum("nodeName" in pod["spec"] for pod in pods)
    if bound + refused < len(pods):
        raise NotYet(f"{bound} bound, {refused} refused, of {len(pods)}")
    return refused
