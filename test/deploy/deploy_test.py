"""The objects of deploy/: kustomize and the chart say the same, safely; the chart's values are documented and checked.

Usage: deploy_test.py SOURCE_DIR [unittest arguments]. Exits 77, with a line that says why, where a tool is missing.
"""
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

try:
    import yaml
except ImportError:
    print("SKIPPED: no PyYAML for", sys.executable, "(Debian: python3-yaml)")
    sys.exit(77)

SOURCE = sys.argv.pop(1)
CHART = os.path.join(SOURCE, "deploy/helm/berth")
SCHEDULER = os.path.join(SOURCE, "deploy/scheduler")
# Each overlay and the values that make the chart say the same.
TWINS = {
    "control-plane": ["mode=control-plane"],
    "second-scheduler": ["mode=second-scheduler"],
    "kind": ["mode=control-plane", "image.tag=e2e"],
}


def skip_all(why):
    print("SKIPPED:", why)
    sys.exit(77)


def find_kubectl():
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    built = sorted(glob.glob(os.path.join(cache, "berth/controlplane/v*/kubectl")))
    found = shutil.which("kubectl") or (built and built[-1])
    return found or skip_all("kubectl renders the overlays, and there is none here")


def find_helm():
    asked = subprocess.run([os.path.join(SOURCE, "scripts/tool"), "helm"], capture_output=True, text=True)
    if asked.returncode == 77:
        skip_all(asked.stderr.strip())
    if asked.returncode != 0:
        sys.exit(asked.stderr)
    return asked.stdout.strip()


KUBECTL, HELM = find_kubectl(), find_helm()


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def helm(values):
    """What the chart renders with `values` (a list of PATH=VALUE, or a mapping), as a finished process."""
    command = [HELM, "template", "berth", CHART, "--namespace", "berth"]
    given = None
    if isinstance(values, dict):
        command, given = command + ["--values", "-"], json.dumps(values)
    else:
        command += [argument for value in values for argument in ("--set", value)]
    return subprocess.run(command, input=given, capture_output=True, text=True)


def objects(text):
    return [document for document in yaml.safe_load_all(text) if document]


def kustomize(folder):
    return objects(subprocess.run([KUBECTL, "kustomize", folder], check=True, stdout=subprocess.PIPE, text=True).stdout)


def kustomized(overlay):
    return kustomize(os.path.join(SOURCE, "deploy/kustomize/overlays", overlay))


def charted(values):
    rendered = helm(values + ["createNamespace=true"])
    if rendered.returncode != 0:
        raise AssertionError(rendered.stderr)
    return objects(rendered.stdout)


def key(thing):
    return thing["kind"], thing["metadata"].get("namespace", ""), thing["metadata"]["name"]


def normal(value):
    """`value` with lists of named things in the order of their names."""
    if isinstance(value, dict):
        return {k: normal(v) for k, v in value.items()}
    if isinstance(value, list):
        value = [normal(item) for item in value]
        named = all(isinstance(item, dict) and "name" in item for item in value)
        return sorted(value, key=lambda item: item["name"]) if named else value
    return value


def without_hash(name):
    return re.sub("-[0-9a-z]{10}$", "", name)


def comparable(things):
    """Objects by key, without what one of the two tools adds by itself so that a changed file replaces pods:
    kustomize a hash in the name of a ConfigMap, the chart an annotation. Files are compared by what they say."""
    result = {}
    for thing in map(normal, things):
        if thing["kind"] == "ConfigMap":
            thing["metadata"]["name"] = without_hash(thing["metadata"]["name"])
            thing["data"] = {name: yaml.safe_load(text) for name, text in thing["data"].items()}
        if thing["kind"] in ("DaemonSet", "Deployment"):
            for volume in thing["spec"]["template"]["spec"]["volumes"]:
                volume["configMap"]["name"] = without_hash(volume["configMap"]["name"])
            metadata = thing["spec"]["template"]["metadata"]
            if metadata.get("annotations", {}).pop("checksum/scheduler-config", None):
                metadata.pop("annotations")
        assert key(thing) not in result, key(thing)
        result[key(thing)] = thing
    return result


def pods(things):
    return {t["metadata"]["name"]: t["spec"]["template"]["spec"] for t in things if t["kind"] in ("DaemonSet", "Deployment")}


