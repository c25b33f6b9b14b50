"""A node that refuses after it was chosen (no volume can be made there): the pod lands elsewhere soon.

The scenario plays the part of the volume provisioner: kube-scheduler says where it wants the volume
(annotation selected-node); on the bad node the provisioner takes the annotation away, which is how it
says no, and elsewhere it makes the volume.
"""

from ..expect import Failure, NotYet, expect, until
from ..objects import claim, node, pod, storage_class, volume

SELECTED = "volume.kubernetes.io/selected-node"
CLASS = "e2e-local"
FEW = 3


def run(stage):
    # Everything speaks for the bad node: it is the fullest that has room.
    stage.create(node("bad", gpus=8), node("good-1", gpus=8), node("good-2", gpus=8))
    stage.create(pod("holds", gpus=6, cpu="6", on="bad"))
    stage.create(storage_class(CLASS, "e2e.berth/provisioner"))
    stage.berth_and_scheduler()
    stage.create(claim("data", CLASS))
    stage.create(pod("with-volume", gpus=1, volumes=[{"name": "data", "persistentVolumeClaim": {"claimName": "data"}}]))
    refusals = _provision(stage)
    place = stage.until_bound("with-volume")["with-volume"]
    expect(place.startswith("good-"), "a place other than the bad node", place)
    expect(1 <= refusals <= FEW, f"refused by the bad node at least once and at most {FEW} times", refusals)
    stage.note(f"landed elsewhere after {refusals} refusal(s)")
    stage.until_refused("with-volume", "binding volumes")


def _provision(stage):
    """Answers for the provisioner until the volume is bound; returns how often the bad node was refused."""
    refused = []

    def condition():
        wanted = stage.api.get("PersistentVolumeClaim", "data", stage.namespace)
        selected = wanted["metadata"].get("annotations", {}).get(SELECTED)
        if selected == "bad":
            refused.append(selected)
            if len(refused) > FEW:
                raise Failure(f"another node after {FEW} refusals", "the bad node was chosen again and again")
            _annotate(stage, {SELECTED: None})
        elif selected:
            _bind(stage, wanted, selected)
            return True
        raise NotYet(f"refused {len(refused)} time(s); {stage.why('with-volume')}")
    until("the volume wanted on another node", condition, 40, every=0.1)
    return len(refused)


def _bind(stage, wanted, node_name):
    stage.create(volume("e2e-data", node_name, CLASS, wanted))
    stage.api.patch("PersistentVolume", "e2e-data", {"status": {"phase": "Bound"}}, subresource="status")
    stage.api.patch("PersistentVolumeClaim", "data", {"spec": {"volumeName": "e2e-data"}}, stage.namespace)
    stage.api.patch("PersistentVolumeClaim", "data", {"status": {"phase": "Bound"}}, stage.namespace, "status")
    _annotate(stage, {"pv.kubernetes.io/bind-completed": "yes"})


def _annotate(stage, annotations):
    stage.api.patch("PersistentVolumeClaim", "data", {"metadata": {"annotations": annotations}}, stage.namespace)
