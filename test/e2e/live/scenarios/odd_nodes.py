"""A DaemonSet-like pod, nodes without allocatable, cordoned, deleted in flight and added again."""

from ..expect import expect, expect_equal, until
from ..objects import node, pod


def run(stage):
    stage.create(node("fuller", gpus=8), node("emptier", gpus=8), node("cordoned", gpus=8), node("empty", allocatable={}))
    stage.create(pod("holds", gpus=4, cpu="12", memory="100Gi", on="fuller"),
                 pod("holds-more", gpus=6, cpu="20", memory="150Gi", on="cordoned"))
    stage.set_node("cordoned", {"spec": {"unschedulable": True}})
    berth, _ = stage.berth_and_scheduler()
    _daemon(stage)
    _cordon(stage, berth)
    _deleted(stage, berth)


def _daemon(stage):
    """As the DaemonSet controller pins its pods: one name in matchFields."""
    here = {"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["emptier"]}]}
    affinity = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [here]}}}
    stage.create(pod("daemon", gpus=1, affinity=affinity))
    expect_equal(stage.until_bound("daemon")["daemon"], "emptier", "place of the daemon's pod")


def _cordon(stage, berth):
    stage.create(pod("while-cordoned", gpus=1))
    expect_equal(stage.until_bound("while-cordoned")["while-cordoned"], "fuller", "place while the fullest node is cordoned")
    stage.set_node("cordoned", {"spec": {"unschedulable": False}})
    until("berth knows", lambda: "cordoned" in berth.passing(pod("question", gpus=1), ["cordoned"]), 5)
    stage.create(pod("once-open", gpus=1))
    expect_equal(stage.until_bound("once-open")["once-open"], "cordoned", "place once it is not")


def _deleted(stage, berth):
    """The node that everybody prefers goes while pods are being placed, and comes back under its name."""
    names = [f"flight-{index}" for index in range(8)]
    stage.create(*(pod(name, gpus=1) for name in names[:4]))
    stage.api.delete("Node", "fuller")
    stage.create(*(pod(name, gpus=1) for name in names[4:]))
    places = stage.until_all_bound()
    late = {places[name] for name in names[4:]}
    expect("fuller" not in late and "empty" not in late, "pods made after the node went on other nodes", places)
    berth.expect_state_of(stage.api)

    held = sum(place == "fuller" for place in stage.placements().values())
    stage.create(node("fuller", gpus=8))
    berth.expect_state_of(stage.api)
    stage.note(f"{held} pods were on the node that came back")
    stage.create(pod("after", gpus=1))
    stage.until_bound("after")
    stage.expect_no_overcommit()
