"""Pods per second of a real kube-scheduler: alone, with berth, and with the extenders in Go of test/e2e/peer.

In one run and with the variants in turn, because what the machine's other work does to one figure it should
do to all. A burst of pods is created before its kube-scheduler starts, so that nothing but scheduling goes on
while it is measured; the first and the last tenth of the bindings are left out.
"""

import argparse
import dataclasses
import json
import os
import pathlib
import shutil
import statistics
import sys
import tempfile
import threading
import time

from .berth import http_get
from .cluster import ROOT, LocalCluster
from .control_plane import Programs
from .expect import Failure, NotYet, until
from .kube import NO_ANSWER
from .main import end_on_signals
from .objects import node, pod
from .program import Program, free_port
from .scheduler import with_extender, without_extender

PROGRAMS = {"berth": ROOT / "build/release/bin/berth", "go": ROOT / "build/peer/extender", "stub": ROOT / "build/peer/stub"}
GPUS_PER_NODE = 8
VARIANTS = {
    "none": "kube-scheduler alone",
    "berth": "berth as shipped",
    "go": "an extender in the usual style in Go",
    "stub": "an extender that decides nothing: the limit",
}
GOALS = (("stub", 0.95), ("go", 1.4))  # what berth's pods/s are to be, as a multiple


def arguments(words):
    parser = argparse.ArgumentParser(
        prog="scripts/bench-scheduler", description="Measures the pods per second of a real kube-scheduler with: "
        + "; ".join(f"{name} ({what})" for name, what in VARIANTS.items()) + ".")
    parser.add_argument("--nodes", type=int, nargs="+", default=[1000, 5000], metavar="N", help="cluster sizes (default: 1000 5000)")
    parser.add_argument("--pods", type=int, default=1500, metavar="N", help="pods of one GPU in a burst (default: 1500)")
    parser.add_argument("--repeat", type=int, default=2, metavar="N", help="bursts for each variant (default: 2)")
    parser.add_argument("--only", nargs="+", choices=VARIANTS, default=list(VARIANTS), metavar="VARIANT", help="leave out the others")
    parser.add_argument("--percentage-of-nodes-to-score", type=int, metavar="N", help="instead of what the shipped configuration says")
    parser.add_argument("-o", dest="output", choices=("table", "json"), default="table", help="how results are printed (default: table)")
    parser.add_argument("--keep", action="store_true", help="keep the folder of logs also when all is well")
    options = parser.parse_args(words)
    if options.pods < 10 or options.repeat < 1:
        parser.error("at least 10 pods and one repeat are needed")
    for nodes in options.nodes:
        if nodes * GPUS_PER_NODE < options.pods:
            parser.error(f"{nodes} nodes have {nodes * GPUS_PER_NODE} GPUs, too few for {options.pods} pods")
    for variant in options.only:
        if variant in PROGRAMS and not PROGRAMS[variant].exists():
            parser.error(f"{PROGRAMS[variant]} is not there: could it not be built? (`--only` goes on without {variant})")
    return options


class Peer:
    """A running extender in Go, ready when constructed."""

    def __init__(self, program, folder, name, *flags):
        self.host_port = f"127.0.0.1:{free_port()}"
        self.url = f"http://{self.host_port}"
        self.program = Program(name, [program, "--listen", self.host_port, *flags], folder)
        self.program.start()
        self.program.await_ready(self._ready)

    def stop(self):
        self.program.kill()

    def _ready(self):
        try:
            return http_get(f"{self.url}/healthz")[0] == 200
        except OSError as error:
            raise NotYet(error) from None


@dataclasses.dataclass(frozen=True)
class Usage:
    """What has been used of the processors until a moment, in seconds."""
    at: float
    by_program: dict  # of ours
    all: float

    @staticmethod
    def now():
        tick = os.sysconf("SC_CLK_TCK")
        by_program = {"bench": sum(os.times()[:2])}
        for file in pathlib.Path("/proc").glob("[0-9]*/stat"):
            try:
                name, _, rest = file.read_text().partition("(")[2].rpartition(")")
            except OSError:  # it has ended
                continue
            fields = rest.split()
            if int(fields[1]) == os.getpid():
                by_program[name] = by_program.get(name, 0) + (int(fields[11]) + int(fields[12])) / tick
        user, nice, system, _, _, irq, softirq, steal = map(int, pathlib.Path("/proc/stat").read_text().split()[1:9])
        return Usage(time.monotonic(), by_program, (user + nice + system + irq + softirq + steal) / tick)

    def since(self, before):
        """The difference, with what others used under its own name."""
        ours = {name: used - before.by_program.get(name, 0) for name, used in self.by_program.items()}
        everybody = self.all - before.all
        return {**ours, "others": max(everybody - sum(ours.values()), 0)}


