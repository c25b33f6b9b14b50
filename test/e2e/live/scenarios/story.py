"""A node joins with GPUs and without its label: a soft pod takes it, a hard pod waits for the label."""

from ..expect import expect, expect_equal
from ..objects import GPU, node, pod

# kube-scheduler's back-off lets a pod wait 10 s at most for its next attempt.
BACK_OFF = 10
BACK_OFF_OVER = 2
AT_ONCE = 1
SIZES = {"cpu": "64", "memory": "256Gi", "pods": "110"}


def run(stage):
    stage.create(node("cpu-1"), node("cpu-2"), node("full-1", gpus=4), node("full-2", gpus=4))
    stage.create(pod("holds-1", gpus=4, on="full-1"), pod("holds-2", gpus=4, on="full-2"))
    berth, _ = stage.berth_and_scheduler()

    stage.create(pod("soft-waiting", gpus=1, mode="soft"))
    stage.until_refused("soft-waiting", "Insufficient nvidia.com/gpu")
    stage.create(node("new-1", labelled=False, gpus=8, allocatable=SIZES))
    stage.create(pod("soft-behind", gpus=1, mode="soft"))
    stage.until_refused("soft-behind", f"{stage.nodes_in_all(5)} Insufficient nvidia.com/gpu")
    expect_equal(stage.node_of("soft-waiting"), None, "the place of a soft pod while the new node has no devices")

    stage.set_allocatable("new-1", {**SIZES, GPU: "8"})
    waited = stage.seconds_until_bound("soft-waiting", at_most=BACK_OFF)
    stage.create(pod("soft", gpus=1, mode="soft"))
    took = stage.seconds_until_bound("soft", at_most=AT_ONCE)
    stage.note(f"soft pod after {took:.2f} s (one that waited: {waited:.2f} s)")

    stage.create(pod("hard", gpus=1, mode="hard"))
    message = stage.until_refused("hard", "1 node(s) GPU label pending", f"{stage.nodes_in_all(4)} Insufficient nvidia.com/gpu")
    about = f"0/{stage.nodes_in_all(5)} nodes are available"
    expect(message.startswith(about), f"an event that begins with {about}", message)
    expect_equal(stage.condition("hard")["reason"], "Unschedulable", "reason of the hard pod's condition")
    stage.until_bound("soft-behind", seconds=BACK_OFF)

    _label(stage, "true")
    took = stage.seconds_until_bound("hard", at_most=BACK_OFF)
    _label(stage, None)
    stage.create(pod("hard-again", gpus=1, mode="hard"))
    stage.until_refused("hard-again", "1 node(s) GPU label pending")
    stage.until_quiet(berth, seconds=4)  # it was tried twice at most: its back-off is over by then
    _label(stage, "true")
    took_then = stage.seconds_until_bound("hard-again", at_most=BACK_OFF_OVER)
    stage.note(f"hard pods {took:.2f} s and, back-off over, {took_then:.2f} s after the label")

    places = stage.placements()
    for name in ("soft-waiting", "soft-behind", "soft", "hard", "hard-again"):
        expect_equal(places[name], "new-1", f"place of {name}")
    stage.expect_gpu_pods_on_gpu_nodes()
    stage.expect_no_overcommit()


def _label(stage, value):
    stage.set_node("new-1", {"metadata": {"labels": {"gpu": value}}})
