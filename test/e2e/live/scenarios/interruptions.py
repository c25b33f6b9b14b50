"""berth killed, the API server restarted, watches cut, each during a burst: every pod is placed all the same."""

import threading

from ..expect import expect
from .burst import SMALL_SIZES, mixed_pods, nodes

SOME = 40  # pods bound when the interruption comes


class _Burst:
    """Pods created in the background, from the main thread's point of view."""

    def __init__(self, stage, prefix):
        self._stage = stage
        self._pods = mixed_pods(prefix, SMALL_SIZES)
        self._error = None
        self._thread = threading.Thread(target=self._create, daemon=True)
        self._thread.start()

    def _create(self):
        try:
            self._stage.create(*self._pods, patient=True)
        except Exception as error:  # reported by finish()
            self._error = error

    def until_under_way(self):
        """Waits until some pods are bound; Failure when it comes too late to interrupt anything."""
        bound = self._stage.until_many_bound(SOME)
        expect(bound < len(self._pods), "a burst that is still under way", f"{bound} of {len(self._pods)} bound")

    def finish(self, berth):
        """Waits until every pod is bound, and berth knows."""
        self._thread.join(60)
        if self._error:
            raise self._error
        self._stage.until_bound(*(pod["metadata"]["name"] for pod in self._pods), seconds=60)
        self._stage.expect_no_overcommit()
        berth.expect_state_of(self._stage.api)
        self._stage.delete_pods()


def run(stage):
    stage.create(*nodes())
    wire = stage.cluster.wire_to_apiserver()
    berth = stage.cluster.start_berth(wire=wire)
    stage.scheduler(berth)

    burst = _Burst(stage, "berth-killed")
    burst.until_under_way()
    berth.kill()
    berth.start()
    burst.finish(berth)

    burst = _Burst(stage, "watch-cut")
    burst.until_under_way()
    cut = wire.cut()
    expect(cut > 0, "berth connected through the wire", f"{cut} connections")
    burst.finish(berth)

    burst = _Burst(stage, "apiserver-restarted")
    burst.until_under_way()
    stage.cluster.restart_apiserver()
    burst.finish(berth)