class Rendered(unittest.TestCase):
    maxDiff = None

    def test_overlay_and_chart_are_the_same_objects(self):
        for overlay, values in TWINS.items():
            with self.subTest(overlay):
                ours, charts = comparable(kustomized(overlay)), comparable(charted(values))
                self.assertEqual(sorted(ours), sorted(charts))
                for name in ours:
                    self.assertEqual(ours[name], charts[name], name)

    def test_changed_scheduler_configuration_replaces_pods(self):
        def annotation(values):
            (deployment,) = [t for t in charted(values) if t["kind"] == "Deployment"]
            return deployment["spec"]["template"]["metadata"]["annotations"]["checksum/scheduler-config"]

        second = ["mode=second-scheduler"]
        self.assertEqual(annotation(second), annotation(second))
        self.assertNotEqual(annotation(second), annotation(second + ["secondScheduler.extender.weight=4"]))
        names = [t["metadata"]["name"] for t in kustomized("second-scheduler") if t["kind"] == "ConfigMap"]
        self.assertTrue(any(re.fullmatch("berth-kube-scheduler-[0-9a-z]{10}", name) for name in names), names)

    def test_berth_may_list_and_watch_and_nothing_else(self):
        (role,) = [t for t in kustomized("control-plane") if t["kind"] == "ClusterRole"]
        allowed = {(group, resource): rule["verbs"] for rule in role["rules"]
                   for group in rule["apiGroups"] for resource in rule["resources"]}
        kinds = [("", "nodes"), ("", "pods"), ("resource.k8s.io", "deviceclasses"),
                 ("resource.k8s.io", "resourceslices"), ("resource.k8s.io", "resourceclaims")]
        self.assertEqual(allowed, {kind: ["list", "watch"] for kind in kinds})

    def test_containers_hold_no_rights(self):
        for overlay in TWINS:
            for name, pod in pods(kustomized(overlay)).items():
                with self.subTest(overlay=overlay, workload=name):
                    security = pod["securityContext"]
                    self.assertTrue(security["runAsNonRoot"])
                    self.assertGreater(security["runAsUser"], 0)
                    self.assertEqual(security["seccompProfile"], {"type": "RuntimeDefault"})
                    for container in pod["containers"]:
                        self.assertEqual(container["securityContext"], {
                            "allowPrivilegeEscalation": False, "readOnlyRootFilesystem": True,
                            "capabilities": {"drop": ["ALL"]}})
                        for probe in ("startupProbe", "livenessProbe", "readinessProbe"):
                            self.assertIn(probe, container)
                        self.assertIn("memory", container["resources"]["requests"])

    def test_every_reference_is_to_an_object_beside_it(self):
        for overlay in TWINS:
            things = kustomized(overlay)
            named = {(t["kind"], t["metadata"]["name"]) for t in things}
            for pod in pods(things).values():
                self.assertIn(("ServiceAccount", pod["serviceAccountName"]), named)
                mounted = {mount["name"] for container in pod["containers"] for mount in container["volumeMounts"]}
                self.assertEqual(mounted, {volume["name"] for volume in pod["volumes"]})
                for volume in pod["volumes"]:
                    self.assertIn(("ConfigMap", volume["configMap"]["name"]), named)

    def test_version_is_that_of_the_build(self):
        version = re.search(r"project\(berth VERSION ([0-9.]+)", read(os.path.join(SOURCE, "CMakeLists.txt")))[1]
        chart = yaml.safe_load(read(os.path.join(CHART, "Chart.yaml")))
        self.assertEqual(chart["appVersion"], version)
        self.assertIn(f"berth:{version}", read(os.path.join(SOURCE, "deploy/Dockerfile")))
        self.assertEqual(pods(kustomized("control-plane"))["berth"]["containers"][0]["image"], f"berth:{version}")


