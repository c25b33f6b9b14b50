"""A high-priority GPU pod preempts on a full cluster, but not where only our refusal stands in the way."""

from ..expect import expect, expect_equal
from ..objects import node, pod, priority_class


def run(stage):
    stage.create(priority_class("e2e-high", 1000))
    stage.create(node("full-1", gpus=2), node("full-2", gpus=2), node("cpu-1"))
    stage.create(*(pod(f"low-{index}", gpus=1, on=f"full-{1 + index % 2}") for index in range(4)))
    stage.berth_and_scheduler()

    stage.create(pod("high", gpus=1, priorityClassName="e2e-high"))
    stage.until_bound("high")
    left = [name for name in stage.placements() if name.startswith("low-")]
    expect_equal(len(left), 3, "low-priority pods left")
    stage.expect_no_overcommit()
    stage.expect_gpu_pods_on_gpu_nodes()

    # A node with GPUs to spare and without label: evicting somebody there would help nobody.
    stage.delete_pods()
    stage.api.delete("Node", "full-1")
    stage.create(node("unlabelled", gpus=4, labelled=False))
    stage.create(*(pod(f"kept-{index}", gpus=1, on="unlabelled") for index in range(2)))
    stage.create(pod("high-2", gpus=2, on="full-2", priorityClassName="e2e-high"))
    stage.create(pod("hard", gpus=1, mode="hard", priorityClassName="e2e-high"))
    message = stage.until_refused("hard", "node(s) GPU label pending", "Preemption is not helpful for scheduling")
    expect("victim pod on node" not in message, "no failed attempt to preempt", message)
    places = stage.placements()
    expect_equal(places["hard"], None, "place of the hard pod")
    expect_equal([places.get(f"kept-{index}") for index in range(2)], ["unlabelled"] * 2, "places of the pods beside the free GPUs")
    expect_equal(stage.pod("hard")["status"].get("nominatedNodeName"), None, "node nominated for the hard pod")
