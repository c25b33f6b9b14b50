"""kube-scheduler, with configurations derived from the shipped one."""

import copy
import json
import pathlib
import ssl
import urllib.request

from .expect import NotYet
from .objects import GPU
from .program import Program, free_port

# Pods per second are then limited by the scheduler, not by its client.
_CLIENT = {"qps": 5000, "burst": 10000}


def with_extender(shipped, berth_url, **fields):
    """The shipped configuration, asking the berth at `berth_url`; `fields` replace the extender's own
    (None: leaves one out)."""
    config = copy.deepcopy(shipped)
    extender = {**config["extenders"][0], "urlPrefix": f"{berth_url}/v1", **fields}
    config["extenders"] = [{key: value for key, value in extender.items() if value is not None}]
    return config


def without_extender(shipped, most_allocated=False):
    """The same without berth; most_allocated: with the in-tree way to pack."""
    config = copy.deepcopy(shipped)
    del config["extenders"]
    if most_allocated:
        strategy = {"type": "MostAllocated", "resources": [
            {"name": GPU, "weight": 5}, {"name": "cpu", "weight": 1}, {"name": "memory", "weight": 1}]}
        config["profiles"] = [{"schedulerName": "default-scheduler", "pluginConfig": [
            {"name": "NodeResourcesFit", "args": {"scoringStrategy": strategy}}]}]
    return config


class Scheduler:
    """A running kube-scheduler, ready when constructed."""

    scheduler_name = "default-scheduler"  # what its pods say

    def __init__(self, name, program, config, kubeconfig, control_plane, folder):
        config = {**config, "clientConnection": {"kubeconfig": str(kubeconfig), **_CLIENT},
                  "leaderElection": {"leaderElect": False}}
        file = pathlib.Path(folder) / f"{name}.json"
        file.write_text(json.dumps(config, indent=1))
        certificate, key = control_plane.server_certificate
        self._tls = ssl.create_default_context(cafile=control_plane.authority.certificate)
        self._url = f"https://127.0.0.1:{free_port()}"
        self.program = Program(name, [
            program, "--config", file, "--bind-address=127.0.0.1", f"--secure-port={self._url.rsplit(':', 1)[1]}",
            f"--tls-cert-file={certificate}", f"--tls-private-key-file={key}", "--authentication-skip-lookup",
            "--authorization-always-allow-paths=/healthz,/readyz,/livez,/metrics"], folder)
        self.program.start()
        self.program.await_ready(self._ready)

    def stop(self):
        self.program.kill()

    def _get(self, path):
        with urllib.request.urlopen(self._url + path, timeout=5, context=self._tls) as answer:
            return answer.read().decode()

    def _ready(self):
        try:
            return self._get("/readyz") == "ok"
        except OSError as error:
            raise NotYet(error) from None