class Bindings:
    """Counts the pods of a namespace that are bound, from a watch, and notes what was used meanwhile."""

    def __init__(self, api, namespace, pods):
        self._api = api
        self._namespace = namespace
        self._pods = pods
        self._bound = set()
        self._marks = {pods // 10: None, pods * 9 // 10: None}
        threading.Thread(target=self._follow, daemon=True).start()

    @property
    def count(self):
        return len(self._bound)

    def await_all(self, alive, progress):
        """Waits until every pod is bound, for as long as there is progress."""
        last, since = 0, time.monotonic()

        def condition():
            nonlocal last, since
            progress(self.count)
            alive()
            if self.count > last:
                last, since = self.count, time.monotonic()
            if time.monotonic() - since > 60:
                raise Failure("pods are bound", f"{self.count} of {self._pods} bound, and no other for a minute")
            return self.count >= self._pods
        until("all pods bound", condition, float("inf"), every=0.5)

    def between_the_tenths(self):
        """Returns (pods bound, seconds, processor seconds by program)."""
        (first, begin), (last, end) = sorted(self._marks.items())
        return last - first, end.at - begin.at, end.since(begin)

    def _follow(self):
        while self.count < self._pods:  # the API server ends a watch that falls behind
            for event in self._api.watch("Pod", self._namespace, fieldSelector="spec.nodeName!="):
                self._take(event)
                if self.count == self._pods:
                    return

    def _take(self, event):
        name = event["object"]["metadata"]["name"]
        if name not in self._bound:
            self._bound.add(name)
            if self.count in self._marks:
                self._marks[self.count] = Usage.now()


class Progress:
    """Says on stderr what goes on: at a terminal all the time, else after each burst."""

    def __init__(self):
        self._terminal = sys.stderr.isatty()

    def now(self, text):
        if self._terminal:
            print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)

    def done(self, text):
        print(f"\r\033[K{text}" if self._terminal else text, file=sys.stderr, flush=True)


class Bench:
    """The bursts in a cluster of one size."""

    def __init__(self, cluster, options, progress):
        self._cluster = cluster
        self._folder = cluster.begin("bursts")
        self._options = options
        self._progress = progress
        self._config = dict(cluster.shipped.all_pods)
        if options.percentage_of_nodes_to_score is not None:
            self._config["percentageOfNodesToScore"] = options.percentage_of_nodes_to_score

    def run(self, nodes):
        """Creates so many nodes; returns one dictionary for each burst."""
        self._progress.now(f"{nodes} nodes: creating them")
        self._cluster.api.create_all([node(f"node-{index:05}", gpus=GPUS_PER_NODE) for index in range(nodes)])
        results = []
        for turn in range(self._options.repeat):
            # There and back, so that a steady drift of the machine favours nobody.
            for variant in self._options.only[::1 if turn % 2 == 0 else -1]:
                title = f"{nodes} nodes, {variant}, {turn + 1} of {self._options.repeat}"
                results.append({"nodes": nodes, "variant": variant, **self._burst(f"{variant}-{turn + 1}", variant, title)})
        return results

    def _burst(self, name, variant, title):
        api, pods = self._cluster.api, self._options.pods
        self._progress.now(f"{title}: creating pods")
        self._cluster.make_namespace(name)
        api.create_all([self._pod(name, index) for index in range(pods)])
        bindings = Bindings(api, name, pods)
        extender = self._start_extender(variant, name)
        load = os.getloadavg()[0]
        scheduler = self._start_scheduler(extender, name)

        def alive():
            for running in filter(None, (extender, scheduler)):
                if not running.program.running():
                    raise Failure(f"{running.program.name} runs", f"it has ended\n{running.program.log_tail()}")
        bindings.await_all(alive, lambda count: self._progress.now(f"{title}: {count} of {pods} pods bound"))
        result = self._result(*bindings.between_the_tenths(), load)
        self._progress.done(f"{title}: {result['podsPerSecond']:.0f} pods/s, others used {result['otherCores']:.2f} cores")
        self._progress.now(f"{title}: deleting pods")
        for running in filter(None, (scheduler, extender)):
            running.stop()
        for kind in ("Pod", "Event"):
            api.delete_all(kind, name)
        return result

    def _pod(self, namespace, index):
        made = pod(f"pod-{index:05}", gpus=1)
        made["metadata"]["namespace"] = namespace
        return made

    def _start_extender(self, variant, name):
        if variant == "berth":
            return self._cluster.start_berth(name=name, log_level="info")
        if variant == "go":
            return Peer(PROGRAMS["go"], self._folder, name, "--kubeconfig", self._cluster.control_plane.kubeconfig("berth"))
        if variant == "stub":
            return Peer(PROGRAMS["stub"], self._folder, name)
        return None

    def _start_scheduler(self, extender, name):
        config = with_extender(self._config, extender.url) if extender else without_extender(self._config)
        return self._cluster.start_scheduler(config, f"kube-scheduler-{name}")

    def _result(self, pods, seconds, used, load):
        return {"podsPerSecond": pods / seconds, "seconds": seconds, "loadBefore": load, "otherCores": used.pop("others") / seconds,
                "cpuMillisecondsPerPod": {program: 1000 * spent / pods for program, spent in used.items() if spent}}


