"""berth down, ignorable and not; only GPU pods sent; TLS that refuses the wrong client."""

from ..expect import expect, expect_equal
from ..objects import node, pod
from ..pki import Authority

BACK_OFF = 10


def run(stage):
    # The fuller node is berth's choice, the emptier one the in-tree scores'.
    stage.create(node("fuller", gpus=8), node("emptier", gpus=8))
    stage.create(pod("holds", gpus=2, cpu="12", memory="100Gi", on="fuller"))
    _ignorable(stage)
    _not_ignorable(stage)
    _managed(stage)
    _tls(stage)


def _ignorable(stage):
    berth = stage.cluster.new_berth(name="berth-ignorable")
    scheduler = stage.scheduler(berth, ignorable=True)
    stage.create(pod("without-berth", gpus=1))
    expect_equal(stage.until_bound("without-berth")["without-berth"], "emptier", "place while berth is down")
    berth.start()
    stage.create(pod("with-berth", gpus=1))
    expect_equal(stage.until_bound("with-berth")["with-berth"], "fuller", "place once berth is there")
    scheduler.stop()


def _not_ignorable(stage):
    berth = stage.cluster.new_berth(name="berth-required")
    scheduler = stage.scheduler(berth, ignorable=False)
    stage.create(pod("needs-berth", gpus=1))
    stage.until_refused("needs-berth", "connection refused")
    expect_equal(stage.condition("needs-berth")["reason"], "SchedulerError", "reason while berth is down")
    berth.start()
    expect_equal(stage.until_bound("needs-berth", seconds=2 * BACK_OFF)["needs-berth"], "fuller", "place once berth is there")
    scheduler.stop()


def _managed(stage):
    """Only GPU pods are sent: others do not need berth, even where it is required."""
    berth = stage.cluster.new_berth(name="berth-managed")
    scheduler = stage.scheduler(berth, stage.cluster.shipped.gpu_pods, ignorable=False)
    stage.create(pod("no-gpu", gpus=0), pod("with-gpu", gpus=1))
    stage.until_bound("no-gpu")
    stage.until_refused("with-gpu", "connection refused")
    berth.start()
    stage.until_bound("with-gpu", seconds=2 * BACK_OFF)
    asked = berth.metric("berth_requests_total", verb="filter")
    stage.create(pod("no-gpu-either", gpus=0))
    stage.until_bound("no-gpu-either")
    expect_equal(berth.metric("berth_requests_total", verb="filter"), asked, "filter calls, before and after a pod without GPUs")
    scheduler.stop()


def _tls(stage):
    ours = Authority(stage.folder / "ours", "extender-ca")
    theirs = Authority(stage.folder / "theirs", "other-ca")
    server, right, wrong = ours.issue("server", "/CN=berth"), ours.issue("client", "/CN=scheduler"), theirs.issue("client", "/CN=scheduler")
    berth = stage.cluster.new_berth(name="berth-tls", tls=(*server, ours.certificate))
    berth.start()

    scheduler = stage.scheduler(berth, ignorable=False, **_client(ours, wrong))
    stage.create(pod("wrong-client", gpus=1))
    message = stage.until_refused("wrong-client", "tls: ")
    expect("certificate" in message, "an event that speaks of the certificate", message)
    expect_equal(berth.metric("berth_requests_total"), 0, "requests that reached berth")
    scheduler.stop()

    scheduler = stage.scheduler(berth, ignorable=False, **_client(ours, right))
    stage.create(pod("right-client", gpus=1))
    expect_equal(stage.until_bound("right-client", seconds=2 * BACK_OFF)["right-client"], "fuller", "place with the right client")
    scheduler.stop()


def _client(authority, pair):
    return {"enableHTTPS": True, "tlsConfig": {
        "serverName": "localhost", "caFile": str(authority.certificate), "certFile": str(pair[0]), "keyFile": str(pair[1])}}