class SchedulerConfigurations(unittest.TestCase):
    def configurations(self):
        files = {name: read(os.path.join(SCHEDULER, name)) for name in os.listdir(SCHEDULER)}
        self.assertEqual(sorted(files), ["all-pods.yaml", "gpu-pods.yaml"])
        for thing in kustomized("second-scheduler"):
            files.update(thing.get("data", {}) if thing["metadata"]["name"].startswith("berth-kube-scheduler-") else {})
        self.assertEqual(len(files), 3)
        return {name: yaml.safe_load(text) for name, text in files.items()}

    def test_they_ask_in_the_same_way(self):
        for name, configuration in self.configurations().items():
            with self.subTest(name):
                self.assertEqual(configuration["percentageOfNodesToScore"], 100)
                (extender,) = configuration["extenders"]
                asked = {k: v for k, v in extender.items() if k not in ("ignorable", "managedResources")}
                self.assertEqual(asked, {
                    "urlPrefix": "http://127.0.0.1:8888/v1", "filterVerb": "filter", "prioritizeVerb": "prioritize",
                    "weight": 3, "httpTimeout": "1s", "nodeCacheCapable": True})

    def test_they_differ_in_whose_pods_come_and_what_happens_without_berth(self):
        found = {name: (c["extenders"][0]["ignorable"], c["extenders"][0].get("managedResources"))
                 for name, c in self.configurations().items()}
        self.assertEqual(found, {
            "all-pods.yaml": (True, None),
            "gpu-pods.yaml": (True, [{"name": "nvidia.com/gpu", "ignoredByScheduler": False}]),
            "scheduler.yaml": (False, None)})

    def test_second_scheduler_may_have_the_lease_it_asks_for(self):
        election = self.configurations()["scheduler.yaml"]["leaderElection"]
        (role,) = [t for t in kustomized("second-scheduler") if t["kind"] == "Role"]
        self.assertEqual(role["metadata"]["namespace"], election["resourceNamespace"])
        self.assertEqual([(rule.get("resourceNames"), rule["verbs"]) for rule in role["rules"]],
                         [(None, ["create"]), ([election["resourceName"]], ["get", "update"])])

    def test_kind_mounts_what_its_scheduler_reads(self):
        (node,) = yaml.safe_load(read(os.path.join(SOURCE, "deploy/kind/cluster.yaml")))["nodes"]
        (mount,) = node["extraMounts"]
        (patch,) = map(yaml.safe_load, node["kubeadmConfigPatches"])
        config = patch["scheduler"]["extraArgs"]["config"]
        (volume,) = patch["scheduler"]["extraVolumes"]
        self.assertEqual(os.path.dirname(config), volume["mountPath"])
        self.assertEqual(volume["hostPath"], mount["containerPath"])
        self.assertTrue(os.path.isfile(os.path.join(SOURCE, mount["hostPath"], os.path.basename(config))))


class Installation(unittest.TestCase):
    """What docs/install.md shows."""

    shown = [yaml.safe_load(block) for block in
             re.findall(r"^```yaml\n(.*?)^```", read(os.path.join(SOURCE, "docs/install.md")), re.M | re.S)]

    def test_kustomizations_put_the_images_in_place(self):
        found = [block for block in self.shown if block.get("kind") == "Kustomization"]
        self.assertEqual(len(found), 2)
        for kustomization in found:
            with tempfile.TemporaryDirectory() as folder:
                os.symlink(SOURCE, os.path.join(folder, "berth"))
                with open(os.path.join(folder, "kustomization.yaml"), "w", encoding="utf-8") as file:
                    yaml.safe_dump(kustomization, file)
                (pod,) = pods(kustomize(folder)).values()
            wanted = {f"{image.get('newName', image['name'])}:{image['newTag']}" for image in kustomization["images"]}
            self.assertEqual({container["image"] for container in pod["containers"]}, wanted)

    def test_kube_scheduler_is_given_the_file_that_is_mounted(self):
        (manifest,) = [block["spec"] for block in self.shown if "containers" in block.get("spec", {})]
        (cluster,) = [block for block in self.shown if block.get("kind") == "ClusterConfiguration"]
        (container,), (volume,) = manifest["containers"], manifest["volumes"]
        (argument,), (extra,) = cluster["scheduler"]["extraArgs"], cluster["scheduler"]["extraVolumes"]
        self.assertIn("--config=" + argument["value"], container["command"])
        self.assertEqual(os.path.dirname(argument["value"]), extra["mountPath"])
        self.assertEqual(container["volumeMounts"], [{"name": "berth", "mountPath": extra["mountPath"], "readOnly": True}])
        self.assertEqual(volume, {"name": "berth", "hostPath": {"path": extra["hostPath"], "type": extra["pathType"]}})


