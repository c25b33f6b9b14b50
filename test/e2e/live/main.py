"""The runner: a cluster, the scenarios one after the other, one line for each."""

import argparse
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback

from .cluster import ROOT, LocalCluster
from .control_plane import Programs
from .expect import Failure
from .kube import NO_ANSWER
from .playground import run_playground
from .scenarios import SCENARIOS
from .stage import Stage

BUILD = pathlib.Path(__file__).parent / "controlplane" / "build"
NO_GO = 75  # exit code of BUILD


def arguments(words):
    parser = argparse.ArgumentParser(prog="test/e2e/run", description="berth against the real control plane.")
    parser.add_argument("scenarios", nargs="*", metavar="SCENARIO",
                        help="which to run (default: all): " + ", ".join(scenario.name for scenario in SCENARIOS))
    parser.add_argument("--version", default="newest", help="newest, oldest or vX.Y.Z (default: newest)")
    parser.add_argument("--berth", type=pathlib.Path, default=ROOT / "build/release/bin/berth",
                        help="the program (default: that of the release build)")
    parser.add_argument("--kind", action="store_true", help="in a kind cluster, which is made for it (needs Docker)")
    parser.add_argument("--playground", action="store_true", help="run no scenario: leave it all running to play with")
    parser.add_argument("--keep", action="store_true", help="keep the folder of logs also when all is well")
    options = parser.parse_args(words)
    known = {scenario.name for scenario in SCENARIOS}
    for name in options.scenarios:
        if name not in known:
            parser.error(f"no scenario called {name} (there are {', '.join(sorted(known))})")
    if not options.kind and not options.berth.exists():
        parser.error(f"{options.berth} is not there; build it: cmake --preset release && cmake --build --preset release --target berth")
    return options


def end_on_signals():
    """Ctrl-C and its like end us, but everything that was started is stopped first."""
    def stop(*_):
        for which in ends:  # once is enough
            signal.signal(which, signal.SIG_IGN)
        raise KeyboardInterrupt
    ends = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    for which in ends:
        signal.signal(which, stop)


def built_programs(version):
    """The control plane's programs, built if they are not there; None when that is not possible here."""
    done = subprocess.run([BUILD, *dict.fromkeys([version, "newest"])])  # kubectl is the newest's
    if done.returncode == NO_GO:
        return None
    if done.returncode != 0:
        sys.exit(done.returncode)
    return Programs(version)


def make_cluster(options, folder):
    if options.kind:
        from .kind import KindCluster
        return KindCluster(options.version, folder)
    programs = built_programs(options.version)
    if programs is None:
        print("\n*** SKIPPED: the real control plane cannot be built here: no Go, and none could be installed ***\n")
        sys.exit(0)
    return LocalCluster(programs, options.berth, folder)


def why_not(scenario, cluster):
    """Why the scenario cannot run here, or None."""
    if cluster.minor < scenario.since_minor:
        return f"needs Kubernetes 1.{scenario.since_minor}"
    return None


def play(scenario, cluster):
    """Runs one scenario and prints its line; returns whether all was well."""
    reason = why_not(scenario, cluster)
    if reason:
        print(f"skip  {scenario.name:15} {reason}", flush=True)
        return True
    started = time.monotonic()
    folder = cluster.begin(scenario.name)
    stage = Stage(cluster, scenario.name, folder)
    trouble = attempt(lambda: start_and_run(scenario, stage))
    if trouble:
        trouble += "\n" + what_was_there(stage)
    trouble = "\n".join(filter(None, [trouble, attempt(lambda: cluster.end(scenario.name))]))
    took = time.monotonic() - started
    print(f"{'FAIL' if trouble else 'ok  '}  {scenario.name:15} {took:5.1f} s  {scenario.title}", flush=True)
    for note in stage.notes:
        print(f"{'':28} {note}")
    if trouble:
        print("      " + trouble.replace("\n", "\n      "))
        print(f"      logs: {folder}", flush=True)
    return not trouble


def start_and_run(scenario, stage):
    stage.cluster.make_namespace(stage.namespace)
    scenario.module.run(stage)


def attempt(action):
    """What went wrong with the action, as text; None if nothing did."""
    try:
        action()
    except Failure as failure:
        return str(failure)
    except NO_ANSWER as error:
        return f"the API server does not answer: {error}"
    except Exception:
        return traceback.format_exc()
    return None


def what_was_there(stage):
    """Placements, events and the end of the logs, for whoever looks into a failure."""
    try:
        pods = [f"  {name}: {node or 'not bound; ' + stage.why(name)}" for name, node in sorted(stage.placements().items())]
        lines = ["pods:", *pods[:40]]
        events = [f"  {event['involvedObject']['name']}: {event['reason']}: {event['message']}"
                  for event in stage.api.list("Event", stage.namespace) if event["reason"] != "Scheduled"]
        lines += ["events:", *events[-20:]]
    except Exception as error:
        lines = [f"the API server does not answer: {error}"]
    stage.cluster.collect_logs()
    for log in sorted(stage.folder.glob("berth*.log")):
        lines += [f"{log.name}:", *("  " + line for line in log.read_text(errors="replace").splitlines()[-10:])]
    return "\n".join(lines)


def run_scenarios(cluster, wanted):
    """Returns the names of those that failed."""
    return [scenario.name for scenario in SCENARIOS
            if (not wanted or scenario.name in wanted) and not play(scenario, cluster)]


def run(options, folder):
    """Returns the exit code."""
    started = time.monotonic()
    cluster = make_cluster(options, folder)
    try:
        print(f"cluster ready after {time.monotonic() - started:.1f} s; logs in {folder}", flush=True)
        if options.playground:
            run_playground(cluster, folder)
            return 1
        failed = run_scenarios(cluster, options.scenarios)
    finally:
        cluster.stop()
    print(f"{'failed: ' + ', '.join(failed) if failed else 'all well'}, {time.monotonic() - started:.0f} s")
    return 1 if failed else 0


def main(words):
    options = arguments(words)
    end_on_signals()
    folder = pathlib.Path(tempfile.mkdtemp(prefix="berth-e2e."))
    try:
        code = run(options, folder)
    except KeyboardInterrupt:
        print("stopped", flush=True)
        code = 0 if options.playground else 130
    except Failure as failure:
        print(failure)
        code = 1
    if code == 1 or options.keep:
        print(f"logs: {folder}")
    else:
        shutil.rmtree(folder)
    return code
