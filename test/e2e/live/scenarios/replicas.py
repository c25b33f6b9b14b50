"""Two berths behind one address: the same answers, and a burst that is placed as by one."""

from ..berth import extender_args
from ..expect import NotYet, expect, until
from .burst import mixed_pods, nodes


def run(stage):
    stage.create(*nodes())
    berths = [stage.cluster.start_berth(name=f"berth-{index}") for index in (1, 2)]
    stage.scheduler(stage.cluster.balance(berths))
    pods = mixed_pods()
    stage.create(*pods)
    stage.until_bound(*(pod["metadata"]["name"] for pod in pods), seconds=60)
    stage.expect_no_overcommit()
    for berth in berths:
        expect(berth.metric("berth_requests_total", outcome="ok") > 0, f"requests answered by {berth.name}", 0)
        berth.expect_state_of(stage.api)
    stage.note(f"{len(stage.nodes_used())} nodes touched")
    _same_answers(stage, berths)


def _same_answers(stage, berths):
    names = [node["metadata"]["name"] for node in stage.api.list("Node")]
    for pod in mixed_pods("asked")[:20]:
        for verb in ("filter", "prioritize"):
            _until_same(berths, verb, extender_args(pod, names))


def _until_same(berths, verb, question):
    """What a replica expects to be bound soon is its own until the watch shows it or it expires."""
    def condition():
        first, second = (berth.ask(verb, question) for berth in berths)
        if first != second:
            raise NotYet(f"{first}\nand {second}")
        return True
    until(f"the same answer of {verb} for {question['Pod']['metadata']['name']}", condition, 15, every=0.2)