# Maps whose keys are not the chart's: node labels, names of resources, and what berth itself checks.
OPEN = re.compile(r"(config\.\w+|.*\.nodeSelector|(.*\.)?(requests|limits))\..*")


def paths(values, prefix=""):
    for name, value in values.items():
        path = prefix + name
        if OPEN.fullmatch(path):
            continue
        yield path, value
        if isinstance(value, dict):
            yield from paths(value, path + ".")


def lookup(values, path):
    for name in path.split("."):
        values = values[name]
    return values


class ChartValues(unittest.TestCase):
    values = yaml.safe_load(read(os.path.join(CHART, "values.yaml")))

    def test_each_is_in_the_table_with_its_default(self):
        rows = re.findall(r"^\| `([\w.]+)` \| `(.*?)` \|", read(os.path.join(CHART, "README.md")), re.M)
        documented = dict(rows)
        self.assertEqual(len(rows), len(documented))
        for path, default in rows:
            self.assertEqual(yaml.safe_load(default), lookup(self.values, path), path)

        def undocumented(values, prefix=""):
            for name, value in values.items():
                path = prefix + name
                if path in documented:
                    continue
                yield from undocumented(value, path + ".") if isinstance(value, dict) and value else [path]

        self.assertEqual(list(undocumented(self.values)), [])

    def test_misspelt_one_is_refused(self):
        checked = [path for path, _ in paths(self.values)]
        self.assertGreater(len(checked), 40)
        for path in checked:
            misspelt = {}
            *parents, name = path.split(".")
            inner = misspelt
            for parent in parents:
                inner = inner.setdefault(parent, {})
            inner[name + "x"] = lookup(self.values, path)
            rendered = helm(misspelt)
            self.assertNotEqual(rendered.returncode, 0, path)
            self.assertIn(name + "x", rendered.stderr)

    def test_wrong_one_is_refused(self):
        for wrong in ("mode=both", "createNamespace=yes please", "image.pullPolicy=Sometimes", "resources.cpu=1",
                      "config.listen=0.0.0.0:8888", "secondScheduler.schedulerName=default-scheduler",
                      "secondScheduler.image.tag=latest", "secondScheduler.extender.weight=0",
                      "secondScheduler.extender.httpTimeout=1", "secondScheduler.extender.managedResources={cpu}",
                      "secondScheduler.percentageOfNodesToScore=101", "secondScheduler.networkPolicy.apiServerPorts=443"):
            with self.subTest(wrong):
                rendered = helm([wrong])
                self.assertNotEqual(rendered.returncode, 0)
                self.assertIn("schema", rendered.stderr)

    def test_given_ones_reach_the_objects(self):
        rendered = charted(["mode=second-scheduler", "image.repository=example.test/berth", "image.tag=x",
                            "secondScheduler.extender.managedResources={nvidia.com/gpu}",
                            "secondScheduler.schedulerName=gpu", "secondScheduler.podDisruptionBudget.enabled=false",
                            "secondScheduler.networkPolicy.enabled=false", "secondScheduler.criticalPodsQuota=",
                            "config.policy.affinity.mode=hard", "imagePullSecrets[0].name=secret"])
        self.assertFalse({t["kind"] for t in rendered} & {"PodDisruptionBudget", "NetworkPolicy", "ResourceQuota"})
        pod = pods(rendered)["berth-scheduler"]
        self.assertEqual(pod["containers"][0]["image"], "example.test/berth:x")
        self.assertEqual(pod["imagePullSecrets"], [{"name": "secret"}])
        files = {k: yaml.safe_load(v) for t in rendered for k, v in t.get("data", {}).items()}
        self.assertEqual(files["scheduler.yaml"]["profiles"], [{"schedulerName": "gpu"}])
        self.assertEqual(files["scheduler.yaml"]["extenders"][0]["managedResources"],
                         [{"name": "nvidia.com/gpu", "ignoredByScheduler": False}])
        self.assertEqual(files["berth.yaml"]["policy"], {"answer": "decisive", "affinity": {"mode": "hard"}})


if __name__ == "__main__":
    unittest.main()