def summary(options, results):
    """For each cluster size and variant: the median of its bursts and what it is of the others' medians."""
    lines = []
    for nodes in options.nodes:
        bursts = {variant: [result for result in results if (result["nodes"], result["variant"]) == (nodes, variant)]
                  for variant in options.only}
        rates = {variant: statistics.median(result["podsPerSecond"] for result in of) for variant, of in bursts.items()}
        for variant, of in bursts.items():
            cpu = [result["cpuMillisecondsPerPod"] for result in of]
            lines.append({
                "nodes": nodes, "variant": variant, "podsPerSecond": rates[variant],
                "bursts": [result["podsPerSecond"] for result in of],
                "timesAnother": {other: rates[variant] / rate for other, rate in rates.items()},
                "cpuMillisecondsPerPod": {name: statistics.mean(each.get(name, 0) for each in cpu) for name in {name for each in cpu for name in each}},
                "otherCores": statistics.mean(result["otherCores"] for result in of)})
    return lines


def table(options, lines):
    """The summary for people."""
    text = []
    for nodes in options.nodes:
        here = [line for line in lines if line["nodes"] == nodes]
        text += [f"{nodes:,} nodes, {options.pods:,} pods of one GPU", "",
                 f"{'extender':9} {'pods/s':>7}  {'x none':>6} {'x stub':>6} {'x go':>6}  {'CPU ms a pod: scheduler, extender':>33}  {'others, cores':>13}  bursts"]
        for line in here:
            times = " ".join(f"{line['timesAnother'][other]:6.2f}" if other in line["timesAnother"] else f"{'':6}" for other in ("none", "stub", "go"))
            cpu = line["cpuMillisecondsPerPod"]
            own = sum(cpu.get(name, 0) for name in ("berth", "extender", "stub"))
            text.append(f"{line['variant']:9} {line['podsPerSecond']:7.1f}  {times}  {cpu.get('kube-scheduler', 0):24.2f}, {own:7.2f}  "
                        f"{line['otherCores']:13.2f}  {', '.join(f'{rate:.0f}' for rate in line['bursts'])}")
        text += ["", *goals(here), ""]
    return "\n".join(text)


def goals(lines):
    berth = next((line for line in lines if line["variant"] == "berth"), None)
    for other, goal in GOALS:
        if berth and other in berth["timesAnother"]:
            yield f"berth is {berth['timesAnother'][other]:.2f} times {other} (goal {goal})"


def machine():
    model = next((line.split(":")[1].strip() for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines() if line.startswith("model name")), "?")
    return {"processors": os.cpu_count(), "model": model, "load": os.getloadavg()}


def measure(options, folder):
    """Returns kube-scheduler's version and one dictionary for each burst. Each size has a control plane of its own."""
    programs, progress, results = Programs("newest"), Progress(), []
    for nodes in options.nodes:
        cluster_folder = folder / f"{nodes}-nodes"
        cluster_folder.mkdir()
        cluster = LocalCluster(programs, PROGRAMS["berth"], cluster_folder)
        try:
            results += Bench(cluster, options, progress).run(nodes)
        finally:
            cluster.stop()
    return programs.version, results


def main(words):
    options = arguments(words)
    end_on_signals()
    before = machine()
    folder, well = pathlib.Path(tempfile.mkdtemp(prefix="berth-bench.")), False
    try:
        version, results = measure(options, folder)
        well = True
    except KeyboardInterrupt:
        print("\nstopped", file=sys.stderr)
        return 130
    except (Failure, *NO_ANSWER) as error:
        print(f"\n{error}", file=sys.stderr)
        return 1
    finally:
        if well and not options.keep:
            shutil.rmtree(folder)
        else:
            print(f"logs: {folder}", file=sys.stderr)
    lines = summary(options, results)
    if options.output == "json":
        print(json.dumps({"machine": before, "kubernetes": version, "summary": lines, "bursts": results}, indent=1))
    else:
        print(f"\n{before['processors']} x {before['model']}, load before {before['load'][0]:.2f}, kube-scheduler {version}\n\n{table(options, lines)}")
    return 0
